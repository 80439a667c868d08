"""Answers to questions in the words of pages, by rules: which sentence, which value, how surely.

A pure function of the question and the texts (:func:`assess`). It looks for the value that a
question asks for (a date, a number, a name, a place, one of a kind of things) near the words for
what is asked, in a page or sentence about the thing that is named.
"""

from citeseek.answering.assessment import MAX_SENTENCES, Assessment, Voice, assess
from citeseek.answering.candidates import (
    CUT,
    CandidateSentence,
    PageText,
    names_one_of_kind,
)
from citeseek.answering.copies import is_copy, origins, shingles

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
