"""Numbers and dates that stand in a passage, but of something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeseek.verification.alignment import agree
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import JOINTS, TextToken, clause_start, is_each, segment

_OPEN_ENDS = frozenset({"到", "至", "to", "+0", "-0", "达"})
_FROM = frozenset({"from", "由", "从", "自"})


def numbers(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find numbers that are said of something else, or rounded."""
    for at, to in (*reading.found.items(), *reading.moved.items()):
        token = reading.claim[at]
        if token.kind != "number":
            continue
        written = (claim[token.start : token.end],)
        if agree(token, reading.source[to]) == "rounded":
            yield Objection("rounded", refutes=False, words=written)
        if _is_turned(reading, at, to) or (at in reading.found and _is_elsewhere(reading, at, to)):
            yield Objection("number", refutes=True, words=written)


def _is_turned(reading: Reading, at: int, to: int) -> bool:
    """Whether one says "from" the number and the other "to" it."""
    mine = reading.claim[at - 1].key if at else ""
    theirs = reading.source[to - 1].key if to else ""
    return (mine in _FROM and theirs in _OPEN_ENDS) or (mine in _OPEN_ENDS and theirs in _FROM)


def _is_elsewhere(reading: Reading, at: int, to: int) -> bool:
    """Whether another number of the kind stands between the number and what it is said of."""
    source = reading.source
    if is_each(source, to):
        return not _each(reading, to)
    before, after = _neighbour(reading, at, -1), _neighbour(reading, at, 1)
    between = source[to + 1 : after] if after is not None else ()
    rival = _rival(between, source[to])
    if rival is not None and not (rival and between[rival - 1].key in _FROM):
        return True
    if before is None or before > to:
        return False
    between = source[before + 1 : to]
    if _rival(between, source[to]) is None:
        return False
    # "$12 for adults and $6 for children": what follows tells whose number it is.
    last = between[-1]
    is_listed = last.kind == "break" or last.key in {*JOINTS, "的"}
    return last.key not in _OPEN_ENDS and not (is_listed and after is not None and after > to)


def _neighbour(reading: Reading, at: int, step: int) -> int | None:
    """Return where the nearest word of the claim, from ``at`` on, was found."""
    place = at + step
    while 0 <= place < len(reading.claim) and reading.claim[place].kind != "break":
        token = reading.claim[place]
        if token.weight and not token.is_value:
            return reading.found.get(place)
        place += step
    return None


def _rival(tokens: Sequence[TextToken], token: TextToken) -> int | None:
    """Return the place of a number that can be compared with that of ``token``."""
    return next(
        (
            at
            for at, one in enumerate(tokens)
            if one.quantity and token.quantity and one.quantity.measures_as(token.quantity)
        ),
        None,
    )


def _each(reading: Reading, to: int) -> bool:
    """Whether "A and B have 5 and 7, respectively" gives the claim's subject the number ``to``."""
    source = reading.source
    begin, end = segment(source, to)
    numbers = [place for place in range(begin, end) if source[place].kind == "number"]
    joints = [place for place in range(begin, numbers[0]) if source[place].key in JOINTS]
    heads = sorted(
        place
        for at, place in reading.found.items()
        if reading.claim[at].weight and begin <= place < numbers[0]
    )
    return bool(heads) and numbers.index(to) == sum(joint < heads[0] for joint in joints)


def dates(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find dates of something else, or with a part that the passage does not tell."""
    for at, to in (*reading.found.items(), *reading.moved.items()):
        token = reading.claim[at]
        if token.kind != "date":
            continue
        written = (claim[token.start : token.end],)
        part = reading.part_of(at)
        clauses = [
            reading.source[reading.found[place]].clause
            for place in part
            if place in reading.found and place != at and reading.claim[place].weight
        ]
        if _is_of_another(reading, to, clauses):
            yield Objection("date", refutes=True, words=written)
        elif agree(token, reading.source[to]) == "vague" and not _is_completed(reading, token):
            yield Objection("date", refutes=False, words=written)


def _is_of_another(reading: Reading, to: int, clauses: list[int]) -> bool:
    """Whether what is said stands under another date than the one at ``to``."""
    source, told = reading.source, reading.source[to]
    if not clauses:
        return False
    main = max(clauses, key=lambda clause: (clauses.count(clause), clause))
    if main != told.clause and any(
        one.kind == "date" and one.clause == main and not agree(told, one) for one in source
    ):
        return True
    if told.clause in clauses:
        return False
    begin, end = segment(source, clause_start(source, min(clauses)))
    near = [
        one
        for at, one in enumerate(source)
        if one.kind == "date"
        and (one.clause in clauses or (begin <= at < end and not begin <= to < end))
    ]
    return any(not agree(told, one) for one in near)


def _is_completed(reading: Reading, token: TextToken) -> bool:
    """Whether what one date of the passage leaves open stands in another one."""
    year = token.moment.year if token.moment else None
    return any(one.moment and one.moment.year == year for one in reading.source)
