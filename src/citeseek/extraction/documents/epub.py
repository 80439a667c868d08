"""The text of books (EPUB), chapter by chapter."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from citeseek.extraction.documents import archive
from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
    Unreadable,
)
from citeseek.extraction.documents.html_parts import parse_xml
from citeseek.locators import Locator
from citeseek.models import Page
from citeseek.parsing import bounds
from citeseek.parsing.charset import utf8
from citeseek.parsing.iso_dates import parse_date
from citeseek.text import encodable, plain_line

MAX_CHAPTERS = 1_000
_CONTAINER = "META-INF/container.xml"
_LOCKS = "META-INF/encryption.xml"
_RIGHTS = "META-INF/rights.xml"
# How fonts are scrambled: by the EPUB specification, and by Adobe.
_OF_FONTS = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_READ = (".xhtml", ".html", ".htm", ".xml", ".opf")
_HTML = frozenset({"application/xhtml+xml", "text/html"})
_NAME = 60


def read(page: Page) -> DocumentReading:
    """Return the chapters in the order in which the book is read."""
    parts = archive.parts(page.body, lambda name: name.endswith(_READ))
    main = next(_find(parse_xml(parts[_CONTAINER]), "rootfile")).get("full-path", "")
    package = parse_xml(parts[main])
    items = {
        node.get("id"): archive.resolve(main, unquote(node.get("href", "")))
        for node in _find(package, "item")
        if node.get("media-type") in _HTML
    }
    spine = [
        items[node.get("idref")] for node in _find(package, "itemref") if node.get("idref") in items
    ]
    if _LOCKS in parts and (_RIGHTS in parts or not _locked(parts[_LOCKS]).isdisjoint(spine)):
        raise Unreadable("locked")
    chapters = [
        _chapter(parts[name], number)
        for number, name in enumerate(spine[:MAX_CHAPTERS], 1)
        if name in parts
    ]
    return DocumentReading(
        parts=tuple(chapters),
        title=_read_field(package, "title"),
        author=_read_field(package, "creator"),
        published_at=parse_date(_read_field(package, "date")[:10]),
        is_cut=len(spine) > MAX_CHAPTERS,
    )


def _locked(locks: bytes) -> set[str]:
    """Return the parts that are encrypted; fonts alone may be scrambled in a book that is open.

    The form is that of XML Encryption (https://www.w3.org/TR/epub-33/#sec-encryption.xml).
    """
    return {
        unquote(reference.get("URI", "")).removeprefix("/")
        for data in _find(parse_xml(locks), "EncryptedData")
        if all(way.get("Algorithm") not in _OF_FONTS for way in _find(data, "EncryptionMethod"))
        for reference in _find(data, "CipherReference")
    }


def _chapter(part: bytes, number: int) -> DocumentPart:
    html = utf8(Page(url="", body=part))
    bounds.check(html)
    first = LexborHTMLParser(html).css_first("h1, h2, h3")
    name = plain_line(encodable(first.text())) if first is not None else ""
    return DocumentPart(html.decode("utf-8", "replace"), Locator("chapter", number, name[:_NAME]))


def _find(root: Any, name: str) -> Any:
    return root.iter("{*}" + name)


def _read_field(package: Any, name: str) -> str:
    node = next(_find(package, name), None)
    return plain_line(encodable(node.text or ""))[:500] if node is not None else ""


READER = DocumentReader(
    kind="epub",
    types={".epub": "application/epub+zip"},
    read=read,
    is_one=lambda body: _CONTAINER in archive.names(body),
    libraries=("lxml",),
)
