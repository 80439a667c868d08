"""Which passages of the pages answer the question: the quotes that a report rests on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import msgspec

from citeseek.relevance import relevance
from citeseek.research.pages import Passage, ReadPage, passages
from citeseek.text import sentences, terms

MAX_QUOTES = 12
QUOTES_A_PAGE = 3
# A passage with less of the best one's score has only a word in common with the question.
WORTH_QUOTING = 0.35
# A passage that shares more of its terms with a chosen one says the same again.
SAME_PASSAGE = 0.7


class Quote(msgspec.Struct, frozen=True):
    """A passage, letter by letter, and how well it fits, from 0 to 1; ``page`` counts from 0.

    ``gist`` is the one sentence of it that fits the question best.
    """

    page: int
    start: int
    text: str
    gist: str
    score: float


def passages_of(pages: Sequence[ReadPage]) -> list[Passage]:
    """Return the passages of all ``pages``."""
    return list(chain(*(passages(at, page.text) for at, page in enumerate(pages))))


def best_quotes(
    questions: Sequence[str], pages: Sequence[ReadPage], found: Sequence[Passage]
) -> list[Quote]:
    """Return the passages of ``found`` that fit ``questions``, best first, without repetitions.

    A passage speaks under its page's title, so the title's terms count with it; it is worth as
    much as it is for the question that it fits best. No page gives more than three.
    """
    titles = [terms(page.title) for page in pages]
    bags = [(*passage.terms, *titles[passage.page]) for passage in found]
    best = [0.0] * len(found)
    for question in questions:
        scores = relevance(question, bags)
        top = max(scores, default=0)
        if top > 0:
            best = [max(old, new / top) for old, new in zip(best, scores, strict=True)]
    chosen: list[tuple[int, frozenset[str]]] = []
    for at in sorted(range(len(found)), key=lambda at: (-best[at], at)):
        if best[at] < WORTH_QUOTING or len(chosen) == MAX_QUOTES:
            break
        own = frozenset(found[at].terms)
        of_page = sum(found[other].page == found[at].page for other, _ in chosen)
        if of_page < QUOTES_A_PAGE and not any(_alike(own, other) for _, other in chosen):
            chosen.append((at, own))
    return [
        Quote(
            page=found[at].page,
            start=found[at].start,
            text=found[at].text,
            gist=_gist(questions, titles[found[at].page], found[at].text),
            score=round(best[at], 4),
        )
        for at, _ in chosen
    ]


def _gist(questions: Sequence[str], title: Sequence[str], text: str) -> str:
    # What the title says already, a sentence need not say.
    asked = set(chain(*map(terms, questions))).difference(title)
    # The longer one of two that hold as much of the question says more about it.
    return max(
        sentences(text), key=lambda sentence: (len(asked & set(terms(sentence))), len(sentence))
    )


def _alike(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return len(mine & theirs) > SAME_PASSAGE * min(len(mine), len(theirs))
