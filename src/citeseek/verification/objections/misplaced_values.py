"""Numbers and dates that stand in a passage, but of something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from citeseek.verification import words
from citeseek.verification.alignment import agree
from citeseek.verification.objections.comparisons import comparisons, contrasts, labels
from citeseek.verification.objections.ranges import FROM, OPEN_ENDS, is_one_end
from citeseek.verification.objections.shares import shares
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import (
    JOINTS,
    TextToken,
    clause_start,
    is_each,
    items,
    segment,
)

_TOTALS = {words.stem("together"), words.stem("combined"), words.stem("jointly")} | {
    words.class_of("共"),
    "共有",
    "总共",
}
# How far behind a word its date stands.
_DATED = 3


def numbers(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find numbers that are said of something else, or rounded."""
    for at, to in (*reading.found.items(), *reading.moved.items()):
        token = reading.claim[at]
        if token.kind != "number":
            continue
        written = (claim[token.start : token.end],)
        if agree(token, reading.source[to]) == "rounded" or is_one_end(reading, at, to):
            yield Objection("rounded", refutes=False, words=written)
        if _is_turned(reading, at, to) or (at in reading.found and _is_elsewhere(reading, at, to)):
            yield Objection("number", refutes=True, words=written)
        elif _is_of_another_word(reading, at, to):
            yield Objection("number", refutes=False, words=written, decides=True)
        elif _is_shared(reading, to) or _is_name_for_count(reading, at, to):
            yield Objection("number", refutes=False, words=written)
    yield from shares(reading, claim)
    yield from comparisons(reading, claim)
    yield from contrasts(reading)
    yield from labels(reading)


def _is_of_another_word(reading: Reading, at: int, to: int) -> bool:
    """Whether another word stands before the number: "killed 12 and injured others"."""
    claim, source = reading.claim, reading.source
    before = next((place for place in range(at - 1, -1, -1) if claim[place].weight), None)
    if before is None or not {at, before} & reading.moved.keys():
        return False
    theirs = next((one for one in reversed(source[:to]) if one.weight or one.kind == "break"), None)
    own = {one.key for one in claim}
    return theirs is not None and bool(theirs.weight) and theirs.key not in own


def _is_name_for_count(reading: Reading, at: int, to: int) -> bool:
    """Whether one of the two numbers a thing that the other counts: "house 12", "12 houses"."""
    claim, source = reading.claim, reading.source
    sides = [
        (at + step, to - step)
        for step in (-1, 1)
        if 0 <= at + step < len(claim) and 0 <= to - step < len(source)
    ]
    return any(
        claim[mine].kind == "word"
        and claim[mine].weight
        and claim[mine].key == source[theirs].key
        and not (
            0 <= 2 * to - theirs < len(source) and source[2 * to - theirs].key == claim[mine].key
        )
        for mine, theirs in sides
    )


def _is_shared(reading: Reading, to: int) -> bool:
    """Whether the passage counts what several have, of whom the claim does not name all.

    "136 clubs across Chile and Peru" does not tell how many are in Chile.
    """
    source = reading.source
    begin, end = segment(source, to)
    own = {token.key for token in reading.claim}
    is_total = any(token.key in _TOTALS for token in source[begin:end])
    listed = [item for item in items(source, range(begin, to if is_total else end)) if item]
    return not is_each(source, to) and any(
        (source[one[-1]].key in own) != (source[other[0]].key in own)
        and (is_total or _is_list_of_names(source[one[-1] : end]))
        for one, other in pairwise(listed)
    )


def _is_list_of_names(tokens: Sequence[TextToken]) -> bool:
    """Whether ``tokens`` begin with names, one after the other up to the last, before an "and"."""
    names = list(takewhile(lambda one: one.key == "|" or _is_name(one), tokens))
    rest = [token for token in tokens[len(names) :] if token.weight or token.key in JOINTS]
    return len(rest) > 1 and rest[0].key in JOINTS and _is_name(names[0]) and _is_name(rest[1])


def _is_name(token: TextToken) -> bool:
    return token.kind == "name" or token.key.startswith("place ")


def _is_turned(reading: Reading, at: int, to: int) -> bool:
    """Whether one says "from" the number and the other "to" it."""
    mine = reading.claim[at - 1].key if at else ""
    theirs = reading.source[to - 1].key if to else ""
    return (mine in FROM and theirs in OPEN_ENDS) or (mine in OPEN_ENDS and theirs in FROM)


