"""Who says what: the values that pages give for one question, each with the pages that give it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

import msgspec

from citeseek.answering.asked_question import AskedQuestion
from citeseek.answering.candidates import CandidateSentence, PageText
from citeseek.answering.copies import origins
from citeseek.answering.word_tables import ANY
from citeseek.text import sentences, terms
from citeseek.verification.quantity import Quantity

# What a sentence must come to for its value to count: one that is only near the words is none.
WORTH_TELLING = 0.68
ASKED = 0.5
NAMED = 0.5
# The same for a page with a title, which is to have more than a word in common with the name.
NAMED_IN_TITLE = 0.6
# What numbers measure that both answer "how long".
_OF_TIME = frozenset({"time", "day", "week", "month", "year"})
_OF_SPACE = frozenset({"length", "mile", "foot", "sea"})
# How much of a text is looked through for its first sentence.
FIRST_CHARS = 1_000
# The name at the beginning of a page, with what tells it from others of that name.
_FULL_NAME = re.compile(
    r"(?:[A-Z][\w'’.-]*)(?:\s+(?:[A-Z][\w'’.-]*|\d\w*|of|the|de|van|von|al|bin))*(?:\s*\([^()]*\))?"
    r"|[\u4e00-\u9fff·\d]+（[^（）]*）"
)


class Voice(msgspec.Struct, frozen=True):
    """A value, letter by letter, and the pages (from 0) that give it; ``text`` is the first one's.

    ``origins`` is the number of different texts among the pages: copies are one. ``about`` is the
    full name of what the pages speak of, empty where they do not say it.
    """

    value: str
    text: str
    pages: tuple[int, ...]
    origins: int = 1
    about: str = ""


def voices(
    question: AskedQuestion, found: Sequence[CandidateSentence], pages: Sequence[PageText]
) -> tuple[Voice, ...]:
    """Return the values that ``pages`` give for ``question``, in the order of the pages.

    ``found`` are its candidates, best first. Values that say the same are one. Where there are
    several, the pages disagree, or speak of different things of one name.
    """
    if question.kind == ANY:
        return ()
    groups: list[list[CandidateSentence]] = []
    for one in sorted(_best_of_pages(found, pages), key=lambda one: one.page):
        home = next((group for group in groups if _agree(group, one)), None)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    return tuple(_voice(question, group, pages) for group in groups)


def are_apart(told: Sequence[Voice]) -> bool:
    """Whether pages that differ speak of different things of one name, as far as they say it."""
    names = [one.about for one in told]
    return len(names) > 1 and all(
        one and other and not _is_part(one, other) for one, other in combinations(names, 2)
    )


def _best_of_pages(
    found: Sequence[CandidateSentence], pages: Sequence[PageText]
) -> list[CandidateSentence]:
    best: dict[int, CandidateSentence] = {}
    for one in found:
        best.setdefault(one.page, one)
    told = [one for one in best.values() if _counts(one, pages[one.page])]
    return [one for one in told if _is_comparable(one, told[0])]


def _is_comparable(one: CandidateSentence, best: CandidateSentence) -> bool:
    """Whether two numbers measure the same: how long a film runs is not how long its reel is."""
    if one.value is None or best.value is None:
        return True
    mine, theirs = one.value.read, best.value.read
    if not isinstance(mine, Quantity) or not isinstance(theirs, Quantity):
        return True
    kinds = {mine.kind, theirs.kind}
    return not (kinds & _OF_TIME and kinds & _OF_SPACE)


def _counts(one: CandidateSentence, page: PageText) -> bool:
    named = NAMED_IN_TITLE if page.title else NAMED
    return (
        one.value is not None
        and one.score >= WORTH_TELLING
        and one.asked >= ASKED
        and one.named >= named
    )


def _agree(group: Sequence[CandidateSentence], one: CandidateSentence) -> bool:
    return any(
        told.value is not None and one.value is not None and told.value.agrees(one.value)
        for told in group
    )


def _voice(
    question: AskedQuestion, group: Sequence[CandidateSentence], pages: Sequence[PageText]
) -> Voice:
    best = max(group, key=lambda one: one.score)
    assert best.value is not None  # noqa: S101 - only those with a value count
    return Voice(
        best.value.text,
        best.text,
        (best.page, *(one.page for one in group if one is not best)),
        origins([pages[one.page].text for one in group]),
        next(filter(None, (_full_name(question, pages[one.page]) for one in group)), ""),
    )


def _full_name(question: AskedQuestion, page: PageText) -> str:
    """Return what a page calls the thing that is asked of, if it says more than the question."""
    first = next(iter(sentences(page.text[:FIRST_CHARS])), "")
    for text in (page.title, first):
        match = _FULL_NAME.match(text.strip())
        own = frozenset(terms(match[0])) if match else frozenset[str]()
        if match and own & question.names and own - question.names:
            return match[0]
    return ""


def _is_part(one: str, other: str) -> bool:
    mine, theirs = set(terms(one)), set(terms(other))
    return mine <= theirs or theirs <= mine
