"""Sentences that say what is asked of another thing, or of another time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeseek.answering.asked_question import AskedQuestion
from citeseek.answering.mentions import Mention
from citeseek.text import terms
from citeseek.verification import dates

# What such a sentence is worth beside one that says it of what is asked.
OTHER_THING, OTHER_TIME = 0.7, 0.6
# "The two cottages at the foot of the tower were …": the thing stands before the verb.
_SUBJECT = re.compile(
    r"\W*(?:(?:The|An?|These|Those|Some|Many|Most|Both|Two|Three|Four|Five|Six|\d+) )"
    r"(?P<thing>[^,;:()]{1,60}?) (?:is|are|was|were|has|have|had)\b"
)
_ASKS_NOW = re.compile(
    r"\b(?:today|now|nowadays|current(?:ly)?|at present|presently)\b|^who(?: is|['’]s)\b"
    r"|现在|如今|目前|当前|现任|今天",
    re.IGNORECASE,
)
_SAYS_NOW = re.compile(
    r"\b(?:is|are|has been|have been|today|now|current(?:ly)?|since)\b|现|如今|目前|当前|至今|今",
    re.IGNORECASE,
)


def worth(question: AskedQuestion, places: Sequence[Sequence[Mention]], sentence: str) -> float:
    """Return what a value in ``sentence`` is worth, from 0 to 1, by whom and when it is said of.

    ``places`` are where the sentence has what is asked.
    """
    thing = OTHER_THING if _is_of_another(question, places, sentence) else 1.0
    return OTHER_TIME * thing if _is_of_then(question, sentence) else thing


def _is_of_another(
    question: AskedQuestion, places: Sequence[Sequence[Mention]], sentence: str
) -> bool:
    """Whether the sentence speaks of something that the question does not name.

    "The length is …" speaks of what is asked, and leaves the thing to its page.
    """
    subject = None if question.is_chinese else _SUBJECT.match(sentence)
    if not subject or frozenset(terms(subject["thing"])) & (question.names | question.sort):
        return False
    return not any(start < subject.end("thing") for one in places for start, _, _ in one)


def _is_of_then(question: AskedQuestion, sentence: str) -> bool:
    """Whether the question asks how it is now and the sentence tells of a day that was."""
    if not _ASKS_NOW.search(question.text) or _SAYS_NOW.search(sentence):
        return False
    return any(dates.read(one).year for one in dates.pattern().finditer(sentence))
