"""The sentences of a source, with their places, and the passages that a claim may rest on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import islice, pairwise

import msgspec

from citeseek.text import sentences
from citeseek.verification.tokens import TextToken, tokens

# A longer sentence is a table or a list without line breaks.
_MAX_CHARS = 500
# How many of the passages with the most words in common are read.
_READ = 6
# PDFs break lines inside sentences.
_WRAPPED = re.compile(r"(?<=[^\n]{30}[^\s。！？.!?：:;；|])\n(?=[^\s*#|•·-])")


# A word that is cut at the end of a line: the soft hyphens that stand for the cut are not seen.
_CUT = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def _flowing(text: str) -> str:
    """Return ``text`` without the line breaks inside its sentences, each letter in its place."""
    return _WRAPPED.sub(" ", _CUT.sub("\u00ad\u00ad", text))


class Passage(msgspec.Struct, frozen=True):
    """One sentence of a source or two neighbours, from ``start`` to ``end``.

    ``text`` is what is written there, in one line; ``keys`` are those of its words, numbers and
    dates.
    """

    start: int
    end: int
    text: str
    tokens: tuple[TextToken, ...]
    keys: frozenset[str]


@lru_cache(maxsize=64)
def single(text: str) -> tuple[Passage, ...]:
    """Return every sentence of ``text``."""
    flowing = _flowing(text)
    return tuple(_passage(flowing, (start,), end) for start, end in _spans(flowing))


@lru_cache(maxsize=64)
def passages(text: str) -> tuple[Passage, ...]:
    """Return every sentence of ``text``, and every two that follow each other in a paragraph."""
    flowing = _flowing(text)
    found = list(single(text))
    for one, other in pairwise(single(text)):
        if other.end - one.start <= 2 * _MAX_CHARS and "\n\n" not in text[one.end : other.start]:
            found.append(_passage(flowing, (one.start, other.start), other.end))
    return tuple(found)


@lru_cache(maxsize=64)
def all_tokens(text: str) -> tuple[TextToken, ...]:
    """Return the tokens of all sentences of ``text``."""
    return tuple(token for passage in single(text) for token in passage.tokens)


def nearest(claim: tuple[TextToken, ...], text: str) -> list[Passage]:
    """Return the passages that have most in common with ``claim``; a value counts three times."""
    wanted = frozenset(token.key for token in claim if token.weight)
    values = frozenset(token.key for token in claim if token.is_value)
    every, places = passages(text), _places(text)
    worth = {key: (key in wanted) + 2 * (key in values) for key in wanted | values}
    known = sorted(worth.keys() & places.keys(), key=lambda key: len(places[key]))
    if not known:
        return []
    *others, most = known
    shared = Counter[int]()
    for key in others:
        for at in places[key]:
            shared[at] += worth[key]
    # A word that stands everywhere is looked up where others stand, and adds the shortest.
    for at in shared:
        if most in every[at].keys:
            shared[at] += worth[most]
    rest = islice((at for at in places[most] if at not in shared), _READ)
    shared.update(dict.fromkeys(list(rest), worth[most]))
    found = ((shared[at] - len(every[at].tokens) / 1000, every[at]) for at in sorted(shared))
    return [passage for _, passage in nlargest(_READ, found, key=lambda one: one[0])]


@lru_cache(maxsize=64)
def _places(text: str) -> dict[str, list[int]]:
    """Return in which passages of ``text`` each key stands, the shortest first.

    A page is asked for many claims.
    """
    every = passages(text)
    found = dict[str, list[int]]()
    for at in sorted(range(len(every)), key=lambda at: len(every[at].tokens)):
        for key in every[at].keys:
            found.setdefault(key, []).append(at)
    return found


def spanning(text: str, start: int, end: int, most: int) -> Passage | None:
    """Return the whole sentences of ``text`` that the letters from ``start`` to ``end`` stand in.

    None when there are none, or more than ``most``.
    """
    touched = [one for one in single(text) if one.start < end and one.end > start]
    if not 0 < len(touched) <= most:
        return None
    return _passage(_flowing(text), [one.start for one in touched], touched[-1].end)


def _passage(text: str, starts: Sequence[int], end: int) -> Passage:
    """Return the sentences that begin at ``starts``, the last of which ends at ``end``."""
    read: list[TextToken] = []
    for start, until in pairwise((*starts, end)):
        found = tokens(text[start:until])
        shift, clauses = start - starts[0], read[-1].clause + 1 if read else 0
        if shift:
            found = tuple(
                msgspec.structs.replace(
                    token,
                    start=token.start + shift,
                    end=token.end + shift,
                    clause=token.clause + clauses,
                )
                for token in found
            )
        read += found
    return Passage(starts[0], end, text[starts[0] : end], tuple(read), _keys(read))


def _keys(tokens: Iterable[TextToken]) -> frozenset[str]:
    return frozenset(token.key for token in tokens if token.weight)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for sentence in sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        for first in range(start, at, _MAX_CHARS):
            yield first, min(first + _MAX_CHARS, at)
