"""The one value, name or polarity in which a passage differs from a claim that it else repeats."""

from __future__ import annotations

from collections.abc import Sequence

from citeseek.verification import words
from citeseek.verification.alignment import agree
from citeseek.verification.derived_values import is_derived
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, segment
from citeseek.verification.values.units import COUNT

# What stands in the place of a name is no longer than this; more is another statement.
_PLACE = 4
# A value may stand behind more: "born in Freetown, Massachusetts on December 19, 1784".
_VALUE_PLACE = 12
# How far a number stands from what it counts.
_COUNTED = 2
_SMALLER = frozenset({"month", "day", "time", "length", "mass"})
_POLARITY = frozenset({"negation", "opposite"})
_COUNTS = frozenset({"", COUNT, "person"})
# What is so of adults may be so of children.
_PEOPLE = words.class_of("children").partition(".")[0]
_VALUES = frozenset({"number", "date"})
# Beside another value a passage may begin with more than the claim is about.
_VALUE_REASONS = frozenset({"number", "date", "subject"})


def contradiction(
    reading: Reading, against: Sequence[Objection], text: Sequence[TextToken]
) -> Objection | None:
    """Return what ``reading`` differs in when that is all, None when it is more or cannot be told.

    ``against`` are the objections to the claim. A value or name that stands anywhere in ``text``,
    the whole source, is not contradicted: the page may say so in another sentence.
    """
    refuting = next((one for one in against if one.refutes), None)
    if refuting is None:
        return None
    if not reading.missing:
        is_all = len(against) == 1 and refuting.reason in _POLARITY and not reading.moved
        return refuting if is_all else None
    lost = [reading.claim[at] for at in reading.missing]
    if any(is_derived(token, reading.source) for token in lost):
        return None
    if any(token.moment for token in lost) and _is_one_of_several(reading):
        return None
    if len(lost) == 1 and _is_turned_bound(reading, reading.missing[0]):
        return None
    if len(lost) == 1 and lost[0].is_value and _has_other_value(reading, reading.missing[0]):
        is_all = {one.reason for one in against} <= _VALUE_REASONS
    else:
        # One word may be objected to as missing and as turned round.
        is_one = len({one.words for one in against}) == 1 and refuting.words != ()
        is_all = is_one and _is_replaced(reading, lost)
    return refuting if is_all and not any(_is_told(one, text) for one in lost) else None


def _is_turned_bound(reading: Reading, at: int) -> bool:
    """Whether a claim begins with those below a number, and the passage speaks of those above it.

    What is so of children over 6 may be so of those under 6.
    """
    mine = reading.claim[at].quantity
    if mine is None or mine.kind in _COUNTS or any(one.weight for one in reading.claim[:at]):
        return False
    return any(
        one.quantity is not None
        and one.quantity.value == mine.value
        and "" not in {mine.bound, one.quantity.bound}
        and one.quantity.bound != mine.bound
        for one in reading.source
    )


def other_value(
    reading: Reading, against: Sequence[Objection], text: Sequence[TextToken]
) -> Objection | None:
    """Return in which value or polarity ``reading`` differs, whatever else it says.

    As above what stands anywhere in ``text`` is no difference, and a value has to have another one
    of its kind in the passage. Whether both are said of the same thing somebody else must know.
    """
    lost = [reading.claim[at] for at in reading.missing if reading.claim[at].is_value]
    if any(_is_told(one, text) for one in lost):
        return None
    if lost and not all(any(_is_rival(one, there) for there in reading.source) for one in lost):
        return None
    reasons = _VALUES if lost else _POLARITY
    return next((one for one in against if one.refutes and one.reason in reasons), None)


