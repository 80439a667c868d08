"""Answers to questions in the words of pages, by rules: which sentence, which value, how surely.

A pure function of the question and the texts (:func:`assess`). It looks for the value that a
question asks for (a date, a number, a name, a place, one of a kind of things) near the words for
what is asked, in a page or sentence about the thing that is named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

import msgspec

from citeseek.answering.asked_question import AskedQuestion
from citeseek.answering.candidates import (
    CUT,
    CandidateSentence,
    PageText,
    candidates,
    names_one_of_kind,
)
from citeseek.answering.copies import is_copy, origins, shingles
from citeseek.answering.word_tables import ANY
from citeseek.text import sentences, terms
from citeseek.verification.values.quantity import Quantity

__all__ = [
    "CUT",
    "MAX_SENTENCES",
    "Assessment",
    "CandidateSentence",
    "PageText",
    "Voice",
    "assess",
    "is_copy",
    "names_one_of_kind",
    "origins",
    "shingles",
]

# Sentences that are worth quoting, and the most of them.
WORTH_QUOTING = 0.45
MAX_SENTENCES = 4
# From which score on how many of the first sentences were right, among questions with labelled
# pages (tests/assistant/test_answers_without_a_model.py prints the table).
CALIBRATION = ((0.9, 0.97), (0.8, 0.94), (0.7, 0.55), (0.6, 0.4), (0.5, 0.1))
# From which confidence on a sentence is told as the answer.
ANSWERS = 0.9
# Up to which confidence the sources are said not to have the answer.
HAS_NONE = 0.1


class Assessment(msgspec.Struct, frozen=True):
    """What pages come to for one question.

    ``sentences`` answer it, best first and each with another value. ``confidence``, from 0 to 1, is
    how often the first of them is right among those of its score; it is None for words that ask
    nothing, and where pages differ. ``voices`` are the values that pages give, more than one only
    where they differ; ``are_apart`` says that they are then of different things of one name.
    ``is_open`` says that no one value is asked for, but how, why or what something is.
    """

    sentences: tuple[CandidateSentence, ...] = ()
    confidence: float | None = None
    voices: tuple[Voice, ...] = ()
    are_apart: bool = False
    is_open: bool = False

    @property
    def is_answer(self) -> bool:
        """Whether the first sentence is told as the answer; else perhaps it is none."""
        return self.confidence is None or self.confidence >= ANSWERS

    @property
    def is_sure(self) -> bool:
        """Whether one answer is told, and how surely: what else is near the question is none."""
        return self.confidence is not None and self.is_answer

    @property
    def has_none(self) -> bool:
        """Whether the pages do not have the answer, as far as can be told.

        What answers an open question has no form that could be missed.
        """
        return self.is_near and not self.is_open

    @property
    def is_near(self) -> bool:
        """Whether the sentences are only near the question."""
        return self.confidence is not None and self.confidence <= HAS_NONE

    @property
    def differs(self) -> bool:
        """Whether the pages give different values."""
        return len(self.voices) > 1


def assess(question: str, pages: Sequence[PageText]) -> Assessment:
    """Return what ``pages`` come to for ``question``."""
    asked = AskedQuestion.of(question)
    found = candidates(asked, pages)
    told = _voices(asked, found, pages)
    return Assessment(
        tuple(_distinct(found)),
        None if len(told) > 1 else _confidence(asked, found),
        told,
        _are_apart(told),
        is_open=asked.asks and asked.kind == ANY,
    )


def _confidence(question: AskedQuestion, found: Sequence[CandidateSentence]) -> float | None:
    """Return how surely the best of ``found`` answers ``question``, from 0 to 1.

    It is None for words that ask nothing, which are answered by whatever has them.
    """
    if not question.asks:
        return None
    score = found[0].score if found else 0.0
    return next((share for least, share in CALIBRATION if score >= least), 0.0)


def _distinct(found: Sequence[CandidateSentence]) -> list[CandidateSentence]:
    """Return the best sentences, no two of which have one value."""
    chosen: list[CandidateSentence] = []
    for one in found:
        if len(chosen) == MAX_SENTENCES or one.score < WORTH_QUOTING:
            break
        if not any(_says_again(one, earlier) for earlier in chosen):
            chosen.append(one)
    return chosen


def _says_again(one: CandidateSentence, earlier: CandidateSentence) -> bool:
    if one.text == earlier.text:
        return True
    if one.value is None or earlier.value is None:
        return False
    return one.value.agrees(earlier.value)


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
# Words of a name that tell it from no other.
_LINKING = frozenset("the a an of de van von al bin".split())


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


def _voices(
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


def _are_apart(told: Sequence[Voice]) -> bool:
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
        if match and own & question.names and own - question.names - _LINKING:
            return match[0]
    return ""


def _is_part(one: str, other: str) -> bool:
    mine, theirs = set(terms(one)), set(terms(other))
    return mine <= theirs or theirs <= mine
