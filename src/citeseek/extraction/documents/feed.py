"""The entries of feeds (RSS, Atom), by feedparser."""

from __future__ import annotations

import io
import re
from html import escape
from typing import Any

from citeseek.extraction.documents.document_reader import (
    DocumentPart,
    DocumentReader,
    DocumentReading,
    Unreadable,
)
from citeseek.extraction.documents.html_parts import paragraph
from citeseek.models import Page
from citeseek.parsing import bounds
from citeseek.text import encodable, plain_line

MAX_ENTRIES = 500
_START = 2_048
_ENTITY = b"<!ENTITY"
_ROOT = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>|<\?xml-stylesheet[^>]*+>|<!--(?:[^-]|-(?!->))*+-->|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\])?[^>]*+>|\s++)*+"
    rb"<(?:rss[\s>]|rdf:RDF[\s>]|(?:\w+:)?feed[\s>][^>]*?http://www\.w3\.org/2005/Atom)"
)
_MARK = b"\xef\xbb\xbf"


def read(page: Page) -> DocumentReading:
    """Return the entries as they come, each with its title as a link and its day."""
    import feedparser  # type: ignore[import-untyped] # noqa: PLC0415 - 130 ms

    if _ENTITY in page.body:
        raise Unreadable("broken")
    found = feedparser.parse(io.BytesIO(page.body), resolve_relative_uris=False, sanitize_html=True)
    about = found.get("feed", {})
    entries = found.get("entries", [])
    html = paragraph([_line(about.get("subtitle"))])
    for entry in entries[:MAX_ENTRIES]:
        html += _entry(entry)
    if not html and found.get("bozo"):
        raise Unreadable("broken")
    days = sorted(filter(None, map(_day, entries)))
    return DocumentReading(
        parts=(DocumentPart(html),),
        title=_line(about.get("title")),
        author=_line(about.get("author")),
        updated_at=days[-1] if days else None,
        is_cut=len(entries) > MAX_ENTRIES,
    )


def _entry(entry: Any) -> str:
    title = escape(_line(entry.get("title")))
    link = escape(_line(entry.get("link")), quote=True)
    said = [one.get("value", "") for one in entry.get("content", ())] or [entry.get("summary", "")]
    text = encodable(" ".join(said))
    bounds.check(text.encode())
    about = [_day(entry) or "", _line(entry.get("author"))]
    head = f'<h2><a href="{link}">{title}</a></h2>' if title or link else ""
    return f"{head}{paragraph([' · '.join(filter(None, about))])}<div>{text}</div>"


def _day(entry: Any) -> str | None:
    moment = entry.get("published_parsed") or entry.get("updated_parsed")
    return f"{moment[0]:04}-{moment[1]:02}-{moment[2]:02}" if moment else None


def _line(text: Any) -> str:
    return plain_line(encodable(re.sub(r"<[^>]*+>", "", str(text or ""))))[:500]


READER = DocumentReader(
    kind="feed",
    types={
        ".rss": "application/rss+xml",
        ".atom": "application/atom+xml",
        ".rdf": "application/rdf+xml",
    },
    read=read,
    is_one=lambda body: _ROOT.match(body.removeprefix(_MARK)[:_START]) is not None,
    libraries=("feedparser",),
    is_text=True,
)
