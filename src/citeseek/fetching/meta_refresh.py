"""Pages that are nothing but a redirect: ``<meta http-equiv="refresh">`` after a moment."""

from __future__ import annotations

import re

from msgspec import structs
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.errors import WebParseError
from citeseek.extraction import bounds
from citeseek.models import Page
from citeseek.parsing.html import tree
from citeseek.urls import joined

# A page that is to be read stays longer than this.
MAX_SECONDS = 3
_WITHIN = 16_384
_WITH_A_PAGE = range(200, 300)
_HINT = re.compile(rb"http-equiv\s*+=\s*+[\"']?\s*+refresh", re.IGNORECASE)
_CONTENT = re.compile(
    r"\s*+(?P<seconds>\d{1,9})(?:\.\d*+)?\s*+[;,]\s*+(?:url\s*+=\s*+)?+(?P<url>.+)", re.IGNORECASE
)


def target(page: Page) -> str | None:
    """Return the address to which the HTML page sends its reader at once, None when it stays.

    A page that only loads itself again stays. What is for browsers without scripts counts where
    there is no page for others.
    """
    if page.status not in _WITH_A_PAGE:
        return None
    head = page.body[:_WITHIN]
    if "html" not in page.headers.get("content-type", "html").lower() or not _HINT.search(head):
        return None
    try:
        bounds.check(head)
    except WebParseError:
        # To read it takes more than it may; whoever reads the page says so.
        return None
    document = tree(structs.replace(page, body=head))
    for meta in document.css("meta[http-equiv][content]"):
        named = (meta.attributes.get("http-equiv") or "").strip().lower()
        if named != "refresh" or (_is_in_noscript(meta) and _has_more(page, document)):
            continue
        found = _CONTENT.fullmatch(meta.attributes.get("content") or "")
        if found and int(found["seconds"]) <= MAX_SECONDS:
            url = found["url"].strip().strip("\"'").strip()
            return url if url and joined(page.url, url) != page.url else None
    return None


def _is_in_noscript(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag != "noscript":
        parent = parent.parent
    return parent is not None


def _has_more(page: Page, document: LexborHTMLParser) -> bool:
    """Whether the page shows anything, or scripts have a place to show it."""
    if len(page.body) > _WITHIN or document.body is None:
        return len(page.body) > _WITHIN
    document.strip_tags(["script", "style", "noscript"])
    return bool(document.css("body > *")) or bool(document.body.text().strip())
