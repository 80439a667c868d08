"""The shapes in which the faces give an answer on: four kinds of JSON and text for a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import to_builtins

from citeseek.errors import CiteseekError, InvalidInput, ToolNotFound
from citeseek.i18n import Catalogue
from citeseek.models import SearchItem, SearchResponse
from citeseek.text import day_of, shorten

SUMMARY_CHARS = 200
_INDENT = "  "
# A model needs no more of a failure than its sentence and its hint.
FAILURE_CHARS = 1_000
# Of the authors of a paper, or the tags of a question, before the rest is left out.
NAMES_SHOWN = 3


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
    say: Catalogue,
    *,
    summary_chars: int = SUMMARY_CHARS,
    passages: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """Return the numbered list that Chat mode puts into the prompt, in the words of ``say``.

    A result whose page was read has ``passages`` of it, each on one line, in place of its summary.
    """
    read = passages or {}
    source, address, summary, quoted = (
        say(f"tool.of_{part}") for part in ("source", "address", "summary", "passages")
    )
    return "\n\n".join(
        f"{number}. {item.title}\n   {source}: {item.site_name or item.domain}\n"
        f"   {address}: {item.url}\n"
        + (
            "\n".join((f"   {quoted}:", *(f"   - {passage}" for passage in read[number])))
            if number in read
            else f"   {summary}: {shorten(item.snippet, summary_chars)}"
        )
        for number, item in zip(numbers, items, strict=True)
    )


def compact(
    items: Sequence[ShownResult],
    numbers: Sequence[int],
    say: Catalogue,
    *,
    summary_chars: int = SUMMARY_CHARS,
    details: Sequence[str] = (),
) -> str:
    """Return the short text that a tool gives a model: number, title, address, summary.

    ``say`` tells that there are none. ``details`` are what is said of each before its summary, on a
    line of its own; see :func:`details_of`.

    Addresses stand in angle brackets, so that no sign behind them is taken for a part of them. A
    summary is indented, so that none looks like the heading of another result.
    """
    if not items:
        return nothing_found(say)
    details = details or [""] * len(items)
    return "\n".join(
        "\n".join(
            (
                f"[{number}] {item.title} <{item.url}>",
                *(f"{_INDENT}{text}" for text in (known, summary) if text),
            )
        )
        for number, item, known in zip(numbers, items, details, strict=True)
        for summary in (shorten(item.snippet, summary_chars).rstrip(),)
    )


def details_of(response: SearchResponse, say: Catalogue, *, dated: bool = True) -> list[str]:
    """Return what is known of each result beside its text, on a line; nothing of web pages.

    The day stands there when it is to be ``dated``.
    """
    if response.query.category == "web":
        return [""] * len(response.items)
    return [_details(item, say, dated=dated) for item in response.items]


def _details(item: SearchItem, say: Catalogue, *, dated: bool) -> str:
    known: list[str | None] = []
    if paper := item.paper:
        known += [_some(paper.authors), paper.venue, paper.doi and f"doi:{paper.doi}"]
        known.append(_count(say, "tool.citations", paper.citations))
    if video := item.video:
        known += [video.channel, _clock(video.seconds)]
        known.append(_count(say, "tool.views", video.views))
    if (image := item.image) and image.width and image.height:
        known.append(f"{image.width} × {image.height}")
    if code := item.code:
        known += [code.language, _some(code.tags), code.license]
        known.append(_count(say, "tool.stars", code.stars))
        known.append(_count(say, "tool.votes", code.votes))
        known.append(_count(say, "tool.answers", code.answers))
        known.append(say("tool.answered") if code.is_answered else None)
    if not item.paper:
        known.insert(0, item.site_name)
    known.append(day_of(item.published_at) if dated and item.published_at else None)
    return " · ".join(dict.fromkeys(filter(None, known)))


def _some(names: Sequence[str]) -> str:
    rest = ["…"] if len(names) > NAMES_SHOWN else []
    return ", ".join((*names[:NAMES_SHOWN], *rest))


def _count(say: Catalogue, key: str, number: int | None) -> str | None:
    return None if number is None else say(key, count=f"{number:,}")


def _clock(seconds: int | None) -> str | None:
    if seconds is None:
        return None
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def nothing_found(say: Catalogue) -> str:
    """Return what a model is told of a search without results."""
    return say("tool.nothing_found")


def failure_text(
    error: CiteseekError, say: Catalogue, otherwise: str = "tool.search_failed"
) -> str:
    """Return what a model is told of a failure: what it can mend, or that it must do without.

    ``otherwise`` is the sentence of the catalogue for what a model cannot mend.
    """
    is_argument = isinstance(error, InvalidInput | ToolNotFound)
    # No tool takes an engine from a model: the settings named one that there is not.
    if is_argument and error.values.get("case") not in ("no_engine", "no_engine_but_near"):
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
