"""A page that was found and read, and the passages that it is made of."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from citeseek.text import sentences, terms
from citeseek.urls import domain

# A passage is what a reader takes in at once: a few sentences of one paragraph.
PASSAGE_CHARS = 300
# A sentence that goes on for longer is a table or a list, of which the beginning is quoted.
MAX_SENTENCE_CHARS = 600
# Shorter pieces are headlines and crumbs.
MIN_TERMS = 5


class ReadPage(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page, and how it was found.

    ``url`` is the address that the search gave, ``final_url`` the one whose page it is. ``title``
    is the page's own, else that of the search; ``snippet`` and ``provider`` are the search's.
    """

    url: str
    final_url: str
    title: str
    snippet: str
    provider: str
    text: str
    site_name: str = ""
    published_at: str = ""
    content_type: str = ""

    @property
    def domain(self) -> str:
        """The host of the page, without ``www.``."""
        return domain(self.final_url)


class Passage(msgspec.Struct, frozen=True):
    """A piece of a page's text, letter by letter: ``text`` stands there at ``start``.

    ``page`` is the place of the page among those that are ranked together, from 0.
    """

    page: int
    start: int
    text: str
    terms: tuple[str, ...]


def passages(page: int, text: str) -> Iterator[Passage]:
    """Yield the passages of ``text``: neighbouring sentences of one line, up to 300 characters."""
    for first, end in _spans(text):
        quote = text[first:end]
        if len(own := terms(quote)) >= MIN_TERMS:
            yield Passage(page, first, quote, tuple(own))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    offset = 0
    for line in text.splitlines(keepends=True):
        first = end = None
        at = offset
        for sentence in sentences(line):
            start = text.index(sentence, at)
            at = start + len(sentence)
            if first is not None and end is not None and at - first > PASSAGE_CHARS:
                yield first, end
                first = None
            first = start if first is None else first
            end = min(at, first + MAX_SENTENCE_CHARS)
        if first is not None and end is not None:
            yield first, end
        offset += len(line)
