"""``/search`` and ``/extract`` with JSON bodies, as programs know them of Tavily."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Request
from msgspec import UNSET, Meta, UnsetType
from starlette.responses import Response

from citeseek import observing
from citeseek.assistant.client_pool import Clients
from citeseek.client import Client
from citeseek.errors import CiteseekError
from citeseek.fetching.options import MAX_SECONDS, MIN_SECONDS
from citeseek.fetching.response import FetchResponse
from citeseek.models import SearchItem
from citeseek.query import Category
from citeseek.searching.planning import SearchFields
from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.error_formats import TAVILY_PREFIX, TavilyFailure
from citeseek.surfaces.web.pages_together import read_together
from citeseek.surfaces.web.parameters import Fixed, read_parameters, refuse

MOST_RESULTS, MOST_PAGES = 20, 20
_TOPICS: dict[str, Category] = {"general": "web", "news": "news"}
_PERIODS = {"d": "day", "w": "week", "m": "month", "y": "year"}
# Sent in the body by old clients, which the door has not looked at.
BESIDE = frozenset({"api_key"})
_NOT_HERE = "is not given here."
FIXED = {
    "include_answer": Fixed(
        "include_answer: a search answers nothing here; /v1/responses does.", (False,)
    ),
    "include_images": Fixed(f"include_images {_NOT_HERE}", (False,)),
    "include_image_descriptions": Fixed(f"include_image_descriptions {_NOT_HERE}", (False,)),
    "include_favicon": Fixed(f"include_favicon {_NOT_HERE}", (False,)),
    "include_usage": Fixed(f"include_usage {_NOT_HERE}", (False,)),
    "auto_parameters": Fixed(f"auto_parameters {_NOT_HERE}", (False,)),
    "exact_match": Fixed(f"exact_match {_NOT_HERE}", (False,)),
    "exclude_domains": Fixed(f"exclude_domains {_NOT_HERE}", ([],)),
    "include_domains_mode": Fixed("include_domains_mode is restrict.", ("restrict",)),
    "chunks_per_source": Fixed(f"chunks_per_source {_NOT_HERE}"),
    "query": Fixed("query of an extraction: pages are given whole."),
}
Depth = Literal["basic", "advanced", "fast", "ultra-fast"]


class TavilySearch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search. ``search_depth`` is taken and changes nothing: engines have one depth.

    ``country`` is a code of two letters, ``include_domains`` one host. With
    ``include_raw_content`` the pages that were found are read.
    """

    query: str
    max_results: Annotated[int, Meta(ge=1, le=MOST_RESULTS)] | None = None
    topic: Literal["general", "news"] | None = None
    search_depth: Depth | None = None
    time_range: Literal["day", "week", "month", "year", "d", "w", "m", "y"] | None = None
    days: Annotated[int, Meta(ge=1)] | None = None
    start_date: str | None = None
    end_date: str | None = None
    include_domains: Annotated[list[str], Meta(max_length=1)] | None = None
    include_raw_content: bool | Literal["markdown", "text"] | None = None
    country: Annotated[str, Meta(pattern=r"\A[A-Za-z]{2}\Z")] | None = None
    language: str | None = None
    safe_search: bool | None = None


