"""What turns a statement round or weakens it: opposites, negation, hedges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, takewhile

from citeseek.verification import words
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, clause_start, is_each, items, segment

_PASSIVE = frozenset({"被", "由", "by", "遭"})


def orders(reading: Reading) -> Iterator[Objection]:
    """Find words that stand in the passage the other way round."""
    moved = [at for at in reading.moved if not reading.claim[at].is_value]
    if not moved:
        return
    here = {token.key for token in reading.claim} & _PASSIVE
    there = {t.key for t in reading.source if t.clause in reading.used} & _PASSIVE
    places = {**reading.found, **reading.moved}
    content = [at for at in sorted(places) if reading.claim[at].weight]
    is_reversed = False
    for one, other in combinations(content, 2):
        tokens = reading.claim[one], reading.claim[other]
        if places[one] < places[other] or any(token.is_value for token in tokens):
            continue
        if _is_permuted(reading, places, one, other):
            continue
        is_reversed = True
        is_named = any(token.fact and not token.is_value for token in tokens)
        are_names = all(token.kind == "name" for token in tokens)
        is_apart = any(one < at < other for at in content if are_names or at in reading.found)
        is_exchanged = {one, other} <= set(moved)
        if is_apart and (is_named or is_exchanged) and bool(here) == bool(there):
            yield Objection("order", refutes=True)
            return
    if is_reversed:
        yield Objection("order", refutes=False)


def _is_permuted(reading: Reading, places: Mapping[int, int], one: int, other: int) -> bool:
    """Whether the two are things of one list, which the passage has in another order."""
    if is_each(reading.source, places[one]):
        return False
    begin, end = segment(reading.source, places[one])
    theirs = items(reading.source, range(begin, end))
    where = {place: at for at, item in enumerate(theirs) for place in item}
    mine = items(reading.claim, range(one, other + 1))
    things = [{where.get(places.get(at, -1), -1) for at in item} for item in mine]
    told = [at for thing in things for at in thing]
    return len(mine) > 1 and -1 not in told and len(set(told)) == len(told) == len(mine)


# How many words behind a negator its word stands.
_REACH = 3
# What weakens all of its sentence, whatever clause it stands in: conditions, and hearsay.
_CONDITIONS = frozenset(
    (
        "如果 若 假如 除非 倘若 一旦 假设 假想 有人认为 有人说 有人称 传说 据说 相传 网传 据传"
        " if unless"
    ).split()
)
# What stands before the colon of what is told to be judged, within the first words of a sentence.
_LABELS = frozenset(
    (
        *map(words.stem, ("claim", "rumour", "rumor", "myth", "belief", "correction")),
        *("说法", "传言", "网传", "更正"),
    )
)
_OPENING = 6
# "Some people say": nobody is named who would answer for it.
_SOMEBODY = {
    words.class_of("some"),
    *map(words.stem, ("many", "people", "others", "everybody", "everyone")),
}
_SAY = {words.class_of("said"), words.stem("think")}
# "It was formerly thought that": nobody says that it is so.
_THAT = words.stem("that")
_HELD = frozenset(
    map(
        words.stem,
        "thought believed assumed supposed feared dreamed dreamt pretended imagined hoped".split(),
    )
)
_QUESTIONS = frozenset(
    (*"是否 能否 是不是 能不能 会不会 有没有 要不要 可不可以 该不该".split(), words.stem("whether"))
)


def opposites(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find a word whose opposite stands where the rest of its clause was found."""
    against = words.class_of("against")
    places = set(reading.found.values())
    if against not in {token.key for token in reading.claim} and any(
        token.key == against and at - 1 in places and not places.isdisjoint({at + 1, at + 2})
        for at, token in enumerate(reading.source)
    ):
        yield Objection("opposite", refutes=True)
        return
    for at, to in reading.found.items():
        turned = words.opposite(reading.claim[at].key)
        if not turned:
            continue
        others = [
            reading.source[reading.found[place]].clause
            for place in reading.part_of(at)
            if place in reading.found and place != at and reading.claim[place].weight
        ]
        for one in reading.source:
            is_rest = others.count(one.clause) * 2 > len(others)
            if one.key == turned and one.clause != reading.source[to].clause and is_rest:
                written = claim[reading.claim[at].start : reading.claim[at].end]
                yield Objection("opposite", refutes=True, words=(written,))
                return


def negations(reading: Reading) -> Iterator[Objection]:
    """Find clauses that only one of the two negates."""
    told = {**reading.moved, **reading.found}
    for part in reading.parts:
        mine = sum(reading.claim[at].negates and not _is_second(reading.claim, at) for at in part)
        places = {told[at] for at in part if at in told}
        theirs = sum(
            _reaches(reading.source, at, places)
            for at, token in enumerate(reading.source)
            if token.negates
            and not _is_second(reading.source, at)
            and _is_most(reading.source, at, places)
            and not _is_corrected(reading.source, at, places)
        )
        if mine % 2 != theirs % 2:
            yield Objection("negation", refutes=not _is_denied_there(reading, part))


