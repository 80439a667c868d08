"""A SearXNG's search in our words, and our answer in a SearXNG's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlparse

import msgspec

from citeseek.errors import InvalidInput, SearchFailed
from citeseek.models import Beside, Failure, SearchItem, SearchResponse
from citeseek.query import MAX_PAGE, PERIODS, Category
from citeseek.searching.engine_registry import Registry
from citeseek.searching.planning import SearchFields
from citeseek.text import encodable, plain_line

_REASONS = {
    "Timeout": "timeout",
    "NetworkError": "HTTP connection error",
    "BadGateway": "HTTP error",
    "AuthError": "access denied",
    "WebBlocked": "access denied",
    "WebParseError": "parsing error",
}
_BY_DETAIL = {
    "captcha_required": "CAPTCHA",
    "http_429": "too many requests",
    "rate_limited_here": "too many requests",
    "budget_requests": "too many requests",
    "budget_bytes": "too many requests",
}
_CRASH = "unexpected crash"
# The nearest of its words for an engine that lacks a part here, or whose site does not take us.
_CANNOT = "server API error"
SAFESEARCH = {"0": "off", "1": "moderate", "2": "strict"}
CATEGORIES: dict[str, Category] = {
    "general": "web",
    "news": "news",
    "images": "images",
    "videos": "videos",
    "science": "papers",
    "it": "code",
}
_CATEGORY_NAMES = {category: name for name, category in CATEGORIES.items()}
_TEMPLATES: dict[Category, str] = {
    "images": "images.html",
    "videos": "videos.html",
    "papers": "paper.html",
}
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-zA-Z]{2})?")
NOTHING_BESIDE = Beside()
_ANY = ("", "auto", "all")


class SearxngSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A search: its ``text`` as it was given, and what is said beside it."""

    text: str
    fields: SearchFields


def read_search(given: Mapping[str, str], registry: Registry) -> SearxngSearch:
    """Return the search that ``given`` asks for; raise InvalidInput in a SearXNG's words.

    As there, engines that nobody knows are left out, and without one that is known the settings
    decide; of ``categories`` the first counts that has a name here.
    """
    text = encodable(given.get("q", ""))
    if not plain_line(text):
        raise InvalidInput("No query")
    fields: SearchFields = {}
    fields["page"] = _page(given.get("pageno", "1"))
    language = given.get("language", "")
    if language not in _ANY:
        if not _LANGUAGE.fullmatch(language):
            raise _invalid("language", language)
        fields["language"] = language
    if period := given.get("time_range", ""):
        if period not in PERIODS:
            raise _invalid("time_range", period)
        fields["freshness"] = period
    if level := given.get("safesearch", ""):
        if level not in SAFESEARCH:
            raise _invalid("safesearch", level)
        fields["safesearch"] = SAFESEARCH[level]
    if categories := [name for name in _names(given, "categories") if name in CATEGORIES]:
        fields["category"] = CATEGORIES[categories[0]]
    if known := [name for name in _names(given, "engines") if registry.find(name)]:
        fields["engines"] = list(dict.fromkeys(known))
    return SearxngSearch(text=text, fields=fields)


def _page(given: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,2}", given) or int(given) > MAX_PAGE:
        raise _invalid("pageno", given)
    return int(given)


def _names(given: Mapping[str, str], field: str) -> list[str]:
    return [name for part in given.get(field, "").split(",") if (name := part.strip())]


def _invalid(name: str, value: str) -> InvalidInput:
    return InvalidInput(f"Invalid value {value:.60} for parameter {name}")


def answer_of(text: str, response: SearchResponse) -> Results:
    """Return ``response`` to the search for ``text``.

    A page that the engines cannot turn to has no results, as behind the last page: they would be
    those of the first.
    """
    names = response.provider.split("+")
    ignored = set(response.ignored)
    stays = response.query.page > 1 and (
        "page" in ignored or all(f"{name}.page" in ignored for name in names)
    )
    return _results(
        text,
        () if stays else response.items,
        response.errors,
        response.query.category,
        response.beside,
    )


def describe_failure(text: str, error: SearchFailed) -> Results:
    """Return the answer to a search that did not work: no result, and who failed."""
    return _results(text, (), map(Failure.of, (*error.earlier, error)))