def _is_elsewhere(reading: Reading, at: int, to: int) -> bool:
    """Whether another number of the kind stands between the number and what it is said of."""
    source = reading.source
    if is_each(source, to):
        return not _each(reading, to)
    before, after = _neighbour(reading, at, -1), _neighbour(reading, at, 1)
    rival = _rival(reading, range(to + 1, after), source[to]) if after is not None else None
    if rival is not None and not (rival > to + 1 and source[rival - 1].key in FROM):
        return True
    if before is None or before > to:
        return False
    if _rival(reading, range(before + 1, to), source[to]) is None:
        return False
    # "$12 for adults and $6 for children": what follows tells whose number it is.
    last = source[to - 1]
    is_listed = last.kind == "break" or last.key in {*JOINTS, "的"}
    return last.key not in OPEN_ENDS and not (is_listed and after is not None and after > to)


def _neighbour(reading: Reading, at: int, step: int) -> int | None:
    """Return where the nearest word of the claim, from ``at`` on, was found."""
    place = at + step
    while 0 <= place < len(reading.claim) and reading.claim[place].kind != "break":
        token = reading.claim[place]
        if token.weight and not token.is_value:
            return reading.found.get(place)
        place += step
    return None


def _rival(reading: Reading, places: range, token: TextToken) -> int | None:
    """Return where a number stands that can be compared with ``token`` and that the claim lacks."""
    told = reading.found.values()
    return next(
        (
            at
            for at in places
            if at not in told
            and (one := reading.source[at].quantity)
            and token.quantity
            and one.measures_as(token.quantity)
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


def pairings(reading: Reading) -> Iterator[Objection]:
    """Find a word that "A and B won gold and silver, respectively" says of another than the claim.

    Of the joints the first half parts those that are spoken of, the second half what is said; in
    the middle stand the last of the one and the first of the other.
    """
    for at, to in reading.found.items():
        token = reading.claim[at]
        if not token.weight or token.is_value or not is_each(reading.source, to):
            continue
        begin, end = segment(reading.source, to)
        joints = _joints(reading.source, begin, end)
        half = len(joints) // 2
        numbers = sum(one.quantity is not None for one in reading.source[begin:end])
        if not half or numbers > 1 or is_each(reading.claim, at):
            return
        if len(joints) % 2:
            yield Objection("order", refutes=False)
            return
        middle = [at for at in range(joints[half - 1], joints[half]) if reading.source[at].weight]
        heads = sorted(place for place in reading.found.values() if begin <= place < joints[half])
        head = next((place for place in heads if reading.source[place].weight), None)
        if head is None or not middle or to < middle[-1] or to == middle[0] or head > middle[0]:
            continue
        if sum(joint < to for joint in joints[half:]) != sum(one < head for one in joints[:half]):
            yield Objection("order", refutes=True)
            return


def _joints(source: Sequence[TextToken], begin: int, end: int) -> list[int]:
    """Return where the things of lists are parted: ", and" parts them once."""
    last = max((at for at in range(begin, end) if source[at].weight), default=begin)
    return [at for at in range(begin, last) if source[at].key in JOINTS and source[at - 1].weight]


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
        if _is_of_another(reading, to, clauses) or _has_another(reading, at, to):
            yield Objection("date", refutes=True, words=written)
        elif is_one_end(reading, at, to):
            yield Objection("date", refutes=False, words=written, decides=True)
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


def _has_another(reading: Reading, at: int, to: int) -> bool:
    """Whether another date stands right behind the word that the claim dates.

    "Recorded in 2010 and released in 2011" does not say "released in 2010".
    """
    near = range(max(at - _DATED, 0), at)
    before = next((place for place in reversed(near) if reading.claim[place].weight), None)
    # In Chinese a date stands before its word.
    if before is None or reading.claim[before].kind == "han":
        return False
    verb = {**reading.moved, **reading.found}.get(before)
    if verb is None or verb == to - 1:
        return False
    behind = reading.source[verb + 1 : verb + 1 + _DATED]
    read = takewhile(lambda one: not one.weight or one.kind == "date", behind)
    dated = [one for one in read if one.kind == "date"]
    return bool(dated) and not any(agree(reading.claim[at], one) for one in dated)


def _is_completed(reading: Reading, token: TextToken) -> bool:
    """Whether what one date of the passage leaves open stands in another one."""
    year = token.moment.year if token.moment else None
    return any(one.moment and one.moment.year == year for one in reading.source)