def _is_denied_there(reading: Reading, part: range) -> bool:
    """Whether the passage denies what the claim denies, in a sentence that has little else of it.

    "The lift stands there. It does not run in winter" denies with more words what is denied.
    """
    claim, source = reading.claim, reading.source
    denied = {
        there
        for at in part
        for place, there in reading.found.items()
        if claim[at].negates and claim[place].weight and _reaches(claim, at, {place})
    }
    return any(one.negates and _reaches(source, to, denied) for to, one in enumerate(source))


def _is_corrected(source: Sequence[TextToken], at: int, places: set[int]) -> bool:
    """Whether what is claimed is what a denial is put right with: "not in A, but in B"."""
    _, end = segment(source, at)
    joint = next((place for place in range(at + 1, end) if _puts_right(source, place)), None)
    if joint is None:
        return False
    denied = {place for place in range(at + 1, joint) if source[place].weight}
    told = {place for place in places if joint < place < end and source[place].weight}
    return bool(denied - places and told)


def _puts_right(source: Sequence[TextToken], at: int) -> bool:
    """Whether what is so follows what is not: "but", 而是."""
    behind = next(iter(source[at + 1 : at + 2]), None)
    return source[at].key == "but" or (
        source[at].key == "而" and behind is not None and behind.key == "是"
    )


def _is_second(source: Sequence[TextToken], at: int) -> bool:
    """Whether it is the "nor" of "neither … nor", which denies nothing anew."""
    begin, _ = segment(source, at)
    return source[at].key == _NOR and any(one.key == _NEITHER for one in source[begin:at])


def _is_most(source: Sequence[TextToken], at: int, places: set[int]) -> bool:
    """Whether half of ``places`` or more stand in the segment around ``at``."""
    begin, end = segment(source, at)
    told = [place for place in places if source[place].weight]
    return 2 * sum(begin <= place < end for place in told) >= len(told)


def _reaches(source: Sequence[TextToken], at: int, places: set[int]) -> bool:
    """Whether the negator at ``at`` negates one of ``places``."""
    seen = 0
    for place in range(at + 1, len(source)):
        token = source[place]
        if token.clause != source[at].clause or seen > _REACH:
            break
        if token.weight:
            seen += 1
            if place in places:
                return True
    return False


_NEITHER, _NOR = words.stem("neither"), words.stem("nor")
_WILL = "将"
# What stands before a verb that has not happened yet: "will open", "was asked to open".
_YET_TO_BE = frozenset(map(words.stem, ("to", "will", "would", "shall")))
_BE = words.stem("be")
_PLANNED = tuple(
    frozenset(map(words.stem, each))
    for each in (("is", "are", "was", "were"), ("to",), ("be", "have"))
)


def hedges(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find a plan, a wish, a guess, a condition or a question that the claim leaves out."""
    own = {token.key for token in reading.claim if token.hedges}
    if own - {_WILL}:
        # A plan is not told by the question whether there is one.
        if not own & _QUESTIONS and any(_is_asked(reading, clause) for clause in reading.used):
            yield Objection("hedge", refutes=False)
        return
    if any(_is_planned(reading, at, to, claim) for at, to in reading.found.items()):
        yield Objection("hedge", refutes=False)
        return
    of_sentence = _CONDITIONS | words.table("refuters")
    for clause in reading.used:
        begin, end = segment(reading.source, clause_start(reading.source, clause))
        if (
            _is_asked(reading, clause)
            or _is_hearsay(reading.source[begin:end])
            or any(
                token.hedges
                and token.key not in own
                and (token.clause == clause or token.key in of_sentence)
                for token in reading.source[begin:end]
            )
        ):
            yield Objection("hedge", refutes=False)
            return


def _is_hearsay(sentence: Sequence[TextToken]) -> bool:
    """Whether a sentence begins like "Claim: …", "Rumour: …" or "Some people say that …"."""
    opening = [token.key for token in sentence[:_OPENING]]
    label = "".join(takewhile(lambda key: key != "|", opening))
    return ("|" in opening and label in _LABELS) or any(
        (one in _SOMEBODY and other in _SAY) or (one in _HELD and other == _THAT)
        for one, other in pairwise(opening)
    )


def _is_planned(reading: Reading, at: int, to: int, claim: str) -> bool:
    """Whether the passage says of the claim's word ``at`` only that it was to be."""
    source, token = reading.source, reading.claim[at]
    before = source[max(to - len(_PLANNED), 0) : to]
    if len(before) == len(_PLANNED) and all(
        each.key in keys for each, keys in zip(before, _PLANNED, strict=True)
    ):
        return True
    if len(before) > 1 and before[-1].key == _BE and before[-2].key in _YET_TO_BE:
        return not any(one.key in _YET_TO_BE | {_BE} for one in reading.claim[max(at - 2, 0) : at])
    if not to or token.kind != "word" or source[to - 1].key not in _YET_TO_BE:
        return False
    is_kept = at > 0 and reading.claim[at - 1].key == source[to - 1].key
    return not is_kept and words.is_past(claim[token.start : token.end])


def _is_asked(reading: Reading, clause: int) -> bool:
    """Whether the sentence around ``clause`` of the passage is a question, or tells of one."""
    source = reading.source
    begin, end = segment(source, clause_start(source, clause))
    is_marked = end < len(source) and source[end].hedges
    return is_marked or any(
        token.key in _QUESTIONS and token.clause == clause for token in source[begin:end]
    )
