"""Titles, authors and dates of 168 pages in 12 languages, with pinned floors."""

from __future__ import annotations

import pytest
from tests.extraction.dated_pages import STRUCTURES, WORDS, DatedPage, pages

from citeseek.extraction import Document, extract
from citeseek.models import Page

RIGHT = 0.95
WRONG = 0.02


@pytest.fixture(scope="module")
def read() -> list[tuple[DatedPage, Document]]:
    return [(one, extract(page(one))) for one in pages()]


def page(one: DatedPage) -> Page:
    return Page(url=one.url, headers={"content-type": "text/html"}, body=one.html.encode())


def outcome(pairs: list[tuple[str, str]]) -> tuple[float, float]:
    """Return the shares of ``pairs`` (wanted, found) that are right, and that say another thing."""
    right = sum(wanted == found for wanted, found in pairs)
    wrong = sum(bool(found) and wanted != found for wanted, found in pairs)
    return right / len(pairs), wrong / len(pairs)


def test_the_set_is_whole(read) -> None:
    assert len(read) == 168
    assert len(WORDS) == 12
    assert len(STRUCTURES) == 28
    assert len({one.html for one, _ in read}) == 168


@pytest.mark.parametrize("fact", ["title", "author", "published", "updated"])
def test_what_pages_say_of_themselves_reaches_the_floors(read, fact: str) -> None:
    found = {
        "title": lambda document: document.title,
        "author": lambda document: document.author or "",
        "published": lambda document: (document.published_at or "")[:10],
        "updated": lambda document: (document.updated_at or "")[:10],
    }[fact]
    pairs = [(getattr(one, fact), found(document)) for one, document in read]
    right, wrong = outcome(pairs)
    failed = [
        (one.name, pair) for (one, _), pair in zip(read, pairs, strict=True) if pair[0] != pair[1]
    ]
    assert right >= RIGHT, failed
    assert wrong <= WRONG, failed
