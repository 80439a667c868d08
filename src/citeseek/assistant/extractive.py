"""The model of last resort: answers with the sentences of the results that fit a question best.

It invents nothing and knows nothing: every sentence is a result's own and carries that result's
number. It stands in where no language model is configured, and says so in every answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from citeseek.models import SearchItem
from citeseek.text import sentences, terms

MAX_SENTENCES = 4
# A sentence that shares more of its terms with a chosen one than this says the same again.
SAME_SENTENCE = 0.7
# Shorter pieces are headlines and crumbs.
MIN_TERMS = 4

_HAN = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Phrases:
    """The fixed words of an answer in one language."""

    label: str
    lead: str
    nothing: str
    without_search: str


CHINESE = Phrases(
    label="（摘句回答：未配置语言模型，以下句子均摘自搜索结果。）",
    lead="根据搜索结果：",
    nothing="搜索结果中没有能回答这个问题的句子，来源见下。",
    without_search="没有搜索结果可用；未配置语言模型，无法凭自身知识回答。",
)
ENGLISH = Phrases(
    label="(Extractive answer: no language model is set; every sentence is taken from a result.)",
    lead="From the search results:",
    nothing="No sentence of the results answers this question; the sources are below.",
    without_search=(
        "There are no search results to answer from, and no language model is set that could "
        "answer from its own knowledge."
    ),
)


@dataclass(frozen=True, slots=True)
class _Sentence:
    number: int
    text: str
    terms: tuple[str, ...]


def answer(question: str, sources: Mapping[int, SearchItem]) -> str:
    """Return an answer to ``question`` from ``sources``, which are looked up by their numbers.

    The text is Markdown with [n] behind each sentence, in the language of the question.
    """
    phrases = CHINESE if _HAN.search(question) else ENGLISH
    if not sources:
        return f"{phrases.without_search}\n\n{phrases.label}"
    chosen = _best(question, _sentences(sources))
    if not chosen:
        return f"{phrases.nothing}\n\n{phrases.label}"
    lines = "\n".join(f"- {sentence.text} [{sentence.number}]" for sentence in chosen)
    return f"{phrases.lead}\n\n{lines}\n\n{phrases.label}"


def _sentences(sources: Mapping[int, SearchItem]) -> list[_Sentence]:
    return [
        _Sentence(number, text, found)
        for number, item in sources.items()
        for text in sentences(item.snippet)
        if len(found := tuple(terms(text))) >= MIN_TERMS
    ]


def _best(question: str, pool: list[_Sentence]) -> list[_Sentence]:
    """Return the sentences with the highest BM25 scores, without repetitions, best first."""
    asked = [term for term in terms(question) if any(term in entry.terms for entry in pool)]
    if not asked:
        return []
    import bm25s  # noqa: PLC0415 - numpy costs 150 ms that a plain search need not pay

    ranker = bm25s.BM25()
    ranker.index([list(entry.terms) for entry in pool], show_progress=False)
    scores = ranker.get_scores(asked)
    order = sorted(range(len(pool)), key=lambda at: (-scores[at], at))
    chosen: list[_Sentence] = []
    for at in order:
        if scores[at] <= 0 or len(chosen) == MAX_SENTENCES:
            break
        if not any(_alike(pool[at], earlier) for earlier in chosen):
            chosen.append(pool[at])
    return chosen


def _alike(one: _Sentence, other: _Sentence) -> bool:
    mine, theirs = set(one.terms), set(other.terms)
    return len(mine & theirs) > SAME_SENTENCE * min(len(mine), len(theirs))
