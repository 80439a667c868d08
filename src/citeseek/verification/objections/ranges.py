"""A range, or values to choose from: one end of it is not the value."""

from __future__ import annotations

from collections.abc import Sequence

from citeseek.verification.reading import Reading
from citeseek.verification.tokens import TextToken

OPEN_ENDS = frozenset({"到", "至", "to", "+0", "-0", "达"})
FROM = frozenset({"from", "由", "从", "自"})
_ALTERNATIVES = frozenset({"到", "至", "to", "or", "或"})
# What says that it began then.
_SINCE = frozenset({"since", "sinc", "起", "始"})


def is_one_end(reading: Reading, at: int, to: int) -> bool:
    """Whether the passage has a range, or two values to choose from, and the claim one of them."""
    if _is_end_of_range(reading.claim, at):
        return False
    before = reading.claim[at - 1].key if at else ""
    return before not in OPEN_ENDS | FROM | _SINCE and _is_end_of_range(reading.source, to)


def _is_end_of_range(read: Sequence[TextToken], at: int) -> bool:
    return any(
        first >= 0 and other < len(read) and _is_range(read, first, other)
        for first, other in ((at - 2, at), (at - 1, at), (at, at + 1), (at, at + 2))
    )


def _is_range(read: Sequence[TextToken], first: int, other: int) -> bool:
    """Whether the two tokens are "500-700", "500 to 700", "500 or 700", "between 5 and 7"."""
    if not _is_ascending(read[first], read[other]):
        return False
    if other == first + 1:
        return read[other].start == read[first].end + 1
    before = read[first - 1].key if first else ""
    joint = read[first + 1].key
    return joint in _ALTERNATIVES or (joint == "and" and before == "between")


def _is_ascending(one: TextToken, other: TextToken) -> bool:
    if one.quantity and other.quantity:
        return one.quantity.measures_as(other.quantity) and one.quantity.value < (
            other.quantity.value
        )
    first, last = (token.moment.year if token.moment else None for token in (one, other))
    return first is not None and last is not None and first < last
