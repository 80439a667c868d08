"""Where a sentence has the words of what is asked, and whether it says them of something else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from citeseek.answering.asked_properties import Property
from citeseek.answering.asked_question import AskedQuestion
from citeseek.answering.word_tables import key
from citeseek.text import terms
from citeseek.verification.values import partial_dates

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


def rate_subject(
    question: AskedQuestion, places: Sequence[Sequence[Mention]], sentence: str
) -> float:
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
    return any(partial_dates.read(one).year for one in partial_dates.pattern().finditer(sentence))