def has_rival(reading: Reading) -> bool:
    """Whether words of the claim stand beside another value than its own, or another fact."""
    own = [token for token in reading.claim if token.fact]
    lost = [reading.claim[at] for at in reading.missing]
    keys = {token.key for token in reading.claim if token.weight}
    clauses = {token.clause for token in reading.source if token.key in keys}
    return any(
        _is_rival(mine, there) and not any(agree(one, there) for one in own)
        for there in reading.source
        if there.clause in clauses
        for mine in own
        if mine.is_value or mine in lost
    )


def _is_one_of_several(reading: Reading) -> bool:
    """Whether the passage tells of a first, a last or another time: other days are right too."""
    own = {token.key for token in reading.claim}
    several = {words.classes().get(key, key) for key in words.table("several")}
    return any(token.key in several - own for token in reading.source)


def _is_replaced(reading: Reading, lost: Sequence[TextToken]) -> bool:
    """Whether another one of its kind stands in the place of what is ``lost``, or other names."""
    first, last = reading.missing[0], reading.missing[-1]
    if last - first >= len(lost):
        return False
    there = [token for token in _instead(reading, first, last) if token.weight or token.is_value]
    if len(lost) == len(there) == 1 and _is_rival(lost[0], there[0]):
        return not _goes_on(reading.source, reading.source.index(there[0]))
    return bool(there) and all(one.kind == "name" for one in (*lost, *there))


def _is_told(token: TextToken, text: Sequence[TextToken]) -> bool:
    """Whether ``text`` has the token anywhere; a number without a unit may be any of its size."""

    def is_bare_number(other: TextToken) -> bool:
        one, two = token.quantity, other.quantity
        return bool(one and two and one.value == two.value and "" in {one.kind, two.kind})

    return any(agree(token, other) or is_bare_number(other) for other in text)


def _has_other_value(reading: Reading, at: int) -> bool:
    """Whether one value of its kind stands in the place of the claim's value at ``at``, no more."""
    claim, source = reading.claim[at], reading.source
    before = _neighbour(reading, at, -1)
    after = _neighbour(reading, at, 1)
    if (before is None and after is None) or (before is not None is not after and before > after):
        return False
    begin, end = segment(source, before if before is not None else after or 0)
    begin = max(begin, 0 if before is None else before + 1, (after or 0) - _VALUE_PLACE)
    end = min(end, len(source) if after is None else after, begin + _VALUE_PLACE)
    rivals = [place for place in range(begin, end) if _is_rival(claim, source[place])]
    if len(rivals) != 1 or _goes_on(source, rivals[0]):
        return False
    if claim.quantity is None or claim.quantity.kind:
        return True
    # A bare number counts what stands behind it.
    return after is not None and after - rivals[0] <= _COUNTED


def _goes_on(source: Sequence[TextToken], at: int) -> bool:
    """Whether a smaller unit follows the number at ``at``: 4 years and 10 months are not 4."""
    behind = [one for one in source[at + 1 : at + 3] if one.key != "and"][:1]
    return any(one.quantity is not None and one.quantity.kind in _SMALLER for one in behind)


def _neighbour(reading: Reading, at: int, step: int) -> int | None:
    """Return where the next word of the claim from ``at`` on stands in the passage."""
    place = at + step
    while 0 <= place < len(reading.claim):
        if reading.claim[place].weight:
            return reading.found.get(place)
        place += step
    return None


def _instead(reading: Reading, first: int, last: int) -> Sequence[TextToken]:
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


def _is_rival(claim: TextToken, source: TextToken) -> bool:
    """Whether of two tokens only one can be true in one place."""
    if claim.quantity and source.quantity:
        return claim.quantity.rivals(source.quantity)
    if claim.moment and source.moment:
        return True
    if words.opposite(claim.key):
        return words.opposite(claim.key) == source.key
    return _family(claim) not in {"", _PEOPLE} and _family(claim) == _family(source)


def _family(token: TextToken) -> str:
    """Return what kind of thing a word of a closed list names, such as weekdays, or places."""
    if token.key.startswith("1of"):
        return token.key.partition(".")[0]
    return "place" if token.key.startswith("place ") else ""
