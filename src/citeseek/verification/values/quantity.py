"""A number with what it measures, compared with another one."""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

from citeseek.verification.values import units

# How far a rounded number may be from the exact one, as a share of it.
_ROUNDED_BY = Fraction(1, 20)
_ABOUT_BY = Fraction(1, 10)
# What is given in miles and in kilometres is rounded in both.
_CONVERTED_BY = Fraction(1, 10)
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
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
CLOCK = "clock"
_HALF_DAY = 12 * 60


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
