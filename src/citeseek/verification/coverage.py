"""How much of a claim stands in a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from citeseek.verification.passages import single
from citeseek.verification.tokens import TextToken, tokens

# What a claim says is mostly told in so many sentences of a page.
_SENTENCES = 3
# Names and values are rarer than other words, and say more about whether a page speaks of a claim.
_RARE = 2
# So much of the score is the coverage, the rest are pairs of neighbours.
_WORDS = 0.85


def coverage(claim: str, text: str) -> float:
    """Return which share of ``claim``, from 0 to 1, stands in its best three sentences of ``text``.

    Names, numbers and dates weigh twice.
    """
    wanted = _weights(claim, text)
    whole = sum(wanted.values())
    for _ in range(_SENTENCES):
        best = max(
            _terms_of_sentences(text),
            key=lambda there: sum(worth for term, worth in wanted.items() if term in there),
            default=frozenset[str](),
        )
        wanted = {term: worth for term, worth in wanted.items() if term not in best}
    return 1 - sum(wanted.values()) / whole if whole else 0.0


def score(claim: str, text: str) -> float:
    """Return from 0 to 1 how near ``text`` comes to ``claim``.

    It is mostly its coverage, and for a small part the share of its neighbouring words that stand
    side by side in a sentence of the text: words that only happen to be there seldom do.
    """
    pairs = set(pairwise(_keys(tokens(claim))))
    together = len(pairs & neighbours(text)) / len(pairs) if pairs else 1.0
    return _WORDS * coverage(claim, text) + (1 - _WORDS) * together


def _weights(claim: str, text: str) -> dict[str, int]:
    read = tokens(claim)
    weights: dict[str, int] = dict.fromkeys(_terms(read), 1)
    for token in read:
        written = claim[token.start : token.end]
        # Every first word is written like a name; what the page has in small letters is none.
        is_name = token.kind == "name" or (
            token is read[0] and written.istitle() and written.lower() not in text
        )
        if token.weight and (is_name or token.is_value):
            weights[token.key] = _RARE
    return weights


def _terms(read: Sequence[TextToken]) -> Iterator[str]:
    """Yield the words of a text, of single Chinese characters each two that stand together."""
    run: list[TextToken] = []
    for token in (*read, None):
        is_single = token is not None and token.kind == "han" and token.end - token.start == 1
        if run and not (token and is_single and token.weight and token.start == run[-1].end):
            yield from (one.key + other.key for one, other in pairwise(run))
            if len(run) == 1:
                yield run[0].key
            run = []
        if token is None or not token.weight:
            continue
        if is_single:
            run.append(token)
        else:
            yield token.key


@lru_cache(maxsize=64)
def _terms_of_sentences(text: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(_terms(sentence.tokens)) | sentence.keys for sentence in single(text))


def _keys(read: Sequence[TextToken]) -> list[str]:
    return [token.key for token in read if token.weight]


@lru_cache(maxsize=64)
def neighbours(text: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of keys that stand side by side in a sentence of ``text``."""
    return frozenset(pair for passage in single(text) for pair in pairwise(_keys(passage.tokens)))
