"""How well texts fit a question: BM25 over terms that work for Chinese and English alike."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from citeseek.text import terms


def relevance(question: str, bags: Sequence[Sequence[str]]) -> list[float]:
    """Return the BM25 score of each of ``bags`` (the terms of a text) for ``question``, from 0.

    All are 0 when no text shares a term with the question.
    """
    known = frozenset[str]().union(*bags)
    asked = [term for term in terms(question) if term in known]
    if not asked:
        return [0.0] * len(bags)
    import bm25s  # type: ignore[import-untyped]  # noqa: PLC0415 - numpy costs 150 ms

    # It announces each index on its own logger, at a level of its own.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    ranker = bm25s.BM25()
    ranker.index([list(bag) for bag in bags], show_progress=False)
    scores: list[float] = ranker.get_scores(asked).tolist()
    return scores
