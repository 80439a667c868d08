"""A number with what it measures: read from text, compared with another one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from string import ascii_lowercase, digits

import msgspec

from citeseek.verification import numerals, units, words

# How far a rounded number may be from the exact one, as a share of it.
_ROUNDED_BY = Fraction(1, 20)
_ABOUT_BY = Fraction(1, 10)
# What is given in miles and in kilometres is rounded in both.
_CONVERTED_BY = Fraction(1, 10)
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
# Which bounds of a source say, of one number, what each bound of a claim says.
_SAME_NUMBER = {
    "": {""},
    "about": {"", "about", "nearly"},
    "nearly": {"nearly"},
    "over": {"over"},
    "at_least": {"at_least", "over"},
    "under": {"under", "nearly"},
    "at_most": {"at_most", "under", "nearly"},
}
_UPWARDS, _DOWNWARDS = frozenset({"over", "at_least"}), frozenset({"under", "at_most"})
# Chinese numerals without a unit: 三百二 is a number, 百度 is none.
_LONG = 3
# Longer runs of digits are no numbers that anybody compares, and int() refuses very long ones.
_MAX_CHARS = 60
_DECIMAL = re.compile(r"\d{1,4}\.\d{1,4}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_NAME = re.compile(r"([A-Z][\w.+#-]*|(?:version|release)s?|版本|版)[ ]?\Z")
_NAME_CHARS = 40
CLOCK = "clock"
_HALF_DAY = 12 * 60
# What joins two numbers of one unit: "2 or 3 hours", "between 300 and 450 million".
_JOINT = re.compile(r" ?(?:(?:to|or)\b|[-–—~～至到或]) ?")
_AND = re.compile(r" and ")
_BETWEEN = re.compile(r"\bbetween $")


class Quantity(msgspec.Struct, frozen=True):
    """``value`` in the plain unit of ``kind`` (empty when no unit is named).

    ``step`` is the place of its last digit; ``bound`` is over, at_least, under, at_most, nearly,
    about or empty. ``decimal``
    is a bare decimal number as it is written, and ``is_version`` says that it counts the versions
    of something: 3.10 is not 3.1 then. ``is_vague`` is true of a time
    of day without its half.
    """

    value: Fraction
    step: Fraction
    kind: str = ""
    bound: str = ""
    decimal: str = ""
    is_version: bool = False
    is_vague: bool = False

    def fit(self, source: Quantity) -> str:
        """Return how this number of a claim agrees with one of a source.

        ``exact``; ``rounded`` when it is the other one rounded, or its bound (more than, less
        than) is another; empty when it does not agree.
        """
        if not self.measures_as(source):
            return ""
        if self.kind == CLOCK:
            return self._fit_hours(source)
        if (self.is_version or source.is_version) and self.decimal and source.decimal:
            return "exact" if self.decimal == source.decimal else ""
        if self._is_thousandfold(source) or source._is_thousandfold(self):
            return "rounded"  # 40.000 may be either
        if self.value == source.value:
            return self._fit_bound(source)
        return self._fit_near(source)

    def _fit_near(self, source: Quantity) -> str:
        away = abs(self.value - source.value)
        if self.bound in _UPWARDS and source.bound not in _DOWNWARDS:
            is_near = self.value < source.value <= self.value + self.step
        elif self.bound in _DOWNWARDS and source.bound not in _UPWARDS:
            is_near = self.value - self.step <= source.value < self.value
        else:
            is_near = (
                self.step > source.step
                and source.bound not in _UPWARDS | _DOWNWARDS
                and not (self.bound == "nearly" and source.value > self.value)
                and away * 2 < self.step
                and away <= abs(source.value) * (_ABOUT_BY if self.bound else _ROUNDED_BY)
            )
        if is_near:
            return "exact" if self.bound else "rounded"
        # Two thirds are 66.7 %.
        is_part = self.step == 0 and not source.bound and away * 2 <= source.step
        return "rounded" if is_part else ""

    def _fit_hours(self, source: Quantity) -> str:
        """Return how two times of day agree: "at 7:30" is told by "at 19:30"."""
        if self.value == source.value and self.is_vague == source.is_vague:
            return "exact"
        is_same = (self.value - source.value) % _HALF_DAY == 0
        if not is_same or not (self.is_vague or source.is_vague):
            return ""
        return "exact" if self.is_vague else "rounded"

    def _fit_bound(self, source: Quantity) -> str:
        if source.bound in _SAME_NUMBER[self.bound]:
            return "exact"
        bounds = {self.bound, source.bound}
        is_turned = bounds & _UPWARDS and bounds & (_DOWNWARDS | {"nearly"})
        is_beyond = self.bound in {"over", "under"} and not source.bound
        return "" if is_turned or is_beyond else "rounded"

    def _is_thousandfold(self, other: Quantity) -> bool:
        return _THOUSANDS.fullmatch(self.decimal) is not None and self.value * 1000 == other.value

    def measures_as(self, other: Quantity) -> bool:
        """Whether the two can be compared; a bare number may count anything, or years of age."""
        kinds = {self.kind, other.kind}
        # "Pounds" are money or a weight.
        return (
            len(kinds) == 1
            or kinds == {"pound", "lb"}
            or ("" in kinds and kinds <= {"", units.COUNT, "person", "age"})
        )

    def rivals(self, other: Quantity) -> bool:
        """Whether of the two only one can be true in one place, if they do not agree.

        Miles and kilometres may be the same length. Of two currencies the same figure is not the
        same amount; other figures may be.
        """
        if self.measures_as(other):
            return True
        if units.are_changing(self.kind, other.kind):
            return self.value == other.value
        (kind, size), (others, its_size) = units.common(self.kind), units.common(other.kind)
        one, two = self.value * size, other.value * its_size
        return kind == others and abs(one - two) > abs(two) * _CONVERTED_BY


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
