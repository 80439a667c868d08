"""Dates and durations as pages write them: turned into ISO 8601, and into seconds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

import msgspec

from citeseek.models import Page
from citeseek.parsing.months import IRANIAN_MONTH_OF, MONTH_OF

_NAME = r"(?P<name>[^\s\d.,،/|()_:-]{2,14}(?: ال[^\s\d.,،/|()]{3,5})?)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º|°)?"
_YEAR = r"(?P<year>\d{4})"
_TIME = r"(?:[ t]?\d{1,2}:\d{2}(?::\d{2})?)?"
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_NUMERALS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "○": 0}
_ABSOLUTE = (
    rf"{_YEAR}(?P<sep>[-/.]) ?(?P<month>\d{{1,2}})(?P=sep) ?(?P<day>\d{{1,2}})" + _TIME,
    rf"(?:{_YEAR} ?[年년] ?)?(?P<month>\d{{1,2}}) ?[月월] ?(?P<day>\d{{1,2}}) ?[日号號일]" + _TIME,
    (
        rf"(?P<era>{'|'.join(_ERAS)}) ?(?P<of>\d{{1,3}}|元) ?年 ?(?P<month>\d{{1,2}}) ?月 ?"
        rf"(?P<day>\d{{1,2}}) ?日{_TIME}"
    ),
    (
        r"(?P<year>[〇○零一二三四五六七八九]{4})年(?P<month>[一二三四五六七八九十]{1,2})月"
        rf"(?P<day>[一二三四五六七八九十]{{1,3}})日{_TIME}"
    ),
    rf"{_NAME} {_DAY}(?:,? ?(?:\d\d:\d\d:\d\d )?(?:[a-z]{{3,4}} )?{_YEAR})?{_TIME}",
    (
        rf"{_DAY}(?:[ /-]|(?<=\.))(?:of |de |d['’]|di )?{_NAME}"
        rf"(?:(?:[,،/-]| del?)?[ -]?{_YEAR})?{_TIME}"
    ),
    rf"{_YEAR}(?:\.| m\.|,|년)?[ -]{_NAME}[ -]{_DAY}{_TIME}",
    # Not "x", which multiplies.
    (
        rf"{_DAY}[ ./-]?(?P<roman>i{{1,3}}|iv|vi{{0,3}}|ix|xi{{1,2}})[ ./-]{{1,2}}"
        r"(?P<year>(?:19|20)\d\d)"
    ),
    rf"{_DAY} tháng (?P<month>\d{{1,2}})(?:,| năm)? {_YEAR}{_TIME}",
    # With full stops the day stands first in every country.
    rf"(?P<day>\d{{1,2}})\. ?(?P<month>\d{{1,2}})\. ?{_YEAR}" + _TIME,
    r"(?P<day>\d\d)\.(?P<month>\d\d)\.(?P<year>\d\d)(?![.\d])" + _TIME,
    rf"(?P<first>\d{{1,2}}) ?(?P<sep>[/-]) ?(?P<second>\d{{1,2}}) ?(?P=sep) ?{_YEAR}" + _TIME,
)
# Eight digits are a date in a sentence that says so, and may be any number elsewhere.
_COMPACT = r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
_ROMAN = {
    sign: month for month, sign in enumerate("i ii iii iv v vi vii viii ix x xi xii".split(), 1)
}
# Years of the solar calendar of Iran that web pages are of, and signs that only Persian has.
_IRANIAN = frozenset(range(1300, 1500))
_IRANIAN_EPOCH = 356_033
_LONG_MONTHS = 6
_PERSIAN = "[\u06f0-\u06f9\u067e\u0686\u0698\u06a9\u06af\u06cc]"
# Years of the Buddhist era are 543 ahead.
_BUDDHIST = 2400
_THIS_CENTURY = 69
_AGE = (
    r"(?P<count>\d{1,4}) ?个? ?(?:"
    r"(?P<seconds>秒钟?|sec(?:ond)?s?)|(?P<minutes>分钟?|min(?:ute)?s?)|(?P<hours>小时|h(?:ou)?rs?)"
    r"|(?P<days>天|日|days?)|(?P<weeks>周|星期|weeks?)"
    r") ?(?:[之以]?前|ago)"
)
_DAYS = rf"(?:(?P<today>今天|today)|(?P<one>昨天|yesterday)|(?P<two>前天)){_TIME}"
_EXACT = frozenset({"seconds", "minutes", "hours"})
_MONTHS = 12
_AROUND = " -–—·•,，|"


class DateInText(msgspec.Struct, frozen=True):
    """A ``day`` (ISO 8601) that stands in a line, and the line ``before`` and ``after`` it.

    The line is in small letters, with single spaces.
    """

    day: str
    before: str
    after: str


def parse_date(text: str, now: datetime | None = None) -> str | None:
    """Return the date that ``text`` is, as ISO 8601, or None when it is not a date.

    ``now`` is when the text was written. Without it an age ("3天前") and a day without its year
    ("11月2日") are None. An age in hours or less gives the minute, everything else the day in the
    zone of ``now``; an age in months or years names no day and is None. Of two numbers that may
    both be the month none is taken for it.
    """
    text = fold(text)
    for pattern in _ABSOLUTE:
        with suppress(ValueError):  # a day that no calendar has
            match = re.fullmatch(pattern, text)
            if match and (day := _absolute(match, now)):
                return day
    with suppress(ValueError, OverflowError):
        return _relative(text, now) if now else None
    return None


def find_date(text: str, *, day_first: bool | None = None) -> str | None:
    """Return the first date with a year in ``text``, as ISO 8601; None without one."""
    return next((found.day for found in find_dates(text, day_first=day_first)), None)


def find_dates(text: str, *, day_first: bool | None = None) -> Iterator[DateInText]:
    """Yield the dates with a year in ``text``, in their order.

    ``day_first`` tells how 3/4/2026 is read; by default not at all.
    """
    text = fold(text)
    matches = [match for pattern in _within() for match in pattern.finditer(text)]
    end = 0
    for match in sorted(matches, key=lambda match: (match.start(), -match.end())):
        if match.start() < end:
            continue
        with suppress(ValueError):
            if day := _absolute(match, None, day_first=day_first):
                end = match.end()
                yield DateInText(day, text[: match.start()], text[end:])


def read_sent_at(page: Page) -> datetime | None:
    """Return the ``Date`` of the answer, the clock for the ages on its page; None without one."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few pages tell an age

    try:
        return parsedate_to_datetime(page.headers.get("date", ""))
    except ValueError:
        return None


