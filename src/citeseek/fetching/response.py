"""What came of fetching a page, and the shapes in which the faces give it on."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import structs, to_builtins

from citeseek.extraction import LicenceSource, Source
from citeseek.extras import Fault
from citeseek.locators import PageStart
from citeseek.text import shorten
from citeseek.urls import domain


class FetchResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A page as text.

    ``url`` is the address that was asked for, ``final_url`` the one whose page it is, ``redirects``
    each address that a redirect led to, the last of them ``final_url``. ``text`` is plain text or
    Markdown and may be cut (``truncated``): at a number of characters, or since the page went on
    after the limit of bytes. ``extraction_method`` is how the text was found: ``trafilatura``,
    ``plain``, ``json``, ``text`` or the kind of a document; ``pages`` tell where in ``text`` the
    parts of a document begin. ``degraded`` are the libraries without which it was read worse than
    it could be, ``chrome`` among them. ``rendered`` tells that it was read as its scripts left it
    in a browser. ``published_at`` and ``updated_at`` are ISO 8601; ``published_in``
    and ``updated_in`` tell where on the page they stand: ``json-ld``, ``meta``, ``markup``,
    ``text``, ``address`` or ``script``. ``license`` is the address of its licence or what the page
    says of it, ``license_in`` tells where: ``markup``, ``json-ld``, ``meta`` or ``text``.
    ``took_ms`` is the wall time, 0 for a ``cache_hit``.
    """

    url: str
    final_url: str
    status_code: int
    content_type: str
    text: str
    pages: tuple[PageStart, ...] = ()
    truncated: bool = False
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
    canonical_url: str | None = None
    extraction_method: str = "none"
    redirects: tuple[str, ...] = ()
    degraded: tuple[Fault, ...] = ()
    rendered: bool = False
    received_bytes: int = 0
    cache_hit: bool = False
    took_ms: int = 0

    @property
    def domain(self) -> str:
        """The host of the page, without ``www.``."""
        return domain(self.final_url)

    def cut(self, max_chars: int) -> FetchResponse:
        """Return the page with at most ``max_chars`` characters of text."""
        if len(self.text) <= max_chars:
            return self
        return structs.replace(self, text=shorten(self.text, max_chars), truncated=True)


# The words of the tool contract for how text was found.
_METHODS = {"trafilatura": "trafilatura", "plain": "fallback"}


def describe_page(response: FetchResponse) -> dict[str, Any]:
    """Return everything that is known of a page, for the command line and REST."""
    return {**to_builtins(response), "domain": response.domain}


def write_contract_output(response: FetchResponse) -> dict[str, Any]:
    """Return the tool contract's output of ``web.fetch``."""
    optional = {
        "title": response.title,
        "extraction_method": _METHODS.get(response.extraction_method),
        "site_name": response.site_name,
        "published_at": response.published_at,
        "language": response.language,
        "degraded": to_builtins(response.degraded),
        "rendered": response.rendered,
        "pages": to_builtins(response.pages),
    }
    return {
        "url": response.url,
        "status_code": response.status_code,
        "content_type": response.content_type,
        "text": response.text,
        "truncated": response.truncated,
        "final_url": response.final_url,
        "extracted_text": response.text,
        "cache_hit": response.cache_hit,
    } | {name: value for name, value in optional.items() if value}


def write_page_head(response: FetchResponse, number: int | None = None) -> str:
    """Return the lines above the text: number, title and address, then what is known of it."""
    first = f"{response.title} <{response.final_url}>".strip()
    about = " · ".join(filter(None, (response.site_name or response.domain, response.published_at)))
    return f"{f'[{number}] ' if number else ''}{first}\n{about}"
