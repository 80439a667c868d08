"""A date as far as it is told: read from text in Chinese or English, compared with another one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import count
from string import ascii_lowercase, digits

import msgspec

from citeseek.verification.values.units import units

FIRST = frozenset(digits + ascii_lowercase + "'’第上〇零一二三四五六七八九十")
"""What a date begins with, in small letters."""
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_HAN_YEAR = "[〇零一二三四五六七八九]{4}"
_HAN_DAY = "[一二三四五六七八九十]{1,3}"
_HAN = {character: at for at, character in enumerate("〇一二三四五六七八九")} | {"零": 0}
_QUARTERS = {"一": 1, "二": 2, "三": 3, "四": 4, "first": 1, "second": 2, "third": 3, "fourth": 4}


_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
).split()
# 2016欧洲杯 begins with a year, 2016人 does not.
_COUNTED = "|".join(name for name in units() if not name[0].isascii())
_YEAR = (
    r"(?:(?<![\w.,$€£¥-])|(?<=[12]\d{3}-))(?P<year>1[4-9]\d\d|20\d\d)"
    rf"(?![0-9A-Za-z_%]|[.,]\d|[元万亿]|{_COUNTED})"
)


_Y = rf"(?P<year>(?<!\d)\d{{4}}|{_HAN_YEAR}) ?年"
_MD = rf"(?P<month>(?<!\d)\d{{1,2}}|{_HAN_DAY}) ?月(?:份| ?(?P<day>\d{{1,2}}|{_HAN_DAY}) ?[日号])?"
_D = r"(?P<day>\d{1,2})(?:st|[nr]d|th)?\b"
_COMMA_YEAR = r"(?:,? (?P<year>\d{4})\b)?"
_FORMS = (
    r"第?(?P<quarter>[一二三四1-4])季度|\bq(?P<quarter>[1-4])\b",
    r"(?P<quarter>\bfirst|\bsecond|\bthird|\bfourth) quarter\b",
    r"(?P<of>\d{2})世纪(?P<decade>\d0)年代|(?P<decade>\b\d{3}0)(?:['’]?s\b|年代)",
    r"(?:上个?世纪)?(?<![0-9A-Za-z_.])['’]?(?P<short>[1-9]0)(?:['’]?s\b|年代)",
    r"(?:上个?世纪)?(?<![〇零一二三四五六七八九十])(?P<tens>[一二三四五六七八九])十年代",
    rf"(?P<of>{_HAN_DAY})世纪(?P<tens>[一二三四五六七八九])十年代",
    rf"(?P<century>\d{{1,2}})(?:世纪|(?:st|[nr]d|th) century)|(?P<century>{_HAN_DAY})世纪",
    rf"\b(?P<nth>{'|'.join(_ORDINALS)})[ -]century",
    rf"{_Y}度? ?{_MD}",
    rf"{_Y}(?!代)度?",
    _MD,
    (
        r"(?<![\d.])(?P<year>\d{4})"
        r"(?:-(?P<month>\d{1,2})-|/(?P<month>\d{1,2})/|\.(?P<month>\d{1,2})\.)"
        r"(?P<day>\d{1,2})(?![\d.]\d|\d)"
    ),
    rf"\b(?P<name>{_NAME}) {_D}{_COMMA_YEAR}",
    rf"\b{_D} (?:of )?(?P<name>{_NAME}){_COMMA_YEAR}",
    rf"\b(?P<name>{_NAME}),? (?:of )?(?P<year>\d{{4}})\b",
    r"\b(?P<name>january|february|april|june|july|august|september|october|november|december)\b",
    r"(?<=\bin )(?P<name>march|may)\b",
    _YEAR,
)


_YEARS = {"decade": 10, "century": 100}


class Moment(msgspec.Struct, frozen=True):
    """A day, month, year, or a part or group of years; None is what is not told."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    part: str = ""

    def fit(self, source: Moment) -> str:
        """Return how this date of a claim agrees with one of a source.

        ``exact`` when the source tells all of it, ``vague`` when the source tells less and nothing
        else, empty when they differ or have nothing in common.
        """
        if self._spans(source):
            return "exact"
        if source._spans(self):
            return "vague"
        mine, theirs = self._read_parts(), source._read_parts()
        if any(theirs.get(name, value) != value for name, value in mine.items()):
            return ""
        if not mine.keys() & theirs.keys():
            return ""
        return "exact" if mine.keys() <= theirs.keys() else "vague"

    def _spans(self, other: Moment) -> bool:
        """Whether this is a decade or a century, and the other one a year of it."""
        name, _, number = self.part.partition(" ")
        if other.year is None or name not in _YEARS:
            return False
        first = int(number) if name == "decade" else 100 * (int(number) - 1)
        return first <= other.year < first + _YEARS[name]

    def _read_parts(self) -> dict[str, int | str | None]:
        told: dict[str, int | str | None] = {
            "year": self.year,
            "month": self.month,
            "day": self.day,
            "part": self.part,
        }
        return {name: value for name, value in told.items() if value not in (None, "")}


def read(match: re.Match[str]) -> Moment:
    """Return the date of a match of :func:`pattern`."""
    group = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    if part := _part(group):
        return Moment(part=part)
    month = group.get("month", "")
    return Moment(
        year=_number(group.get("year", "")),
        month=_MONTHS.index(group["name"][:3].casefold()) + 1
        if "name" in group
        else _number(month),
        day=_number(group.get("day", "")),
    )


def _part(group: Mapping[str, str]) -> str:
    """Return the part of a year or the group of years that is told, empty for a date."""
    if told := group.get("quarter", "").casefold():
        return f"quarter {_QUARTERS.get(told) or told}"
    if "century" in group:
        return f"century {_number(group['century'])}"
    if "nth" in group:
        return f"century {_ORDINALS.index(group['nth'].casefold()) + 1}"
    if "short" in group:
        return f"decade 19{group['short']}"
    if "tens" in group or "of" in group:
        before = (_number(group["of"]) or 1) - 1 if "of" in group else 19
        tens = group.get("decade") or f"{_HAN[group['tens']]}0"
        return f"decade {before}{tens}"
    return f"decade {group['decade']}" if "decade" in group else ""


@cache
def pattern() -> re.Pattern[str]:
    """Return how a date is written, compiled when it is first needed."""
    # A group's name may stand once in a pattern.
    counted = count()
    forms = (
        re.sub(r"\?P<(\w+)>", lambda match: f"?P<{match[1]}{next(counted)}>", form)
        for form in _FORMS
    )
    # Nearly all characters of a text are left behind at the first look.
    first = f"(?=[{''.join(sorted(FIRST))}])"
    return re.compile(f"{first}(?:{'|'.join(forms)})", re.IGNORECASE)


def _number(written: str) -> int | None:
    if not written:
        return None
    if written.isdecimal():
        return int(written)
    if "十" in written:
        tens, _, ones = written.partition("十")
        return (_HAN[tens] if tens else 1) * 10 + (_HAN[ones] if ones else 0)
    return int("".join(str(_HAN[character]) for character in written))
