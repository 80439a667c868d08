"""A number that is held against something: "20% below the record" is not 20%."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, takewhile

from citeseek.verification import words
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken, tokens

# How far behind a number "than" may stand: "two fewer goals than".
_NEAR = 4


def comparisons(reading: Reading, claim: str) -> Iterator[Objection]:
    """Find a number that the passage has as a difference, and the claim as it is."""
    for at, to in (*reading.found.items(), *reading.moved.items()):
        token = reading.claim[at]
        if token.kind != "number":
            continue
        if _is_difference(reading.source, to) and not _is_difference(reading.claim, at):
            written = (claim[token.start : token.end],)
            yield Objection("number", refutes=False, words=written, decides=True)
            return


def contrasts(reading: Reading) -> Iterator[Objection]:
    """Find a claim of what a sentence only sets its subject off from: "Unlike A, B cannot …"."""
    told = [at for at in sorted(reading.found) if reading.claim[at].weight]
    own = {one.key for one in reading.claim}
    for clause in sorted(reading.used)[:-1]:
        opening = [place for place, one in enumerate(reading.source) if one.clause == clause]
        keys = [reading.source[place].key for place in opening]
        others = {one.key for one in reading.source if one.clause == clause and one.weight}
        # "Unlike comet Voss, comet Ardley …": only what it is set off from is named there.
        if not keys or others - own - _keys("contrast") or own & others & _keys("contrast"):
            continue
        if _sets_off(keys) and told and reading.found[told[0]] in opening:
            yield Objection("subject", refutes=False, decides=True)
            return


def labels(reading: Reading) -> Iterator[Objection]:
    """Find what the passage has only of other times: "MIT (versions before 4.0: GPL)"."""
    source = reading.source
    own = {one.key for one in reading.claim}
    told = [at for at in reading.found if reading.claim[at].weight]
    last = max(told, default=None)
    if last is None:
        return
    clause = source[reading.found[last]].clause
    here = [one for one in source if one.clause == clause and one.weight]
    label = [one for one in source if one.clause == clause - 1]
    is_other_time = any(
        one.key in _keys("side") - own and other.is_value for one, other in pairwise(label)
    )
    if len(here) == 1 and is_other_time:
        yield Objection("date", refutes=False, decides=True)


def _sets_off(keys: Sequence[str]) -> bool:
    """Whether a clause says what its sentence does not speak of."""
    is_chinese = keys[0] in _keys("beside") and bool(set(keys) & _keys("unlike_behind"))
    return is_chinese or keys[0] in _keys("contrast")


def _is_difference(read: Sequence[TextToken], at: int) -> bool:
    """Whether the number at ``at`` says how much more or less than something else it is."""
    clause = list(takewhile(lambda one: one.kind != "break", read[at + 1 :]))
    if clause and clause[0].kind != "han":
        than = any(one.key in _keys("than") for one in clause[:_NEAR])
        return than or clause[0].key in _keys("beyond")
    before = list(takewhile(lambda one: one.kind != "break", reversed(read[:at])))
    is_measured = bool(before) and before[0].key in _keys("measured")
    return is_measured and any(one.key == "比" for one in before)


@cache
def _keys(name: str) -> frozenset[str]:
    """Return the keys of a table of ``comparison`` in words.toml."""
    return frozenset(tokens(word)[0].key for word in words.comparison()[name].split())
