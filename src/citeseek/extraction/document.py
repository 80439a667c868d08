"""What is read out of a page."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from citeseek.extraction.dates import Source
from citeseek.extraction.documents.document_reader import DocumentKind
from citeseek.extraction.licence import LicenceSource
from citeseek.extras import Fault
from citeseek.locators import PageStart

Form: TypeAlias = Literal["text", "markdown"]
Method: TypeAlias = DocumentKind | Literal["trafilatura", "plain", "json", "text", "none"]


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page, and what the page says of itself.

    ``text`` is plain text or Markdown, as it was asked for. In plain text a link is its words
    alone; in Markdown it has its absolute ``http(s)`` address, and letters that Markdown would take
    for marks are escaped. ``method`` tells how it was read: ``plain`` is our own reading of an HTML
    page that trafilatura does not read, ``none`` goes with an empty text. ``pages`` tell where
    in ``text`` the pages of a document begin, or its slides, sheets, chapters or minutes.
    ``subtitles`` are the addresses of those of the page's videos.
    ``published_at`` and ``updated_at`` are ISO 8601, ``published_in`` and ``updated_in`` tell where
    on the page they stand. ``license`` is the address of the page's licence, or what it says of it,
    ``license_in`` where. ``language`` is a two-letter code. ``is_cut`` says that the page goes on
    after ``text``, ``awaits_scripts`` that scripts promise more than that. ``degraded`` are the
    libraries without which the page was read worse than it could be.
    """

    text: str
    pages: tuple[PageStart, ...] = ()
    subtitles: tuple[str, ...] = ()
    method: Method
    media_type: str
    title: str = ""
    site_name: str | None = None
    author: str | None = None
    published_at: str | None = None
    published_in: Source | None = None
    updated_at: str | None = None
    updated_in: Source | None = None
    license: str | None = None
    license_in: LicenceSource | None = None
    language: str | None = None
    charset: str | None = None
    canonical_url: str | None = None
    is_cut: bool = False
    awaits_scripts: bool = False
    degraded: tuple[Fault, ...] = ()


def join_subtitles(page: Document, subtitles: Document) -> Document:
    """Return ``page`` with the text of ``subtitles`` behind its own, by the minute."""
    before = f"{page.text}\n\n" if page.text else ""
    starts = tuple(PageStart(len(before) + start.start, start.locator) for start in subtitles.pages)
    return msgspec.structs.replace(
        page,
        text=f"{before}{subtitles.text}",
        pages=starts,
        method=page.method if page.text else subtitles.method,
        is_cut=page.is_cut or subtitles.is_cut,
    )
