"""Whether a passage speaks of what the claim speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from citeseek.verification import words
from citeseek.verification.alignment import agree
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import (
    VERBS,
    TextToken,
    clause_start,
    is_each,
    segment,
    weight,
)

_WHO = frozenset(map(words.stem, "who whose which".split()))
# One Chinese character is no word.
_WORD = 2
_PREPOSITIONS = frozenset(map(words.stem, "in on at by to for from with as".split()))
# The most tokens of a list between its first item and the last, and of its last item.
_LIST, _ITEM = 9, 4


def subjects(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find what the claim speaks of and the passage does not, or the other way round."""
    head = _head(reading)
    if head:
        written = tuple(claim[token.start : token.end] for token in head)
        yield Objection("subject", refutes=True, words=written)
    own = {token.key for token in reading.claim}
    told = [at for at in sorted(reading.found) if reading.claim[at].weight]
    head_clause = reading.source[reading.found[told[0]]].clause if told else -1
    for clause in sorted(reading.used):
        is_head = clause == head_clause
        if not is_head and _is_of_who_stands_before(reading, clause):
            yield Objection("subject", refutes=False, decides=True)
        foreign = _foreign(reading, clause, own, is_head=is_head)
        if not foreign or is_each(reading.source, clause_start(reading.source, clause)):
            continue
        if not is_head:
            yield Objection("subject", refutes=True)
        elif any(token.fact and not token.is_value for token in foreign):
            yield Objection("subject", refutes=False)


def _is_of_who_stands_before(reading: Reading, clause: int) -> bool:
    """Whether a clause with "who" speaks of somebody that the claim does not name."""
    source = reading.source
    start = clause_start(source, clause)
    found = {*reading.found.values(), *reading.moved.values()}
    if start < 2 or source[start].key not in _WHO or source[start - 1].key != "|":  # noqa: PLR2004 - a name and a comma
        return False
    # "Storm Carl of 1987, which …"
    passing = (at for at in range(start - 2, -1, -1) if _says(source[at]))
    name = next(passing, -1)
    return source[name].kind == "name" and name not in found


def _says(token: TextToken) -> bool:
    return token.kind == "break" or bool(token.weight and not token.is_value)


def _head(reading: Reading) -> list[TextToken]:
    """Return the words that the claim begins with when they do not stand in the passage."""
    head: list[TextToken] = []
    for at in reading.missing:
        token = reading.claim[at]
        earlier = [place for place in reading.found if place < at and reading.claim[place].weight]
        if not token.is_value and all(reading.claim[place].is_value for place in earlier):
            head.append(token)
    return head if weight(head) >= _WORD else []


def _foreign(reading: Reading, clause: int, own: set[str], *, is_head: bool) -> list[TextToken]:
    """Return what a clause of the passage speaks of first, when the claim does not."""
    prefix = _prefix(reading, clause, own, is_head=is_head)
    if prefix or is_head:
        return prefix
    # A clause without a subject speaks of what the first one in its segment speaks of, which may
    # stand behind an opening: "In contrast, …".
    start = clause_start(reading.source, clause)
    begin = segment(reading.source, start)[0]
    first = reading.source[begin].clause
    if begin > 0 and (other := _another(reading, begin)):
        return other
    if _is_coordinated(reading, clause) or _is_told(reading, clause - 1):
        return []
    if first + 1 < clause and reading.source[begin].key in _PREPOSITIONS:
        first += 1
    return [] if first in reading.used else _prefix(reading, first, own)


