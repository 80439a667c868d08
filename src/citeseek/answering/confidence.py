"""How surely a sentence answers a question, as a share of those that were right."""

from __future__ import annotations

from collections.abc import Sequence

from citeseek.answering.asked_question import AskedQuestion
from citeseek.answering.candidates import CandidateSentence

# From which score on how many of the first sentences were right, among questions with labelled
# pages (tests/assistant/test_answer_gate.py prints the table).
CALIBRATION = ((0.9, 0.97), (0.8, 0.94), (0.7, 0.55), (0.6, 0.4), (0.5, 0.1))
# From which confidence on a sentence is told as the answer.
ANSWERS = 0.9
# Up to which confidence the sources are said not to have the answer.
HAS_NONE = 0.1


def confidence(question: AskedQuestion, found: Sequence[CandidateSentence]) -> float | None:
    """Return how surely the best of ``found`` answers ``question``, from 0 to 1.

    It is None for words that ask nothing, which are answered by whatever has them.
    """
    if not question.asks:
        return None
    score = found[0].score if found else 0.0
    return next((share for least, share in CALIBRATION if score >= least), 0.0)