class TavilyExtract(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pages to read, in Markdown or as plain ``text``, within ``timeout`` seconds each."""

    urls: str | Annotated[list[str], Meta(min_length=1, max_length=MOST_PAGES)]
    extract_depth: Literal["basic", "advanced"] | None = None
    format: Literal["markdown", "text"] | None = None
    timeout: Annotated[float, Meta(ge=MIN_SECONDS, le=MAX_SECONDS)] | None = None


class TavilyResult(msgspec.Struct, frozen=True, kw_only=True):
    """A result. ``score`` is 1 for the first, 1/2 for the second, and so on."""

    title: str
    url: str
    content: str
    score: float
    raw_content: str | None = None
    published_date: str | UnsetType = UNSET


class TavilyResults(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, in ``response_time`` seconds."""

    query: str
    results: list[TavilyResult]
    response_time: float
    request_id: str
    answer: None = None
    follow_up_questions: None = None
    images: list[Any] = []


class TavilyPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was read."""

    url: str
    title: str
    raw_content: str
    images: list[Any] = []


class TavilyUnread(msgspec.Struct, frozen=True, kw_only=True):
    """A page that could not be read, and why."""

    url: str
    error: str


class TavilyPages(msgspec.Struct, frozen=True, kw_only=True):
    """The pages that were read, and those that could not be."""

    results: list[TavilyPage]
    failed_results: list[TavilyUnread]
    response_time: float
    request_id: str


TOLD = (TavilySearch, TavilyResults, TavilyExtract, TavilyPages, TavilyFailure)


def router(clients: Clients) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix=TAVILY_PREFIX.rstrip("/"), tags=["tavily"])
    searching = describe_route(TavilyResults, takes=TavilySearch, problem=TavilyFailure)
    extracting = describe_route(TavilyPages, takes=TavilyExtract, problem=TavilyFailure)

    @routes.post("/search", **searching)
    async def search(
        request: Request,
        asked: Annotated[TavilySearch, Depends(read_parameters(TavilySearch, FIXED, BESIDE))],
    ) -> Response:
        """Search as Tavily does; a search that fails is an error, never an empty list."""
        found = await while_there(request, _search(clients.current(), asked))
        return json_response(found)

    @routes.post("/extract", **extracting)
    async def extract(
        request: Request,
        asked: Annotated[TavilyExtract, Depends(read_parameters(TavilyExtract, FIXED, BESIDE))],
    ) -> Response:
        """Read pages as Tavily does."""
        pages = await while_there(request, _extract(clients.current(), asked))
        return json_response(pages)

    return routes


async def _search(client: Client, asked: TavilySearch) -> TavilyResults:
    began = time.monotonic()
    response = await client.search(asked.query, **_fields(asked))
    texts: dict[str, str] = {}
    if raw := asked.include_raw_content:
        form = "text" if raw == "text" else "markdown"
        urls = [item.url for item in response.items]
        pages = await read_together(client, urls, form=form)
        texts = {
            url: page.text
            for url, page in zip(urls, pages, strict=True)
            if isinstance(page, FetchResponse)
        }
    return TavilyResults(
        query=response.query.text,
        results=[_result(item, texts.get(item.url)) for item in response.items],
        response_time=round(time.monotonic() - began, 3),
        request_id=secrets.token_hex(16),
    )


def _fields(asked: TavilySearch) -> SearchFields:
    fields: SearchFields = {"count": asked.max_results or 5}
    if asked.topic:
        fields["category"] = _TOPICS[asked.topic]
    if asked.include_domains:
        fields["site"] = asked.include_domains[0]
    if asked.country:
        fields["country"] = asked.country.upper()
    if asked.language:
        fields["language"] = asked.language
    if asked.safe_search:
        fields["safesearch"] = "strict"
    if freshness := _freshness(asked):
        fields["freshness"] = freshness
    return fields


def _freshness(asked: TavilySearch) -> str | None:
    """Return the time span; raise InvalidInput for two at once."""
    dates = (asked.start_date, asked.end_date)
    if sum(map(bool, (asked.time_range, asked.days, any(dates)))) > 1:
        raise refuse("time_range", "time_range, days and dates exclude each other.")
    if asked.time_range:
        return _PERIODS[asked.time_range[0]]
    today = datetime.now(UTC).date()
    if asked.days:
        return f"{today - timedelta(days=min(asked.days, 36_500))}..{today}"
    if any(dates):
        return f"{asked.start_date or '1970-01-01'}..{asked.end_date or today}"
    return None


def _result(item: SearchItem, text: str | None) -> TavilyResult:
    return TavilyResult(
        title=item.title,
        url=item.url,
        content=item.snippet,
        score=round(1 / item.rank, 6),
        raw_content=text,
        published_date=item.published_at or UNSET,
    )


async def _extract(client: Client, asked: TavilyExtract) -> TavilyPages:
    began = time.monotonic()
    urls = [asked.urls] if isinstance(asked.urls, str) else asked.urls
    observing.name_pages(urls)
    how: dict[str, Any] = {"form": asked.format or "markdown"}
    if asked.timeout:
        how["seconds"] = asked.timeout
    pages = await read_together(client, urls, **how)
    read, unread = [], []
    for url, page in zip(urls, pages, strict=True):
        if isinstance(page, CiteseekError):
            unread.append(TavilyUnread(url=url, error=str(page)))
        else:
            read.append(TavilyPage(url=url, title=page.title, raw_content=page.text))
    return TavilyPages(
        results=read,
        failed_results=unread,
        response_time=round(time.monotonic() - began, 3),
        request_id=secrets.token_hex(16),
    )