def fold(text: str) -> str:
    """Return ``text`` as dates are looked for in it: in small letters, with single spaces."""
    # A dotted capital I leaves its dot behind.
    return " ".join(text.split()).strip(_AROUND).casefold().replace("\u0307", "")


@cache
def _within() -> tuple[re.Pattern[str], ...]:
    """Return what finds a date in a line: a search has none to find, and this takes 3 ms."""
    return tuple(
        re.compile(rf"(?<!\d)(?<!\d\.){pattern.removesuffix(_TIME)}(?:(?<=\D)|(?!\d))")
        for pattern in (*_ABSOLUTE, _COMPACT)
    )


def _absolute(
    match: re.Match[str], now: datetime | None, *, day_first: bool | None = None
) -> str | None:
    """Return the day of ``match``, None where it names no month or lacks its year."""
    found = match.groupdict()
    month_day = _month_and_day(found, day_first=day_first)
    if month_day is None:
        return None
    year = _year(found)
    is_iranian = found.get("name") in IRANIAN_MONTH_OF
    if year in _IRANIAN and (is_iranian or re.search(_PERSIAN, match.string)):
        return _from_iranian(year, *month_day).isoformat()
    if year is not None and not is_iranian:
        return date(year, *month_day).isoformat()
    if now is None or is_iranian:
        return None
    latest = date(now.year, *month_day)
    return (latest if latest <= now.date() else date(now.year - 1, *month_day)).isoformat()


