"""The sentences of sources that fit a question best, as they stand there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from citeseek.answering import CUT, MAX_SENTENCES, Assessment, names_one_of_kind
from citeseek.answering.source_values import assess_sources
from citeseek.citations import Source
from citeseek.text import relevance, sentences, terms

# A sentence that shares more of its terms with a chosen one than this says the same again.
SAME_SENTENCE = 0.7
# A sentence with less of the best one's score has only a word in common with the question.
WORTH_QUOTING = 0.5
# Shorter pieces are headlines and crumbs.
MIN_TERMS = 4


class Extract(msgspec.Struct, frozen=True):
    """A sentence of a result, and the number of that result."""

    text: str
    number: int


class _Candidate(msgspec.Struct, frozen=True):
    extract: Extract
    terms: frozenset[str]
    bag: tuple[str, ...]


def extract(question: str, sources: Iterable[Source]) -> list[Extract]:
    """Return the sentences of ``sources`` that fit ``question``, best first, without repetitions.

    Those that answer it come first, each with another value; others share its terms, and are left
    out where the answer is sure. One that was cut off is left out where a whole one is worth
    quoting. An empty list says that nothing shares a term with the question.
    """
    return extract_and_assess(question, list(sources))[0]


def extract_and_assess(
    question: str, sources: Sequence[Source]
) -> tuple[list[Extract], Assessment]:
    """Return the same sentences, and how surely they answer."""
    assessed = assess_sources(question, sources)
    near = _near(question, sources)
    if assessed.is_sure:
        # Beside the answer, what only shares words with the question reads as if it answered.
        near = [one for one in near if names_one_of_kind(question, one.text)]
    return _put_together(assessed, near, sources), assessed


def _put_together(
    assessed: Assessment, near: Sequence[Extract], sources: Sequence[Source]
) -> list[Extract]:
    whole = [one for one in assessed.sentences if not one.text.endswith(CUT)]
    answers = whole or assessed.sentences
    # Two that give different values may have all other words in common.
    chosen = [Extract(one.text, sources[one.page].number) for one in answers if one.value]
    rest = [Extract(one.text, sources[one.page].number) for one in answers if not one.value]
    for one in (*rest, *near):
        own = frozenset(terms(one.text))
        if not any(_alike(own, frozenset(terms(earlier.text))) for earlier in chosen):
            chosen.append(one)
    return chosen[:MAX_SENTENCES]


def _near(question: str, sources: Iterable[Source]) -> list[Extract]:
    """Return the sentences of ``sources`` that share terms with ``question``, best first.

    They are ranked by BM25 over terms that work for Chinese and English alike; a sentence speaks
    under its page's title, so the title's terms count with it.
    """
    pool = [
        _Candidate(Extract(text, source.number), frozenset(own), (*own, *terms(source.title)))
        for source in sources
        for text in sentences(source.snippet)
        if len(own := terms(text)) >= MIN_TERMS
    ]
    scores = relevance(question, [candidate.bag for candidate in pool])
    best = max(scores, default=0)
    if best <= 0:
        return []
    ranked = sorted(range(len(pool)), key=lambda at: (-scores[at], at))
    worthy = [pool[at] for at in ranked if scores[at] >= WORTH_QUOTING * best]
    whole = [candidate for candidate in worthy if not candidate.extract.text.endswith(CUT)]
    chosen: list[_Candidate] = []
    for candidate in whole or worthy:
        if len(chosen) == MAX_SENTENCES:
            break
        if not any(_alike(candidate.terms, earlier.terms) for earlier in chosen):
            chosen.append(candidate)
    return [candidate.extract for candidate in chosen]


def _alike(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return len(mine & theirs) > SAME_SENTENCE * min(len(mine), len(theirs))
