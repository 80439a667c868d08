"""Who did it to whom: words that stand in another order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from citeseek.verification.objection import Objection
from citeseek.verification.reading import Reading

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
        is_reversed = True
        is_apart = any(one < at < other for at in content if at in reading.found)
        is_named = any(token.fact and not token.is_value for token in tokens)
        is_exchanged = {one, other} <= set(moved)
        if is_apart and (is_named or is_exchanged) and bool(here) == bool(there):
            yield Objection("order", refutes=True)
            return
    if is_reversed:
        yield Objection("order", refutes=False)
