"""What a SearXNG gives, key by key."""

from __future__ import annotations

from typing import Any

import msgspec


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


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a search.

    ``unresponsive_engines`` are pairs of an engine and why it gave nothing; with no result beside
    them the search failed. ``number_of_results`` counts those that are given.
    """

    query: str
    number_of_results: int
    results: list[Result]
    unresponsive_engines: list[list[str]]
    answers: list[Any] = []
    corrections: list[Any] = []
    infoboxes: list[Any] = []
    suggestions: list[Any] = []


class EngineShown(msgspec.Struct, frozen=True, kw_only=True):
    """An engine in ``/config``."""

    name: str
    shortcut: str
    enabled: bool
    paging: bool
    safesearch: bool
    time_range_support: bool
    language_support: bool
    categories: tuple[str, ...] = ("general",)
    languages: list[str] = []
    regions: list[str] = []
    timeout: float


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What ``/config`` says."""

    version: str
    engines: list[EngineShown]
    instance_name: str = "Citeseek"
    brand: dict[str, Any] = {}
    categories: tuple[str, ...] = ("general",)
    limiter: dict[str, bool]
    public_instance: bool = False
    autocomplete: str = ""
    default_locale: str = ""
    default_theme: str = ""
    locales: dict[str, str] = {}
    plugins: list[Any] = []
    safe_search: int = 0
