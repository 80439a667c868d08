"""The sentences of a source, with their places, and the passages that a claim may rest on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import msgspec

from citeseek.text import sentences
from citeseek.verification.tokens import TextToken, tokens

# A longer sentence is a table or a list without line breaks.
_MAX_CHARS = 500
# PDFs break lines inside sentences.
_WRAPPED = re.compile(r"(?<=[^\n]{30}[^\s。！？.!?：:;；|])\n(?=[^\s*#|•·-])")


# A word that is cut at the end of a line: the soft hyphens that stand for the cut are not seen.
_CUT = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def _flowing(text: str) -> str:
    """Return ``text`` without the line breaks inside its sentences, each letter in its place."""
    return _WRAPPED.sub(" ", _CUT.sub("\u00ad\u00ad", text))


class Passage(msgspec.Struct, frozen=True):
    """One sentence of a source or two neighbours, from ``start`` to ``end``.

    ``keys`` are those of its words, numbers and dates.
    """

    start: int
    end: int
    tokens: tuple[TextToken, ...]
    keys: frozenset[str]


@lru_cache(maxsize=64)
def single(text: str) -> tuple[Passage, ...]:
    """Return every sentence of ``text``."""
    flowing = _flowing(text)
    return tuple(_passage(flowing, start, end, end) for start, end in _spans(flowing))


@lru_cache(maxsize=64)
def passages(text: str) -> tuple[Passage, ...]:
    """Return every sentence of ``text``, and every two that follow each other in a paragraph."""
    flowing = _flowing(text)
    found = list(single(text))
    for one, other in pairwise(single(text)):
        if other.end - one.start <= 2 * _MAX_CHARS and "\n\n" not in text[one.end : other.start]:
            found.append(_passage(flowing, one.start, other.end, other.start))
    return tuple(found)


def _passage(text: str, start: int, end: int, after: int) -> Passage:
    first = tokens(text[start : min(after, end)])
    if after >= end:
        return Passage(start, end, first, _keys(first))
    shift = after - start
    clauses = first[-1].clause + 1 if first else 0
    second = tuple(
        msgspec.structs.replace(
            token,
            start=token.start + shift,
            end=token.end + shift,
            clause=token.clause + clauses,
        )
        for token in tokens(text[after:end])
    )
    return Passage(start, end, first + second, _keys(first + second))


def _keys(tokens: tuple[TextToken, ...]) -> frozenset[str]:
    return frozenset(token.key for token in tokens if token.weight)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for sentence in sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        for first in range(start, at, _MAX_CHARS):
            yield first, min(first + _MAX_CHARS, at)
