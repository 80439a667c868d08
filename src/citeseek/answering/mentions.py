"""Where a sentence has the words of what is asked, in the question's own or in others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from citeseek.answering.asked_properties import Property
from citeseek.answering.word_tables import key
from citeseek.text import terms

# Words that are worth as much as those of the question.
ALIKE = 0.85
# Which part of a longer word of the question stands for it: 收入 for 营业收入.
PART = 0.5
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

# Where it begins and ends, and what it is worth.
Mention: TypeAlias = tuple[int, int, float]


def mentions(properties: Sequence[Property], sentence: str) -> list[list[Mention]]:
    """Return for each of ``properties`` where ``sentence`` has one of its words."""
    if not properties:
        return []
    written = [(key(match[0]), match.start(), match.end()) for match in _WORD.finditer(sentence)]
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, (word, _, _) in enumerate(written):
        places[word].append(at)
    return [
        [
            (start, end, weight)
            for group, weight in ((one.own, 1.0), (one.alike, ALIKE))
            for word in group
            for start, end in _places(word, sentence, written, places)
        ]
        or list(_parts(one, sentence))
        for one in properties
    ]


def _places(
    word: str,
    sentence: str,
    written: Sequence[tuple[str, int, int]],
    places: defaultdict[str, list[int]],
) -> Iterator[tuple[int, int]]:
    if not word.isascii():
        at = sentence.find(word)
        while at >= 0:
            yield at, at + len(word)
            at = sentence.find(word, at + len(word))
        return
    first, *rest = word.split(" ")
    for at in places.get(first, ()):
        behind = written[at + 1 : at + 1 + len(rest)]
        if [one for one, _, _ in behind] == rest:
            yield written[at][1], (behind or [written[at]])[-1][2]


def _parts(one: Property, sentence: str) -> Iterator[Mention]:
    """Yield where a part of a Chinese word stands that is most of it."""
    for word in one.own:
        if word.isascii():
            continue
        pairs, own = set(terms(word)), set(terms(sentence))
        shared = len(pairs & own) / len(pairs)
        if shared > PART:
            at, first = min((sentence.casefold().find(pair), pair) for pair in pairs & own)
            yield at, at + len(first), shared * ALIKE
