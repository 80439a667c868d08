"""The quality of extraction: mean F1 of runs of four words over a set of our own, pinned.

The set is pinned as well: who changes it states its new hash and, with it, that the floors were
measured again.
"""

from __future__ import annotations

import hashlib
from statistics import fmean

import pytest
from tests.extraction.corpus import ARTICLES, DATE, LAYOUTS, URL, Sample, samples
from tests.extraction.shingles import scores

from citeseek.extraction import Document, extract
from citeseek.models import Page

SHA256 = "a2325beaaadbcbeca24e92a70bd3ae59a0ad050d262e5bd3ac26a67d60f0c1b7"
FLOORS = {"f1": 0.965, "precision": 0.955, "recall": 0.98}
LAYOUT_FLOOR = 0.9


@pytest.fixture(scope="module")
def read() -> dict[str, tuple[Sample, Document]]:
    return {one.name: (one, extract(page(one))) for one in samples()}


def page(one: Sample) -> Page:
    return Page(url=URL, headers={"content-type": "text/html"}, body=one.html.encode())


def measured(one: Sample, document: Document) -> tuple[float, float, float]:
    return scores(one.article.text, document.text, one.article.title)


def test_the_set_is_the_one_that_was_measured() -> None:
    whole = "\n".join(f"{one.name}\n{one.html}\n{one.article.text}" for one in samples())
    assert hashlib.sha256(whole.encode()).hexdigest() == SHA256
    assert len(ARTICLES) * len(LAYOUTS) == 64


def test_the_measure_knows_best_and_worst() -> None:
    assert scores("a b c d e", "a b c d e") == (1, 1, 1)
    assert scores("a b c d e", "x y") == (0, 0, 0)
    assert scores("", "") == (1, 1, 1)
    assert scores("a b c d", "The title\na b c d", "The title")[0] == 1
    assert scores("一二三四五", "一二三四") == pytest.approx((2 / 3, 1, 1 / 2))


def test_the_texts_reach_the_floors(read) -> None:
    rows = [measured(one, document) for one, document in read.values()]
    for name, column in zip(FLOORS, zip(*rows, strict=True), strict=True):
        assert fmean(column) >= FLOORS[name], name


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_layout_is_read_badly(read, layout: str) -> None:
    rows = [measured(one, document) for one, document in read.values() if one.layout == layout]
    assert fmean(row[0] for row in rows) >= LAYOUT_FLOOR


def test_titles_languages_and_dates_are_right(read) -> None:
    for one, document in read.values():
        assert document.title == one.article.title
        assert document.language == one.article.language
        if one.layout != "bare":
            assert (document.published_at or "").startswith(DATE), one.name
