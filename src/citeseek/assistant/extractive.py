"""The model of last resort: answers with the sentences of the results that fit a question best.

It invents nothing and knows nothing: every sentence is a result's own and carries that result's
number. It stands in where no language model is configured, and says so in every answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from citeseek.citations import Source
from citeseek.text import ELLIPSIS, relevance, sentences, terms

MAX_SENTENCES = 4
# A sentence that shares more of its terms with a chosen one than this says the same again.
SAME_SENTENCE = 0.7
# A sentence with less of the best one's score has only a word in common with the question.
WORTH_QUOTING = 0.5
# Shorter pieces are headlines and crumbs.
MIN_TERMS = 4
# How a summary ends that was cut, here or by the engine.
_CUT = (ELLIPSIS, "...")


class Phrases(msgspec.Struct, frozen=True):
    """The fixed words of an answer in one language."""

    label: str
    lead: str
    no_answer: str
    nothing_found: str
    search_failed: str
    not_searched: str
    no_results: str


CHINESE = Phrases(
    label="（摘句回答：未配置语言模型，只摘录搜索结果中的句子。）",
    lead="根据搜索结果：",
    no_answer="搜索结果中没有能回答这个问题的句子，来源见下。",
    nothing_found="没有找到相关结果；未配置语言模型，无法凭自身知识回答。",
    search_failed="搜索没有成功；未配置语言模型，无法凭自身知识回答。",
    not_searched="没有进行联网搜索；未配置语言模型，无法凭自身知识回答：需要联网搜索。",
    no_results="本次没有可用的搜索结果；未配置语言模型，无法凭自身知识回答：需要一次成功的联网搜索。",
)
ENGLISH = Phrases(
    label="(Extractive answer: no language model is set, so it only quotes the search results.)",
    lead="From the search results:",
    no_answer="No sentence of the results answers this question; the sources are below.",
    nothing_found=(
        "Nothing was found, and no language model is set that could answer from its own knowledge."
    ),
    search_failed=(
        "The search did not work, and no language model is set that could answer from its own "
        "knowledge."
    ),
    not_searched=(
        "Nothing was searched for, and no language model is set that could answer from its own "
        "knowledge: it takes a web search."
    ),
    no_results=(
        "There are no search results this time, and no language model is set that could answer "
        "from its own knowledge: it takes a web search that works."
    ),
)


class Extract(msgspec.Struct, frozen=True):
    """A sentence of a result, and the number of that result."""

    text: str
    number: int


class _Candidate(msgspec.Struct, frozen=True):
    extract: Extract
    terms: frozenset[str]
    bag: tuple[str, ...]


def phrases_for(question: str) -> Phrases:
    """Return the fixed words in the language of ``question``."""
    return CHINESE if re.search("[\u4e00-\u9fff]", question) else ENGLISH


def extract(question: str, sources: Iterable[Source]) -> list[Extract]:
    """Return the sentences of ``sources`` that fit ``question``, best first, without repetitions.

    Sentences are ranked by BM25 over terms that work for Chinese and English alike; a sentence
    speaks under its page's title, so the title's terms count with it. One that was cut off is left
    out where a whole one is worth quoting. An empty list says that nothing shares a term with the
    question.
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
    whole = [candidate for candidate in worthy if not candidate.extract.text.endswith(_CUT)]
    chosen: list[_Candidate] = []
    for candidate in whole or worthy:
        if len(chosen) == MAX_SENTENCES:
            break
        if not any(_alike(candidate.terms, earlier.terms) for earlier in chosen):
            chosen.append(candidate)
    return [candidate.extract for candidate in chosen]


def _alike(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    return len(mine & theirs) > SAME_SENTENCE * min(len(mine), len(theirs))
