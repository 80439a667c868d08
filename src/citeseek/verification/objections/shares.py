"""A number of some among others: "five of the nine judges", "one in ten", 七座，其中五座."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from citeseek.verification import words
from citeseek.verification.alignment import agree
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, tokens

# How many words may stand between the part and the whole: "three of the town's five gates".
_BETWEEN = 4
# How much of a Chinese whole stands before its part: 九名 法官 中 有 五名.
_WHOLE = 8
_AMONG = frozenset({"中", "里"})
_PER = "in"
_ONE = words.stem("one")


def shares(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find a number that the passage has of a whole where the claim has it of the part."""
    for at, to in (*reading.found.items(), *reading.moved.items()):
        token = reading.claim[at]
        if _is_one_of_each(reading, at, to):
            yield Objection("number", refutes=False, decides=True)
            return
        if token.kind != "number":
            continue
        if (
            _part_before(reading.source, to) != _part_before(reading.claim, at)
            or _is_of_the_part(reading, to)
            or (_is_per(reading.source, to) and not _is_of_a_number(reading.claim, at))
        ):
            written = (claim[token.start : token.end],)
            yield Objection("number", refutes=False, words=written, decides=True)
            return


def _is_one_of_each(reading: Reading, at: int, to: int) -> bool:
    """Whether the passage says "one in ten" of the thing at ``to``, and the claim says "one"."""
    claim, source = reading.claim, reading.source
    return (
        to > 0
        and bool(claim[at].weight)
        and source[to - 1].quantity is not None
        and at > 0
        and claim[at - 1].key == _ONE
        and _part_before(source, to - 1) == _ONE
    )


def _part_before(read: Sequence[TextToken], at: int) -> str:
    """Return the part before the whole at ``at``, empty when it is no whole: "one in ten"."""
    for place in range(at - 1, max(at - _BETWEEN - 1, 0), -1):
        token, before = read[place], read[place - 1]
        if token.kind == "break" or token.is_value:
            break
        is_of = token.key in _keys("of") and (place == at - 1 or before.weight or before.is_value)
        if is_of or (token.key == _PER and place == at - 1):
            part = read[place - 2] if before.key in _keys("out") and place > 1 else before
            if part.quantity:
                return repr(part.quantity.value)
            return _ONE if part.key == _ONE else ""
    return ""


def _is_per(read: Sequence[TextToken], at: int) -> bool:
    """Whether the number at ``at`` is so many in each of a larger number: "two in five"."""
    behind = [one.key for one in read[at + 1 : at + 3]]
    is_out_of = behind == ["out", "of"]
    whole = next(iter(read[at + 2 + is_out_of : at + 3 + is_out_of]), None)
    is_joined = is_out_of or behind[:1] == [_PER]
    return is_joined and whole is not None and whole.quantity is not None


def _is_of_a_number(read: Sequence[TextToken], at: int) -> bool:
    """Whether a number follows the one at ``at``: "two of five"."""
    behind = read[at + 1 : at + 4]
    return any(one.quantity is not None for one in behind)


def _is_of_the_part(reading: Reading, to: int) -> bool:
    """Whether the passage says of some of the number at ``to`` what the claim says of it all.

    九名法官中有五名反对 and "nine judges, of whom five dissented".
    """
    source = reading.source
    part = next(
        (
            place
            for place in range(to + 1, min(to + _WHOLE, len(source)))
            if source[place].quantity and _is_among(source, to, place)
        ),
        None,
    )
    if part is None:
        return False
    number = source[part].quantity
    is_told = any(one.quantity and number and agree(one, source[part]) for one in reading.claim)
    places = {**reading.moved, **reading.found}
    behind = [place for mine, place in places.items() if reading.claim[mine].weight]
    return not is_told and any(place > part for place in behind)


def _is_among(source: Sequence[TextToken], whole: int, part: int) -> bool:
    """Whether the number at ``part`` counts some of what the one at ``whole`` counts."""
    one, other = source[whole].quantity, source[part].quantity
    if not one or not other or not one.measures_as(other) or other.value >= one.value:
        return False
    between = source[whole + 1 : part]
    ends = [token for token in between if token.key == "||"]
    keys = [token.key for token in between]
    is_among = any(key in _AMONG or key in _keys("among") for key in keys)
    return not ends and is_among


@cache
def _keys(name: str) -> frozenset[str]:
    """Return the keys of a table of ``shares`` in words.toml."""
    return frozenset(tokens(word)[0].key for word in words.shares()[name].split())
