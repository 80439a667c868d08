"""Which passages of the pages answer the question: the quotes that a report rests on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import msgspec

from citeseek.locators import Locator, locate
from citeseek.research.disagreements import support
from citeseek.research.pages import PagePassage, ReadPage, is_question, passages
from citeseek.research.variants import Statement, is_version, plain_numbers
from citeseek.text import relevance, terms

MAX_QUOTES = 12
QUOTES_A_PAGE = 3
# A passage with less of the best one's score has only a word in common with the question.
WORTH_QUOTING = 0.35
# The best statements, of which each is compared with each; and those that may be quoted at all.
# Behind them a page goes on as it began.
COMPARED = 60
LOOKED_AT = 1_000
# What a version of a statement is worth that fewer pages bear out.
OUTVOTED = 0.9
# Sentences that share so many of their terms say the same.
SAME_STATEMENT = 0.9


class Quote(msgspec.Struct, frozen=True):
    """A passage, letter by letter, and how well it fits, from 0 to 1; ``page`` counts from 0.

    ``gist`` is the one sentence of it that fits the question best, ``locator`` the page of a
    document that it stands on.
    """

    page: int
    start: int
    text: str
    gist: str
    score: float
    locator: Locator | None = None


def passages_of(pages: Sequence[ReadPage]) -> list[PagePassage]:
    """Return the passages of all ``pages``."""
    return list(chain(*(passages(at, page.text) for at, page in enumerate(pages))))


def best_quotes(
    questions: Sequence[str], pages: Sequence[ReadPage], found: Sequence[PagePassage]
) -> list[Quote]:
    """Return the passages of ``found`` that fit ``questions``, best first, without repetitions.

    A passage is worth as much as its best sentence is for the question that it fits best; a
    sentence speaks under its page's title and its heading, so their terms count with it. No page
    gives more than three.
    """
    titles = [terms(page.title) for page in pages]
    statements = [
        _Statement(passage, sentence, _own_terms(passage, sentence, titles[passage.page]))
        for passage in found
        for sentence in passage.sentences
        if not is_question(sentence)
    ]
    worth = _weigh(_worth(questions, statements, titles), statements, pages)
    chosen: list[tuple[float, _Statement]] = []
    for at in sorted(range(len(statements)), key=lambda at: (-worth[at], at))[:LOOKED_AT]:
        if worth[at] < WORTH_QUOTING or len(chosen) == MAX_QUOTES:
            break
        if _is_news(statements[at], [earlier for _, earlier in chosen]):
            chosen.append((worth[at], statements[at]))
    return [
        Quote(
            page=said.passage.page,
            start=said.passage.start,
            text=said.passage.text,
            gist=said.text,
            score=round(score, 4),
            locator=locate(pages[said.passage.page].pages, said.passage.start),
        )
        for score, said in chosen
    ]


class _Statement(msgspec.Struct, frozen=True):
    """A sentence that says something, and the passage that it stands in.

    ``own`` are its terms and those of the heading above it.
    """

    passage: PagePassage
    text: str
    own: tuple[str, ...]


def _own_terms(passage: PagePassage, sentence: str, title: Sequence[str]) -> tuple[str, ...]:
    # The first heading of a page is its title, which counts for all of its sentences.
    heading = [term for term in terms(passage.heading) if term not in title]
    return (*terms(sentence), *heading)


def _worth(
    questions: Sequence[str], statements: Sequence[_Statement], titles: Sequence[Sequence[str]]
) -> list[float]:
    """Return how well each statement fits the question that it fits best, from 0 to 1."""
    bags = [(*said.own, *titles[said.passage.page]) for said in statements]
    best = [0.0] * len(statements)
    for question in dict.fromkeys(questions):
        asked = set(terms(question))
        # What many pages say is worth little to BM25; what a sentence itself holds of the question
        # counts as much.
        scores = [
            score * len(asked.intersection(said.own))
            for score, said in zip(relevance(question, bags), statements, strict=True)
        ]
        top = max(scores, default=0)
        if top > 0:
            best = [max(old, new / top) for old, new in zip(best, scores, strict=True)]
    return best


def _weigh(
    worth: Sequence[float], statements: Sequence[_Statement], pages: Sequence[ReadPage]
) -> list[float]:
    """Return ``worth`` with the version of a statement that more pages bear out before others."""
    weighed = list(worth)
    best = sorted(range(len(worth)), key=lambda at: (-worth[at], at))[:COMPARED]
    relevant = sorted(at for at in best if worth[at] >= WORTH_QUOTING)
    texts = [plain_numbers(page.text) for page in pages]
    said = {at: Statement.of(statements[at].text) for at in relevant}
    for one, other in combinations(relevant, 2):
        if not is_version(said[one], said[other]):
            continue
        more = support(said[one], said[other], texts) - support(said[other], said[one], texts)
        winner, loser = (one, other) if more > 0 else (other, one)
        if more and weighed[winner] <= weighed[loser]:
            weighed[winner] = weighed[loser]
            weighed[loser] *= OUTVOTED
    return weighed


def _is_news(said: _Statement, chosen: Sequence[_Statement]) -> bool:
    """Whether ``said`` stands in no chosen passage and says what none of them says."""
    of_page = sum(other.passage.page == said.passage.page for other in chosen)
    return of_page < QUOTES_A_PAGE and not any(
        other.passage is said.passage or _says_the_same(said, other) for other in chosen
    )


def _says_the_same(one: _Statement, other: _Statement) -> bool:
    # A changed number or name is little among much, and the one thing that a reader must see.
    mine, theirs = set(one.own), set(other.own)
    return len(mine & theirs) >= SAME_STATEMENT * len(mine | theirs) and not is_version(
        Statement.of(one.text), Statement.of(other.text)
    )
