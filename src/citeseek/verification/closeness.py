"""How near a passage comes to a claim that it tells in nearly the same words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

from citeseek.verification import words
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import TextToken

_NOT = "not"
# What a claim must not differ in, however near the rest of it comes.
_DECIDING = frozenset({"number", "date", "rounded", "opposite", "negation", "hedge"})
_WEAKENING = frozenset({"order", "word", "words"})
# How near a claim has to come, and how near one that has so many words that they can hardly agree
# and say something else: fewer when none of them is missing.
_NEAR, _NEAR_LONG, _LONG, _LONG_WHOLE = 0.8, 0.75, 20, 14


def repeats(reading: Reading, against: Sequence[Objection]) -> bool:
    """Whether the passage says the claim in nearly its words, and nothing that decides differs.

    ``against`` are the objections to the claim.
    """
    is_turned = any(one.reason == "order" and one.refutes for one in against)
    decides = any(one.decides or one.reason in _DECIDING for one in against)
    if is_turned or decides or _differs(reading):
        return False
    if _has_one_word_for_another(reading):
        return False
    near = closeness(reading)
    long = _LONG if reading.missing else _LONG_WHOLE
    if len(reading.claim) >= long and near >= _NEAR_LONG:
        return True
    if near < _NEAR or any(one.refutes or one.reason in _WEAKENING for one in against):
        return False
    # "It is …" is said of whatever the passage speaks of.
    is_pronoun = reading.claim[0].key in words.table("references")
    return not (is_pronoun and any(one.reason == "subject" for one in against))


def _differs(reading: Reading) -> bool:
    """Whether a fact or a Chinese character is missing, or the passage has a quantity more."""
    # "Some of them" claims no more than a source that counts nothing.
    some = words.class_of("some")
    missing = [reading.claim[at] for at in reading.missing]
    if any(token.kind == "han" or (token.fact and token.key != some) for token in missing):
        return True
    places = sorted(reading.found.values())
    own = {token.key for token in reading.claim}
    quantifiers = tuple(words.class_of(one).partition(".")[0] + "." for one in ("some", "only"))
    return any(
        token.key.startswith(quantifiers)
        and token.key not in own
        and before.key != _NOT  # "not only" leaves nothing out
        for before, token in pairwise(reading.source[places[0] : places[-1]])
    )


def _has_one_word_for_another(reading: Reading) -> bool:
    """Whether all is the same but for one word: who tells it anew changes more than that."""
    if len(reading.missing) != 1:
        return False
    places = sorted(reading.found.values())
    others = set(range(places[0], places[-1])).difference(places)
    instead = sum(reading.source[place].weight > 0 for place in others)
    if reading.missing[0] < max(reading.found):
        return instead == 1
    rest = takewhile(lambda token: not _ends(token), reading.source[places[-1] + 1 :])
    return not instead and any(token.weight for token in rest)


def _ends(token: TextToken) -> bool:
    return token.kind == "break" and token.key != "and"


def closeness(reading: Reading) -> float:
    """Return from 0 to 1 how near the passage of ``reading`` comes to its claim.

    The mean of three shares: of the claim's words that stand in the passage, of those that stand
    there in the claim's order, and of its neighbours that are neighbours there.
    """
    told = [at for at, token in enumerate(reading.claim) if token.weight]
    if not told:
        return 0.0
    neighbours = list(pairwise(told))
    rank = {
        place: at
        for at, place in enumerate(
            place for place, token in enumerate(reading.source) if token.weight
        )
    }
    places = {at: rank[to] for at, to in reading.found.items() if to in rank}
    in_order = sum(at in places for at in told) / len(told)
    together = sum(
        one in places and places.get(other) == places[one] + 1 for one, other in neighbours
    )
    share = together / len(neighbours) if neighbours else in_order
    return (reading.coverage + in_order + share) / 3
