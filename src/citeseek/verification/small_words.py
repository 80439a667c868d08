"""Small words that decide: "fell by 5" is not "fell to 5", nor "the first" "one of the first"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, tokens

# Words of one line mean the same before a value or a name, those of two do not.
_DIRECTIONS = ("to into 到 至", "by 了", "from since 从 自", "until till through")
# Beside a time these say that it is the time itself.
_TIMES = "in on at during"
_TOP = (
    "largest biggest highest tallest greatest most smallest lowest least longest shortest oldest "
    "earliest newest latest youngest fastest deepest best worst first last only"
)
# How far before a word its preposition may stand, and "one of the" before a superlative.
_BEFORE, _ONE_OF = 2, 3


def differing_small_words(reading: Reading) -> Iterator[int]:
    """Yield the places of the claim whose small word in the passage is another."""
    return (at for at, to in reading.found.items() if _is_other(reading, at, to))


def _is_other(reading: Reading, at: int, to: int) -> bool:
    token = reading.claim[at]
    if token.key in _top():
        return _is_one_of_more(reading, at, to) or _is_narrower(reading, at)
    return bool(token.weight) and _differ(
        _direction(reading.claim, at), _direction(reading.source, to)
    )


def small_words(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find what a small word makes another statement, perhaps in words for the same."""
    for at in differing_small_words(reading):
        token = reading.claim[at]
        yield Objection("word", refutes=False, words=(claim[token.start : token.end],))


def _differ(one: str, other: str) -> bool:
    return bool(one and other) and one != other


def _direction(read: Sequence[TextToken], at: int) -> str:
    """Return what stands before the word at ``at``: which direction, empty for none."""
    for place in range(at - 1, max(at - _BEFORE, 0) - 1, -1):
        before = read[place]
        if found := _directions().get(before.key, ""):
            return found if found != _TIMES or read[at].moment else ""
        if before.weight or before.kind == "break":
            break
    return ""


def _is_one_of_more(reading: Reading, at: int, to: int) -> bool:
    """Whether the passage says "one of the first" where the claim says "the first"."""
    return _is_one_of(reading.source, to) and not _is_one_of(reading.claim, at)


def _is_one_of(read: Sequence[TextToken], at: int) -> bool:
    keys = [token.key for token in read[max(at - _ONE_OF, 0) : at]]
    among, one_of = _among()
    return among in keys or one_of in pairwise(keys)


def _is_narrower(reading: Reading, at: int) -> bool:
    """Whether the passage says it of fewer: "the first stone bridge" for "the first bridge"."""
    after = at + 1
    if after not in reading.found or not reading.claim[after].weight:
        return False
    own = {token.key for token in reading.claim}
    between = reading.source[reading.found[at] + 1 : reading.found[after]]
    return any(one.weight and not one.is_value and one.key not in own for one in between)


@cache
def _directions() -> Mapping[str, str]:
    return {tokens(word)[0].key: line for line in (*_DIRECTIONS, _TIMES) for word in line.split()}


@cache
def _top() -> frozenset[str]:
    return frozenset(tokens(word)[0].key for word in _TOP.split())


@cache
def _among() -> tuple[str, tuple[str, str]]:
    among, one, of = (tokens(word)[0].key for word in ("among", "one", "of"))
    return among, (one, of)
