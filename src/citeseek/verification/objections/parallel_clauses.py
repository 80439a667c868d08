"""Clauses of like shape, of which each has a name and a value of its own.

"A fell by 4 and B by 2" has every word of "A fell by 2 and B by 4". A pairing of the claim has to
be one of the passage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, takewhile

from citeseek.verification import words
from citeseek.verification.alignment import agree
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, is_each

_WHO = frozenset(map(words.stem, "who whose which whom where".split()))
_FROM = frozenset({"from", "由", "从", "自"})
# What says nothing by itself and is a part of names: 上行线, 下行线.
_PLACES = frozenset("上下中里内")
_TO = frozenset({"to", "到", "至", "达"})


def swaps(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find what the claim says of one of several that the passage says of another."""
    mine, theirs = _clauses(reading.claim), _clauses(reading.source)
    if len(theirs) > 1 and not any(is_each(reading.source, part[0]) for part in theirs):
        located = [_locate(reading, part, theirs) for part in mine]
        spread = [_single(places) for places in located]
        if _is_exchanged(reading, spread) or any(
            _is_of_another(reading, part, places, theirs)
            for part, places in zip(mine, spread, strict=True)
        ):
            yield Objection("order", refutes=False, decides=True)
        for places in located:
            at = _mispaired(reading, places, theirs)
            if at is not None:
                token = reading.claim[at]
                written = (claim[token.start : token.end],)
                yield Objection(token.kind, refutes=False, words=written, decides=True)
    if _is_turned_round(reading):
        yield Objection("order", refutes=False, decides=True)
    for at in _before_another(reading, mine):
        token = reading.claim[at]
        written = (claim[token.start : token.end],)
        yield Objection("number", refutes=False, words=written, decides=True)
    for at in _instead_of_another(reading):
        token = reading.claim[at]
        written = (claim[token.start : token.end],)
        yield Objection("name", refutes=False, words=written, decides=True)


def _clauses(read: Sequence[TextToken]) -> list[list[int]]:
    """Return the places of each clause that says something.

    A relative clause belongs to what stands before it, and of "from 3 in 2019 to 5 in 2020" each
    end is one.
    """
    found: list[list[int]] = [[]]
    for at, token in enumerate(read):
        if token.kind == "break":
            follows = next((one for one in read[at + 1 : at + 2]), None)
            if found[-1] and not (token.key == "|" and follows and follows.key in _WHO):
                found.append([])
            continue
        if token.key in _FROM | _TO and _has_rival_behind(read, at, found[-1]):
            found.append([])
        if token.weight or token.key in _PLACES:
            found[-1].append(at)
    return [part for part in found if part]


def _has_rival_behind(read: Sequence[TextToken], at: int, before: Sequence[int]) -> bool:
    """Whether a value follows the word at ``at`` that one of those ``before`` can be held to."""
    behind = next(iter(read[at + 1 : at + 2]), None)
    return behind is not None and any(_can_be_held(behind, read[place]) for place in before)


def _can_be_held(one: TextToken, other: TextToken) -> bool:
    """Whether two values measure the same, and are not the same."""
    if one.quantity and other.quantity:
        return one.quantity.measures_as(other.quantity) and one.quantity.value != (
            other.quantity.value
        )
    return bool(one.moment and other.moment and not agree(one, other))


def _locate(
    reading: Reading, part: Sequence[int], theirs: Sequence[Sequence[int]]
) -> Mapping[int, frozenset[int]]:
    """Return in which clauses of the passage each piece of ``part`` stands."""
    return {
        at: frozenset(
            clause for clause, places in enumerate(theirs) if _stands_in(reading, at, places)
        )
        for at in part
    }


def _single(located: Mapping[int, frozenset[int]]) -> Mapping[int, int]:
    """Return the clause of each piece that stands in one only."""
    return {at: next(iter(clauses)) for at, clauses in located.items() if len(clauses) == 1}


def _stands_in(reading: Reading, at: int, places: Sequence[int]) -> bool:
    claim, source = reading.claim, reading.source
    token = claim[at]
    # A single Chinese character counts with the next one only.
    is_single = token.kind == "han" and token.end - token.start == 1
    if not is_single:
        return any(agree(token, source[place]) for place in places)
    behind = next(iter(claim[at + 1 : at + 2]), None)
    if behind is None or behind.kind != "han" or behind.start != token.end:
        return False
    return any(
        source[place].key == token.key
        and place + 1 < len(source)
        and source[place + 1].key == behind.key
        and source[place + 1].start == source[place].end
        for place in places
    )


def _is_exchanged(reading: Reading, spread: Sequence[Mapping[int, int]]) -> bool:
    """Whether two clauses of the claim are each put together from the same two of the passage.

    A list of names has no order.
    """
    for one, other in combinations(spread, 2):
        shared = set(one.values()) & set(other.values())
        told = {
            places[at]
            for places in (one, other)
            for at in places
            if reading.claim[at].kind != "name"
        }
        if len(shared & told) > 1:
            return True
    return False


