"""Pages that are nothing but a redirect: ``<meta http-equiv="refresh">`` after a moment."""

from __future__ import annotations

import re

from msgspec import structs

from citeseek.html import tree
from citeseek.models import Page
from citeseek.urls import joined

# A page that is to be read stays longer than this.
MAX_SECONDS = 3
_WITHIN = 16_384
_WITH_A_PAGE = range(200, 300)
_HINT = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh", re.IGNORECASE)
_CONTENT = re.compile(
    r"\s*(?P<seconds>\d{1,9})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?+(?P<url>.+)", re.IGNORECASE
)


def target(page: Page) -> str | None:
    """Return the address to which the HTML page sends its reader at once, None when it stays.

    A page that only loads itself again stays.
    """
    if page.status not in _WITH_A_PAGE:
        return None
    head = page.body[:_WITHIN]
    if "html" not in page.headers.get("content-type", "html").lower() or not _HINT.search(head):
        return None
    for meta in tree(structs.replace(page, body=head)).css("meta[http-equiv][content]"):
        if (meta.attributes.get("http-equiv") or "").strip().lower() != "refresh":
            continue
        found = _CONTENT.fullmatch(meta.attributes.get("content") or "")
        if found and int(found["seconds"]) <= MAX_SECONDS:
            url = found["url"].strip().strip("\"'").strip()
            return url if url and joined(page.url, url) != page.url else None
    return None
