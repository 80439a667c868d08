"""A source's address as the target of a Markdown link."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_WEB = re.compile(r"https?://[^\s/?#\\<>\"|`]+(?:[/?#]|\Z)", re.IGNORECASE)
# What could end the target, split a table cell, or open code, math or HTML around it.
_UNSAFE = re.compile(
    r"[\s\x00-\x20\x7f-\x9f\\<>()\"|`$^{}\u200b-\u200f\u2028-\u202e\ud800-\udfff\ufeff]"
)
_ENTITY = re.compile(r"&(?=#?\w+;)")


def link_target(url: str) -> str | None:
    """Return ``url`` so that every Markdown reader takes it whole, None when it must not be linked.

    Only addresses of the web are linked. Characters that mean something to a reader are
    percent-encoded, all others stay as they are.
    """
    try:
        linkable = _WEB.match(url) and urlsplit(url).hostname
        written = _UNSAFE.sub(_encoded, url)
    except ValueError:  # a host that cannot be one, or half a character
        return None
    return _ENTITY.sub("&amp;", written) if linkable else None


def _encoded(character: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in character[0].encode())
