"""The shapes in which the faces give a page on: two kinds of JSON, and text for a model."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from citeseek.fetching.response import FetchResponse

# The words of the tool contract for how text was found.
_METHODS = {"trafilatura": "trafilatura", "plain": "fallback"}


def full(response: FetchResponse) -> dict[str, Any]:
    """Return everything that is known of a page, for the command line and REST."""
    return {**to_builtins(response), "domain": response.domain}


def contract(response: FetchResponse) -> dict[str, Any]:
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


def head(response: FetchResponse, number: int | None = None) -> str:
    """Return the lines above the text: number, title and address, then what is known of it."""
    first = f"{response.title} <{response.final_url}>".strip()
    about = " · ".join(filter(None, (response.site_name or response.domain, response.published_at)))
    return f"{f'[{number}] ' if number else ''}{first}\n{about}"
