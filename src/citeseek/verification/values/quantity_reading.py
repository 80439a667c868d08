"""How quantities are written in Chinese and English, and which one a text means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from string import ascii_lowercase, digits

from citeseek.verification import words
from citeseek.verification.values import numerals, units
from citeseek.verification.values.quantity import Quantity

# Bounds that stand behind the digits, and those that may stand behind the unit.
_BEHIND_DIGITS = frozenset({"多", "余", "+"})
_BEHIND = frozenset(
    {
        "以上",
        "以下",
        "以内",
        "左右",
        "上下",
        "or more",
        "or fewer",
        "or less",
        "at most",
        "at least",
    }
)
# Chinese numerals without a unit: 三百二 is a number, 百度 is none.
_LONG = 3
# Longer runs of digits are no numbers that anybody compares, and int() refuses very long ones.
_MAX_CHARS = 60
_DECIMAL = re.compile(r"\d{1,4}\.\d{1,4}")
_NAME = re.compile(r"([A-Z][\w.+#-]*|(?:version|release)s?|版本|版)[ ]?\Z")
_NAME_CHARS = 40
# What joins two numbers of one unit: "2 or 3 hours", "between 300 and 450 million".
_JOINT = re.compile(r" ?(?:(?:to|or)\b|[-–—~～至到或]) ?")
_AND = re.compile(r" and ")
_BETWEEN = re.compile(r"\bbetween $")


def read(match: re.Match[str]) -> Quantity | None:
    """Return the quantity of a match of :func:`pattern`; None when it is only a word."""
    group = match.groupdict()
    number = _number(group) if len(match[0]) <= _MAX_CHARS else None
    if number is None:
        return None
    value, step = number
    kind, plain = _kind(group)
    scale = units.scale(group["scale"] or group["short"] or "")
    if not kind or scale == 1:
        kind, plain, scale = _share(match, value, (kind, plain, scale))
    size = plain * scale
    more = group["more"] or group["plus"] or group["late"]
    bound = _read_bound(group["after"], more, group["before"])
    decimal = _decimal(match)
    return Quantity(
        (-value if group["minus"] else value) * size,
        step * size,
        kind,
        bound,
        decimal=decimal,
        is_version=bool(decimal) and _follows_name(match),
    )


def _share(
    match: re.Match[str], value: Fraction, own: tuple[str, Fraction, int]
) -> tuple[str, Fraction, int]:
    """Return the unit and scale of a number, which may stand behind the next one only."""
    kind, plain, scale = own
    text, end = match.string, match.end()
    is_between = _BETWEEN.search(text, max(0, match.start() - _NAME_CHARS), match.start())
    joint = _JOINT.match(text, end) or (_AND.match(text, end) if is_between else None)
    other = pattern().match(text, joint.end()) if joint else None
    group = other.groupdict() if other and len(other[0]) <= _MAX_CHARS else None
    number = _number(group) if group else None
    if group is None or number is None:
        return own
    if not kind:
        kind, plain = _kind(group)
        if kind == "ordinal":
            return own
    if scale == 1 and value < number[0]:
        scale = units.scale(group["scale"] or group["short"] or "")
    return kind, plain, scale


def _decimal(match: re.Match[str]) -> str:
    """Return the match if it is a bare decimal number, without a unit or anything else."""
    return match[0] if _DECIMAL.fullmatch(match[0]) else ""


def _follows_name(match: re.Match[str]) -> bool:
    """Whether the number stands behind a name, as in Python 3.10, or behind a word for versions."""
    before = _NAME.search(match.string, max(0, match.start() - _NAME_CHARS), match.start())
    return before is not None and before[1].casefold() not in words.table("empty")


@cache
def first_characters() -> frozenset[str]:
    """Return what a quantity begins with, in small letters."""
    bounds = (word[0] for told in words.bounds().values() for word in told)
    return frozenset(digits + ascii_lowercase + "第$€£¥￥−-" + numerals.HAN_CHARS).union(bounds)


@cache
def pattern() -> re.Pattern[str]:
    """Return how a quantity is written, compiled when it is first needed."""
    bound = [word for told in words.bounds().values() for word in told]
    # Nearly all characters of a text are left behind at the first look.
    first = re.escape("".join(sorted(first_characters())))
    before = _either(word for word in bound if word not in _BEHIND_DIGITS)
    after = _either(word for word in bound if word in _BEHIND)
    unit = "|".join(
        re.escape(name) + ("(?![a-z0-9])" if name[-1].isascii() and name[-1].isalpha() else "")
        for name in sorted(units.units(), key=len, reverse=True)
        if name != "成"
    )
    return re.compile(
        rf"(?=[{first}])(?:(?P<before>{before})(?:了|达)? ?)?"
        r"(?P<hundredths>百分之)?(?P<ordinal>第)?"
        r"(?P<minus>(?:(?<![\w)\]])|(?<=[至到为达约是]))[-−]|零下)?"
        rf"(?:(?P<sign>{units.SIGNS}) ?)?"
        rf"(?:(?P<fraction>{numerals.FRACTION})|(?P<mixed>(?<!\d){numerals.MIXED})"
        rf"|(?P<digits>(?<![\w.])(?:{numerals.DIGITS})|(?<=[^\x00-\x7f])(?:{numerals.DIGITS}))"
        rf"|(?P<han>{numerals.HAN})|(?P<nth>{numerals.ORDINALS})|(?P<words>{numerals.WORDS}))"
        r"(?P<th>(?:st|[nr]d|th)\b)?"
        r"(?(sign)(?: ?(?P<short>[mkb])\b)?)"
        rf"(?P<more>[多余])?(?:[ -]?(?P<scale>{units.SCALES})(?![a-z]))?(?P<plus>[多余+])?"
        rf"(?:[ -]?(?P<unit>{unit}|成(?!立|为|功|本|员|果|都|长|分|绩|交|熟|年|就)))?"
        # 5年多, but not 5年多次.
        r"(?P<late>[多余](?![次个种家项人名年地条元]))?"
        rf"(?: ?(?P<after>{after}))?",
        re.IGNORECASE,
    )


def _number(group: Mapping[str, str | None]) -> tuple[Fraction, Fraction] | None:
    """Return the value as written and the step of its last digit."""
    if group["fraction"]:
        return numerals.of_fraction(group["fraction"]), Fraction(0)
    if group["mixed"]:
        value = numerals.of_mixed(group["mixed"])
        return value, numerals.whole_step(str(value))
    if group["nth"]:
        return numerals.of_ordinal(group["nth"]), Fraction(1)
    if group["digits"]:
        return numerals.of_digits(group["digits"])
    if group["han"]:
        return _han_number(group["han"], group)
    value = numerals.of_words(group["words"] or "")
    is_article = value == 1 and not (group["unit"] or group["scale"])
    # "One of them" is no number; "fifty thousand" is as round as 50,000.
    return None if is_article else (value, numerals.whole_step(str(value)))


def _han_number(han: str, group: Mapping[str, str | None]) -> tuple[Fraction, Fraction] | None:
    is_bare = not any(group[name] for name in ("unit", "scale", "hundredths", "ordinal"))
    if is_bare and not (len(han) >= _LONG and set(han) & set("十百千万亿")):
        return None  # 三 in a name, 百 in 百度
    if han == "一" and _kind(group)[0] == units.COUNT:
        return None  # 一个, 一家: an article
    value = numerals.of_han(han)
    is_whole = value.denominator == 1
    return value, numerals.whole_step(str(value)) if is_whole else Fraction(1, 10)


def _kind(group: Mapping[str, str | None]) -> tuple[str, Fraction]:
    """Return what is measured, and the size of the unit."""
    if group["ordinal"] or group["th"] or group["nth"]:
        return "ordinal", Fraction(1)
    if group["fraction"]:
        return "share", Fraction(1)
    if group["hundredths"]:
        return "share", Fraction(1, 100)
    if group["sign"]:
        return units.currency(group["sign"]), Fraction(1)
    return units.units().get((group["unit"] or "").casefold(), ("", Fraction(1)))


def _either(written: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(written, key=len, reverse=True)))


def _read_bound(*written: str | None) -> str:
    for word in written:
        for name, told in words.bounds().items():
            if word and word.casefold() in told:
                return name
    return ""