def _results(
    text: str,
    items: Iterable[SearchItem],
    errors: Iterable[Failure],
    category: Category = "web",
    beside: Beside = NOTHING_BESIDE,
) -> Results:
    results = [_result(item, category) for item in items]
    return Results(
        query=text,
        number_of_results=len(results),
        results=results,
        unresponsive_engines=[[error.engine, _reason(error)] for error in errors],
        answers=[
            Answer(
                answer=answer.text,
                engine=answer.engine,
                url=answer.url or None,
                parsed_url=list(urlparse(answer.url)) if answer.url else None,
            )
            for answer in beside.answers
        ],
        corrections=list(beside.corrections),
        suggestions=list(beside.suggestions),
    )


def _result(item: SearchItem, category: Category) -> Result:
    engines = list(item.engines or (item.provider,))
    return Result(
        url=item.url,
        title=item.title,
        content=item.snippet,
        engine=engines[0],
        engines=engines,
        positions=[item.rank],
        score=round(1 / item.rank, 6),
        parsed_url=list(urlparse(item.url)),
        publishedDate=item.published_at,
        category=_CATEGORY_NAMES[category],
        template=_TEMPLATES.get(category, "default.html"),
        thumbnail=item.thumbnail or "",
        img_src=item.image.url if item.image else "",
        **_of_kind(item),
    )


def _of_kind(item: SearchItem) -> dict[str, Any]:
    """Return what a SearXNG says of pictures, videos and papers."""
    said: dict[str, Any] = {}
    if (image := item.image) and image.width and image.height:
        said["resolution"] = f"{image.width} x {image.height}"
    if video := item.video:
        said |= {"length": video.seconds, "author": video.channel}
        said["views"] = None if video.views is None else str(video.views)
    if paper := item.paper:
        said |= {"authors": list(paper.authors), "journal": paper.venue}
        said |= {"doi": paper.doi, "pdf_url": paper.pdf_url}
    return {name: value for name, value in said.items() if value}


def _reason(error: Failure) -> str:
    """Return a SearXNG's words for ``error``, with our own behind where they say too little."""
    if error.type == "WebProviderError" and error.detail_code not in ("", "internal"):
        return f"{_CANNOT}: {error.message} {error.hint}".rstrip()
    return _BY_DETAIL.get(error.detail_code, _REASONS.get(error.type, _CRASH))


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One result. ``positions`` is its rank, from which ``score`` is made: 1 for the first."""

    url: str
    title: str
    content: str
    engine: str
    engines: list[str]
    positions: list[int]
    score: float
    parsed_url: list[str]
    publishedDate: str | None = None  # noqa: N815 - its name there
    category: str = "general"
    template: str = "default.html"
    thumbnail: str = ""
    img_src: str = ""
    priority: str = ""
    resolution: str = ""
    length: int | None = None
    author: str = ""
    views: str = ""
    authors: list[str] = []
    journal: str = ""
    doi: str = ""
    pdf_url: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine answers itself."""

    answer: str
    engine: str
    url: str | None = None
    parsed_url: list[str] | None = None
    template: str = "answer/legacy.html"


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a search.

    ``unresponsive_engines`` are pairs of an engine and why it gave nothing; with no result beside
    them the search failed. ``number_of_results`` counts those that are given.
    """

    query: str
    number_of_results: int
    results: list[Result]
    unresponsive_engines: list[list[str]]
    answers: list[Answer] = []
    corrections: list[str] = []
    infoboxes: list[Any] = []
    suggestions: list[str] = []


class EngineShown(msgspec.Struct, frozen=True, kw_only=True):
    """An engine in ``/config``."""

    name: str
    shortcut: str
    enabled: bool
    paging: bool
    safesearch: bool
    time_range_support: bool
    language_support: bool
    categories: tuple[str, ...]
    languages: list[str] = []
    regions: list[str] = []
    timeout: float


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What ``/config`` says."""

    version: str
    engines: list[EngineShown]
    instance_name: str = "Citeseek"
    brand: dict[str, Any] = {}
    categories: tuple[str, ...] = tuple(CATEGORIES)
    limiter: dict[str, bool]
    public_instance: bool = False
    autocomplete: str = ""
    default_locale: str = ""
    default_theme: str = ""
    locales: dict[str, str] = {}
    plugins: list[Any] = []
    safe_search: int = 0