def _prefix(
    reading: Reading, clause: int, own: set[str], *, is_head: bool = False
) -> list[TextToken]:
    found = {*reading.found.values(), *reading.moved.values()}
    prefix: list[TextToken] = []
    for place, token in enumerate(reading.source):
        if token.clause != clause or token.kind == "break":
            continue
        if place in found and token.weight:
            break
        prefix.append(token)
    if is_head and prefix and prefix[-1].key == "的":
        return []  # 全长6300公里的长江
    if not is_head and (_begins_with_verb(prefix) or _is_coordinated(reading, clause)):
        return []
    passing = words.table("pronouns") | words.table("reporting") | own | {words.class_of("company")}
    told = [
        token
        for run in _runs(prefix)
        if any(token.key not in passing for token in run)
        for token in run
    ]
    only_dates = all(
        token.kind == "date" or not token.weight
        for place, token in enumerate(reading.source)
        if place in found and token.clause == clause
    )
    before = clause_start(reading.source, clause) - 1
    is_joined = before >= 0 and reading.source[before].key == "and"
    if only_dates and is_joined and len(told) == 1 and told[0].kind != "han":
        return []  # the last of a list: "by Italy and Spain in 1951"
    versions = [
        token
        for before, token in pairwise(prefix)
        if token.quantity
        and not token.quantity.kind
        and before.weight
        and not before.is_value
        and not any(agree(mine, token) for mine in reading.claim)
    ]
    return versions + (told if weight(told) >= _WORD else [])


def _begins_with_verb(prefix: Sequence[TextToken]) -> bool:
    """Whether a clause has no subject of its own: "…, is the second album by …"."""
    return bool(prefix) and prefix[0].kind != "name" and prefix[0].key in VERBS


def _is_told(reading: Reading, clause: int) -> bool:
    """Whether a clause only names what the claim speaks of: "Its rival, Moor Coaches, was …"."""
    places = set(reading.found.values())
    told = [at for at, one in enumerate(reading.source) if one.clause == clause and one.weight]
    return bool(told) and places >= set(told)


def _is_coordinated(reading: Reading, clause: int) -> bool:
    """Whether a clause begins with the last of several subjects, with the claim's before it.

    "Gold, silver and copper are …" says so of gold, unless it counts something: that would be of
    all together.
    """
    source = reading.source
    end = clause_start(source, clause) - 1
    if end < 1 or source[end].key != "and" or any(token.quantity for token in reading.claim):
        return False
    heads = [at for at in reading.found.values() if at < end and source[at].weight]
    head = max(heads, default=-1)
    begin = clause_start(source, source[head].clause)
    if any(one.weight and at not in heads for at, one in enumerate(source[begin:head], begin)):
        return False
    # Two things need no comma between them.
    between = source[head + 1 : end]
    is_list = not between or (between[0].key == "|" and any(one.weight for one in between))
    is_plain = all(one.weight or one.key == "|" for one in between)
    after = min(
        (at for at in reading.found.values() if at > end and source[at].weight), default=end
    )
    is_short = len(between) <= _LIST and after - end <= _ITEM + 1
    return head >= 0 and is_list and is_plain and is_short


def _runs(prefix: Sequence[TextToken]) -> Iterator[list[TextToken]]:
    """Yield what stands together: 轻症 is another thing than 重症, though 症 is in both."""
    run: list[TextToken] = []
    for token in prefix:
        is_joined = run and token.kind == run[-1].kind == "han" and token.start == run[-1].end
        if run and not (is_joined and token.weight):
            yield run
            run = []
        if token.weight and not token.is_value and not token.hedges:
            run.append(token)
    if run:
        yield run


def _another(reading: Reading, begin: int) -> list[TextToken]:
    """Return the subject of a later segment when the claim has it in another place."""
    first = None
    for place, token in enumerate(reading.source[begin:], start=begin):
        if token.key in words.table("pronouns"):
            return []
        if first and (token.weight or token.kind == "break"):
            break
        if token.weight and not token.is_value:
            first = place, token
    if first is None:
        return []
    heads = {
        next((at for at in part if reading.claim[at].weight and not reading.claim[at].is_value), -1)
        for part in reading.parts
    }
    at = next((at for at, place in reading.found.items() if place == first[0]), None)
    return [first[1]] if at is not None and at not in heads else []
