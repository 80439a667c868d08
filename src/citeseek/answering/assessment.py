"""What pages come to for a question: the sentences that answer it, how surely, who differs."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from citeseek.answering.asked_question import AskedQuestion
from citeseek.answering.candidates import CandidateSentence, PageText, candidates
from citeseek.answering.voices import Voice, are_apart, voices

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
    """

    sentences: tuple[CandidateSentence, ...] = ()
    confidence: float | None = None
    voices: tuple[Voice, ...] = ()
    are_apart: bool = False

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
        """Whether the pages do not have the answer, as far as can be told."""
        return self.confidence is not None and self.confidence <= HAS_NONE

    @property
    def differs(self) -> bool:
        """Whether the pages give different values."""
        return len(self.voices) > 1


def assess(question: str, pages: Sequence[PageText]) -> Assessment:
    """Return what ``pages`` come to for ``question``."""
    asked = AskedQuestion.of(question)
    found = candidates(asked, pages)
    told = voices(asked, found, pages)
    return Assessment(
        tuple(_distinct(found)),
        None if len(told) > 1 else _confidence(asked, found),
        told,
        are_apart(told),
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
