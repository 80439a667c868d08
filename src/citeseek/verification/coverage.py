"""How much of a claim stands in a text, its rare words counting for more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import log

from citeseek.verification.passages import single
from citeseek.verification.tokens import Token

# What a claim says is mostly told in so many sentences of a page.
_SENTENCES = 3


def coverage(claim: Sequence[Token], text: str) -> float:
    """Return which share of ``claim``, from 0 to 1, stands in its best three sentences of ``text``.

    A word that few sentences of the text have weighs more (the inverse document frequency of
    K. Spärck Jones, A statistical interpretation of term specificity, 1972).
    """
    wanted = frozenset(token.key for token in claim if token.weight)
    frequency = _frequency(text)
    count = len(single(text))
    rarity = {key: log((count + 1) / (frequency[key] + 0.5)) + 0.5 for key in wanted}
    whole = sum(rarity.values())
    sets: list[frozenset[str]] = [wanted & passage.keys for passage in single(text)]
    left = wanted

    def gain(keys: frozenset[str]) -> float:
        return sum(rarity[key] for key in keys & left)

    for _ in range(_SENTENCES if sets else 0):
        best = max(sets, key=gain)
        left -= best
    return 1 - sum(rarity[key] for key in left) / whole if whole else 0.0


def closeness(claim: Sequence[Token], text: str) -> float:
    """Return from 0 to 1 how near ``text`` comes to ``claim``.

    The mean of its coverage and of the share of its neighbouring words that stand side by side in
    a sentence of the text: words that only happen to be there seldom do.
    """
    pairs = set(pairwise(_keys(claim)))
    share = len(pairs & _pairs(text)) / len(pairs) if pairs else 1.0
    return (coverage(claim, text) + share) / 2


def _keys(tokens: Sequence[Token]) -> list[str]:
    return [token.key for token in tokens if token.weight]


@lru_cache(maxsize=64)
def _pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pair for passage in single(text) for pair in pairwise(_keys(passage.tokens)))


@lru_cache(maxsize=64)
def _frequency(text: str) -> Counter[str]:
    return Counter(key for passage in single(text) for key in passage.keys)
