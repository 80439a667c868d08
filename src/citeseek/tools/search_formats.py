"""The shapes in which the faces give an answer on: four kinds of JSON and text for a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import to_builtins

from citeseek.catalogue import BOTH, catalogue
from citeseek.errors import CiteseekError, InvalidInput, ToolNotFound
from citeseek.models import SearchItem, SearchResponse
from citeseek.text import shorten

SUMMARY_CHARS = 200
_INDENT = "  "
# A model needs no more of a failure than its sentence and its hint.
FAILURE_CHARS = 1_000


class ShownResult(Protocol):
    """What a result needs to be written down for a model."""

    @property
    def title(self) -> str:
        """Its title."""
        ...

    @property
    def url(self) -> str:
        """Its address."""
        ...

    @property
    def snippet(self) -> str:
        """Its summary, perhaps empty."""
        ...


def full(response: SearchResponse) -> dict[str, Any]:
    """Return everything that is known of an answer, for the command line and REST."""
    return {
        **to_builtins(response),
        "query": to_builtins(response.query),
        "items": [{**to_builtins(item), "domain": item.domain} for item in response.items],
        "count": response.count,
    }


def contract(response: SearchResponse) -> dict[str, Any]:
    """Return the tool contract's ``{"items": [...]}`` (web.search)."""
    return {"items": [_contract_item(item) for item in response.items]}


def results(response: SearchResponse, query: str) -> dict[str, Any]:
    """Return the browser face's ``{"query", "results"}``; ``query`` is the caller's own text."""
    return {
        "query": query,
        "results": [
            {"title": item.title, "url": item.url, "snippet": item.snippet, "source": item.domain}
            for item in response.items
        ],
    }


def provider_result(response: SearchResponse) -> dict[str, Any]:
    """Return the configured agent's structure, with its camelCase names."""
    return {
        "query": response.query.text,
        "provider": response.provider,
        "results": [_provider_item(item) for item in response.items],
        "count": response.count,
        "tookMs": response.took_ms,
        "cached": response.cached,
    }


def prompt_block(
    items: Sequence[SearchItem],
    numbers: Sequence[int],
    *,
    summary_chars: int = SUMMARY_CHARS,
    passages: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """Return the numbered list that Chat mode puts into the prompt.

    A result whose page was read has ``passages`` of it, each on one line, in place of its summary.
    """
    read = passages or {}
    return "\n\n".join(
        f"{number}. {item.title}\n   来源: {item.site_name or item.domain}\n   网址: {item.url}\n"
        + (
            "\n".join(("   正文摘录:", *(f"   - {passage}" for passage in read[number])))
            if number in read
            else f"   摘要: {shorten(item.snippet, summary_chars)}"
        )
        for number, item in zip(numbers, items, strict=True)
    )


def compact(
    items: Sequence[ShownResult], numbers: Sequence[int], *, summary_chars: int = SUMMARY_CHARS
) -> str:
    """Return the short text that a tool gives a model: number, title, address, summary.

    Addresses stand in angle brackets, so that no sign behind them is taken for a part of them. A
    summary is indented, so that none looks like the heading of another result.
    """
    if not items:
        return nothing_found()
    return "\n".join(
        f"[{number}] {item.title} <{item.url}>\n"
        f"{_INDENT}{shorten(item.snippet, summary_chars)}".rstrip()
        for number, item in zip(numbers, items, strict=True)
    )


def nothing_found() -> str:
    """Return what a model is told of a search without results."""
    return catalogue(BOTH)("tool.nothing_found")


def failure_text(error: CiteseekError, otherwise: str = "tool.search_failed") -> str:
    """Return what a model is told of a failure: what it can mend, or that it must do without.

    ``otherwise`` is the sentence of the catalogue for what a model cannot mend.
    """
    say = catalogue(BOTH)
    if isinstance(error, InvalidInput | ToolNotFound):
        return say("tool.invalid_argument", reason=say.sentence(error))
    return say(otherwise, reason=say.sentence(error))[:FAILURE_CHARS]


def _contract_item(item: SearchItem) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "title": item.title,
        "url": item.url,
        "snippet": item.snippet,
        "provider": item.provider,
        "rank": item.rank,
    }
    reserved = {"source": item.source, "published_at": item.published_at}
    return fields | {name: value for name, value in reserved.items() if value}


def _provider_item(item: SearchItem) -> dict[str, Any]:
    optional = {
        "description": item.snippet,
        "published": item.published_at,
        "siteName": item.site_name or item.domain,
    }
    return {"title": item.title, "url": item.url} | {
        name: value for name, value in optional.items() if value
    }