def _month_and_day(
    found: dict[str, str | None], *, day_first: bool | None
) -> tuple[int, int] | None:
    """Return the month and the day of what was ``found``, None where it names no month."""
    if first := found.get("first"):
        return _in_order(int(first), int(found["second"] or 0), day_first=day_first)
    name, roman, number = (found.get(key) or "" for key in ("name", "roman", "month"))
    month = MONTH_OF.get(name) or IRANIAN_MONTH_OF.get(name) or _ROMAN.get(roman)
    if month is None and not number:
        return None
    return month or _number(number), _number(found["day"] or "")


def _from_iranian(year: int, month: int, day: int) -> date:
    """Return the day of the solar calendar of Iran; raise ValueError where it has none.

    Leap years by the cycle of 33 years, as the calendar has them from 1178 to 1633.
    """
    if not (1 <= month <= _MONTHS and 1 <= day <= (31 if month <= _LONG_MONTHS else 30)):
        raise ValueError("no day of that calendar")
    before = 31 * (month - 1) - max(0, month - _LONG_MONTHS - 1)
    ordinal = _end_of_iranian(year - 1) + before + day
    if ordinal > _end_of_iranian(year):
        raise ValueError("no leap year")
    return date.fromordinal(ordinal)


def _end_of_iranian(year: int) -> int:
    """Return the proleptic Gregorian ordinal of the last day of ``year``."""
    cycles, rest = divmod(year + 1596, 33)
    return 365 * (year + 1596) + 8 * cycles + (rest + 3) // 4 - _IRANIAN_EPOCH


def _in_order(first: int, second: int, *, day_first: bool | None) -> tuple[int, int] | None:
    """Return month and day of two numbers, None where either may be the month."""
    if first > _MONTHS or (second <= _MONTHS and (day_first or first == second)):
        return second, first
    if second > _MONTHS or day_first is False:
        return first, second
    return None


def _year(found: dict[str, str | None]) -> int | None:
    if era := found.get("era"):
        return _ERAS[era] + (1 if found["of"] == "元" else int(found["of"] or 0))
    text = found.get("year")
    if not text:
        return None
    if text[0] in _NUMERALS:
        return int("".join(str(_NUMERALS[sign]) for sign in text))
    year = int(text)
    if len(text) == 2:  # noqa: PLR2004 - a year without its century
        year += 2000 if year <= _THIS_CENTURY else 1900
    return year - 543 if year > _BUDDHIST else year


def _number(text: str) -> int:
    """Return the value of digits, or of a Chinese numeral below a hundred."""
    if text[0] not in _NUMERALS and text[0] != "十":
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_NUMERALS[tens] if tens else 1) * 10 * bool(ten) + (_NUMERALS[ones] if ones else 0)


def _relative(text: str, now: datetime) -> str | None:
    if match := re.fullmatch(_AGE, text):
        unit = next(name for name in match.groupdict() if name != "count" and match[name])
        then = now - timedelta(**{unit: int(match["count"])})
        return then.isoformat(timespec="minutes") if unit in _EXACT else then.date().isoformat()
    if match := re.fullmatch(_DAYS, text):
        ago = 0 if match["today"] else 1 if match["one"] else 2
        return (now.date() - timedelta(days=ago)).isoformat()
    return None


_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{2})")
_ISO = re.compile(r"PT(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,6})(?:\.\d+)?S)?")
_PLAIN = re.compile(r"(\d{1,6})(?:\.\d+)?")


def duration(value: Any) -> int | None:
    """Return the seconds that ``value`` says, None when it says none.

    It is a number of seconds, a clock ("1:02:03", "4:05") or an ISO 8601 duration ("PT4M5S").
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value) if math.isfinite(value) and value > 0 else None
    text = value.strip() if isinstance(value, str) else ""
    if match := _PLAIN.fullmatch(text):
        return int(match[1]) or None
    match = _CLOCK.fullmatch(text) or _ISO.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds or None
