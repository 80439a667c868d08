"""A page that was found and read, and the passages that it is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from citeseek.locators import PageStart
from citeseek.text import sentences, terms
from citeseek.urls import domain

# A passage is what a reader takes in at once: a few sentences of one paragraph.
PASSAGE_CHARS = 300
# A sentence that goes on for longer is a table or a list, of which the beginning is quoted.
MAX_SENTENCE_CHARS = 600
# Shorter pieces are headlines and crumbs.
MIN_TERMS = 5
HEADING_CHARS = 80
# How a line ends that says something; dates and names of authors stand alone under a heading.
_STATEMENT = r"[.!。！；;：:…]\W*$"


class ReadPage(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page, and how it was found.

    ``url`` is the address that the search gave, ``final_url`` the one whose page it is. ``title``
    is the page's own, else that of the search; ``snippet`` and ``provider`` are the search's.
    ``pages`` tell where in ``text`` those of a document begin.
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
    pages: tuple[PageStart, ...] = ()

    @property
    def domain(self) -> str:
        """The host of the page, without ``www.``; the name of a file that has none."""
        return domain(self.final_url) or self.site_name


class PagePassage(msgspec.Struct, frozen=True):
    """A piece of a page's text, letter by letter: ``text`` stands there at ``start``.

    ``page`` is the place of the page among those that are ranked together, from 0, ``sentences``
    are those of the piece. ``heading`` is the heading or question that it stands under, if any.
    """

    page: int
    start: int
    text: str
    sentences: tuple[str, ...]
    heading: str = ""


def is_question(sentence: str) -> bool:
    """Whether ``sentence`` asks: it says nothing that could be quoted."""
    return bool(re.search(r"[?？]\W*$", sentence))


def passages(page: int, text: str) -> Iterator[PagePassage]:
    """Yield the passages of ``text``: neighbouring sentences of one line, up to 300 characters."""
    heading = ""
    offset = 0
    for line in text.splitlines(keepends=True):
        if _is_heading(line):
            heading = line.strip() or heading
        else:
            above = heading if re.search(_STATEMENT, line) else ""
            for group in _group(line):
                start, end = group[0][0], group[-1][0] + len(group[-1][1])
                quote = line[start:end]
                if len(terms(quote)) >= MIN_TERMS:
                    said = tuple(sentence for _, sentence in group)
                    yield PagePassage(page, offset + start, quote, said, above)
        offset += len(line)


def _group(line: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the sentences of ``line`` with their places, as many together as make a passage."""
    group: list[tuple[int, str]] = []
    at = 0
    for sentence in sentences(line):
        start = line.index(sentence, at)
        at = start + len(sentence)
        if group and at - group[0][0] > PASSAGE_CHARS:
            yield group
            group = []
        group.append((start, sentence[:MAX_SENTENCE_CHARS]))
    if group:
        yield group


def _is_heading(line: str) -> bool:
    """Whether the next lines are to be read under this one: a question, or a few words alone."""
    if all(map(is_question, sentences(line))):
        return True
    return len(line) <= HEADING_CHARS and not re.search(rf"\d|{_STATEMENT}", line)
