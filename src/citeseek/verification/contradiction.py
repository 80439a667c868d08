"""The one value, name or polarity in which a passage differs from a claim that it else repeats."""

from __future__ import annotations

from collections.abc import Sequence

from citeseek.verification import words
from citeseek.verification.alignment import agree
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import Token

# What stands in the place of one value is no longer than this; more is another statement.
_PLACE = 4
_POLARITY = frozenset({"negation", "opposite"})


def contradiction(
    reading: Reading, against: Sequence[Objection], text: Sequence[Token]
) -> Objection | None:
    """Return what ``reading`` differs in when that is all, None when it is more or cannot be told.

    ``against`` are the objections to the claim. A value or name that stands anywhere in ``text``,
    the whole source, is not contradicted: the page may say so in another sentence.
    """
    if len(against) != 1 or not against[0].refutes:
        return None
    only = against[0]
    if not reading.missing:
        return only if only.reason in _POLARITY and not reading.moved else None
    first, last = reading.missing[0], reading.missing[-1]
    lost = [reading.claim[at] for at in reading.missing]
    if last - first >= len(lost) or any(agree(one, other) for one in lost for other in text):
        return None
    there = [token for token in _instead(reading, first, last) if token.weight or token.is_value]
    is_replaced = len(lost) == len(there) == 1 and _is_rival(lost[0], there[0])
    is_renamed = lost and there and all(one.kind == "name" for one in (*lost, *there))
    return only if is_replaced or is_renamed else None


def _instead(reading: Reading, first: int, last: int) -> Sequence[Token]:
    """Return what the passage has between the neighbours of the places ``first`` to ``last``."""
    before = max((at for at in reading.found if at < first), default=None)
    after = min((at for at in reading.found if at > last), default=None)
    begin = None if before is None else reading.found[before] + 1
    end = None if after is None else reading.found[after]
    if begin is None:
        if end is None:
            return ()
        begin = max(0, end - (last - first + 1) - 1)
    elif end is None:
        end = begin + (last - first + 1) + 1
    between = reading.source[begin:end]
    return between if len(between) <= _PLACE else ()


def _is_rival(claim: Token, source: Token) -> bool:
    """Whether of two tokens only one can be true in one place."""
    if claim.quantity and source.quantity:
        return claim.quantity.measures_as(source.quantity)
    if claim.moment and source.moment:
        return True
    if words.opposite(claim.key):
        return words.opposite(claim.key) == source.key
    return _family(claim) != "" and _family(claim) == _family(source)


def _family(token: Token) -> str:
    """Return what kind of thing a word of a closed list names, such as weekdays, or places."""
    if token.key.startswith("1of"):
        return token.key.partition(".")[0]
    return "place" if token.key.startswith("place ") else ""