def _is_of_another(
    reading: Reading,
    part: Sequence[int],
    spread: Mapping[int, int],
    theirs: Sequence[Sequence[int]],
) -> bool:
    """Whether "A is D" is put together from "A is B" and "C is D"."""
    copulas = words.table("copulas")
    joint = next((at for at in range(part[0], part[-1]) if reading.claim[at].key in copulas), None)
    if joint is None:
        return False
    before = {clause for at, clause in spread.items() if at < joint}
    behind = {clause for at, clause in spread.items() if at > joint}
    return (
        bool(before)
        and bool(behind)
        and not before & behind
        and all(_is_whole(reading.source, theirs[clause]) for clause in before | behind)
    )


def _is_whole(source: Sequence[TextToken], places: Sequence[int]) -> bool:
    """Whether a clause says of something of its own what it is."""
    return any(source[at].key in words.table("copulas") for at in range(places[0] + 1, places[-1]))


def _mispaired(
    reading: Reading, located: Mapping[int, frozenset[int]], theirs: Sequence[Sequence[int]]
) -> int | None:
    """Return where a value stands that the passage pairs with another year or name than the claim.

    Both of its clauses have one of each.
    """
    own = [reading.claim[at] for at in located]
    for at, there in _single(located).items():
        value, away = reading.claim[at], [reading.source[place] for place in theirs[there]]
        if not value.is_value:
            continue
        for other, clauses in located.items():
            name = reading.claim[other]
            if not name.fact or there in clauses:
                continue
            beside = [reading.source[place] for one in clauses for place in theirs[one]]
            if any(_is_another(value, one, own) for one in beside) and any(
                _is_another(name, one, own) for one in away
            ):
                return at
    return None


def _is_another(token: TextToken, other: TextToken, own: Sequence[TextToken]) -> bool:
    """Whether ``other`` could stand in the place of ``token``, and is none of ``own``."""
    is_own = any(agree(one, other) for one in own)
    is_alike = _can_be_held(token, other) or (
        not token.is_value
        and not other.is_value
        and other.fact
        and (
            token.kind == other.kind == "name"
            or token.key.partition(".")[0] == other.key.partition(".")[0] != token.key
            or (token.key.startswith("place ") and other.key.startswith("place "))
        )
    )
    return is_alike and not is_own


def _is_turned_round(reading: Reading) -> bool:
    """Whether the passage says A是B的C where the claim says B是A的C."""
    claim = [one.key for one in reading.claim if one.kind != "break"]
    if "是" not in claim or "的" not in claim[claim.index("是") :]:
        return False
    joint = claim.index("是")
    of = claim.index("的", joint)
    turned = [*claim[joint + 1 : of], "是", *claim[:joint], *claim[of:]]
    source = [one.key for one in reading.source]
    return turned != claim and any(
        source[at : at + len(turned)] == turned for at in range(len(source) - len(turned) + 1)
    )


def _before_another(reading: Reading, mine: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the numbers before a word that the passage has behind another number.

    "1.2 km long and 400 m wide" does not say "400 m long".
    """
    claim, source = reading.claim, reading.source
    counted = [
        (one, _behind(source, place)) for place, one in enumerate(source) if one.kind == "number"
    ]
    for part in mine:
        own = [claim[at] for at in part]
        for at in part:
            word = _behind(claim, at)
            if claim[at].kind != "number" or word is None or word.is_value or word.kind == "name":
                continue
            told = [other for one, other in counted if agree(claim[at], one)]
            is_of_another = told and all(
                other and not other.is_value and other.key != word.key for other in told
            )
            if is_of_another and any(
                other and other.key == word.key and _is_another(claim[at], one, own)
                for one, other in counted
            ):
                yield at


def _behind(read: Sequence[TextToken], at: int) -> TextToken | None:
    """Return the next word of its clause behind the one at ``at``."""
    clause = takewhile(lambda one: one.kind != "break", read[at + 1 :])
    return next((one for one in clause if one.weight), None)


def _instead_of_another(reading: Reading) -> Iterator[int]:
    """Yield the names that the passage has in another sentence, and another one in their place.

    "He fouled Prado. Okoye scored" does not say "he fouled Okoye".
    """
    claim, source = reading.claim, reading.source
    places = {**reading.moved, **reading.found}
    told = [at for at, token in enumerate(claim) if token.weight]
    for before, verb, at in zip(told, told[1:], told[2:], strict=False):
        if claim[at].kind not in {"name", "han"} or not {before, verb, at} <= places.keys():
            continue
        first, second, there = places[before], places[verb], places[at]
        near = source[min(second, there) : max(second, there)]
        is_apart = any(one.key == "||" for one in near)
        is_phrase = first < second and not any(
            one.weight or one.kind == "break" for one in source[first + 1 : second]
        )
        other = _behind(source, second)
        is_other = other is not None and other.kind == claim[at].kind and other.key != claim[at].key
        if is_apart and is_phrase and is_other:
            yield at
