"""Values that a page does not write and that follow from those that it writes."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

from citeseek.verification.tokens import TextToken

_PERCENT = "share"
_AGES = frozenset({"", "age", "year"})
# More values are a table, in which some two have any difference.
_MOST = 12
_FEW = 12


def is_counted(token: TextToken) -> bool:
    """Whether a number is so small that a page may tell it by naming each: a son and a daughter."""
    number = token.quantity
    return number is not None and not number.kind and number.value <= _FEW


def is_derived(token: TextToken, text: Iterable[TextToken]) -> bool:
    """Whether a number is the difference of two in ``text``, or the years between.

    From 800 to 950 it is 150 more, and about 19 %; who was born in 1950 and died in 2020 lived to
    be 69 or 70.
    """
    quantity = token.quantity
    if quantity is None:
        return False
    told = list(dict.fromkeys(one for one in text if one.is_value))
    numbers = list(dict.fromkeys(one.quantity for one in told if one.quantity))[: _MOST + 1]
    years = list(dict.fromkeys(one.moment.year for one in told if one.moment and one.moment.year))
    if quantity.kind in _AGES and any(
        0 <= abs(one - other) - quantity.value <= 1 for one, other in combinations(years, 2)
    ):
        return True
    if len(numbers) > _MOST:
        return False
    return any(
        one.measures_as(other)
        and (
            (
                quantity.value == abs(one.value - other.value)
                and (quantity.measures_as(one) or quantity.measures_as(other))
            )
            or (
                quantity.kind == _PERCENT
                and _is_rate(quantity.value, quantity.step, one.value, other.value)
            )
        )
        for one, other in combinations(numbers, 2)
    )


def _is_rate(value: Fraction, step: Fraction, one: Fraction, other: Fraction) -> bool:
    """Whether ``value`` is by which share of itself ``one`` grew or shrank to ``other``."""
    return one != 0 and abs(abs(other - one) / abs(one) - abs(value)) <= step / 2
