"""What each engine is asked for in each category; the contract and the pages test the rest."""

from __future__ import annotations

from typing import Any

import pytest

from citeseek.engine import Engine, EngineOptions
from citeseek.query import Query
from citeseek.searching.engine_registry import Registry
from citeseek.searching.request import prepare

OPTIONS = EngineOptions(base_url="https://e.example", api_key="k")


def request(engine_id: str, **asked: Any) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    engine = Registry().get(engine_id)
    assert isinstance(engine, Engine)
    sent, ignored = prepare(engine, Query.of("tea", **asked), OPTIONS)
    return sent.url.removeprefix(OPTIONS.base_url), {**sent.params, **(sent.json or {})}, ignored


@pytest.mark.parametrize(
    ("engine_id", "category", "path", "sent"),
    [
        ("searxng", "news", "/search", {"categories": "news"}),
        ("searxng", "papers", "/search", {"categories": "science"}),
        ("searxng", "code", "/search", {"categories": "it"}),
        ("brave", "news", "/res/v1/news/search", {"count": "10"}),
        ("brave", "images", "/res/v1/images/search", {}),
        ("brave", "videos", "/res/v1/videos/search", {}),
        ("serper", "news", "/news", {"num": 10}),
        ("serper", "images", "/images", {}),
        ("serper", "videos", "/videos", {}),
        ("serper", "papers", "/scholar", {}),
        ("tavily", "news", "/search", {"topic": "news"}),
        ("bocha", "images", "/v1/web-search", {"query": "tea"}),
        ("bing_html", "news", "/news/infinitescrollajax", {"first": "1", "SFX": "0"}),
        ("bing_html", "images", "/images/async", {"async": "content", "count": "35"}),
        ("bing_html", "videos", "/videos/asyncv2", {"async": "content"}),
        ("ddg_html", "news", "/", {"q": "tea", "iar": "news"}),
        ("ddg_html", "videos", "/", {"iar": "videos"}),
        ("qwant", "images", "/v3/search/images", {"count": "50"}),
        ("arxiv", "papers", "/api/query", {"search_query": 'all:"tea"'}),
        ("openalex", "papers", "/works", {"search": "tea"}),
        ("crossref", "papers", "/works", {"query.bibliographic": "tea"}),
        ("semantic_scholar", "papers", "/graph/v1/paper/search", {"query": "tea"}),
        ("stackexchange", "code", "/2.3/search/advanced", {"q": "tea", "site": "stackoverflow"}),
        ("github", "code", "/search/repositories", {"q": "tea"}),
    ],
)
def test_a_category_has_an_address_of_its_own(
    engine_id: str, category: str, path: str, sent: dict[str, Any]
) -> None:
    url, params, ignored = request(engine_id, category=category)
    assert (url, ignored) == (path, ())
    assert sent.items() <= params.items()


@pytest.mark.parametrize("engine_id", ["mojeek", "wikipedia", "tavily", "ddg_html", "bing_browser"])
def test_an_engine_without_the_category_is_asked_for_pages_and_says_so(engine_id: str) -> None:
    url, params, ignored = request(engine_id, category="papers")
    assert (url, params) == request(engine_id)[:2]
    assert ignored == ("category",)


@pytest.mark.parametrize(
    ("engine_id", "asked", "sent", "ignored"),
    [
        ("brave", {"category": "news", "freshness": "day"}, {"freshness": "pd"}, ()),
        ("brave", {"category": "images", "freshness": "day"}, {}, ("freshness",)),
        ("brave", {"category": "images", "page": 2}, {}, ("page",)),
        ("brave", {"category": "images", "safesearch": "moderate"}, {}, ("safesearch",)),
        ("brave", {"category": "images", "safesearch": "off"}, {"safesearch": "off"}, ()),
        (
            "ddg_html",
            {"category": "images", "page": 2, "freshness": "day"},
            {"s": "100", "df": "d"},
            (),
        ),
        ("serper", {"category": "news", "freshness": "week"}, {"tbs": "qdr:w"}, ()),
        ("serper", {"category": "papers", "freshness": "week"}, {}, ("freshness",)),
        ("bing_html", {"category": "news", "freshness": "day"}, {"qft": 'interval="7"'}, ()),
        ("bing_html", {"category": "news", "freshness": "year"}, {}, ("freshness",)),
        ("bing_html", {"category": "images", "page": 2}, {"first": "36"}, ()),
        (
            "bing_html",
            {"category": "videos", "freshness": "week"},
            {"qft": "+filterui:videoage-lt10080"},
            (),
        ),
        (
            "github",
            {"freshness": "2026-01-01..2026-01-31"},
            {"q": "tea pushed:2026-01-01..2026-01-31"},
            (),
        ),
        (
            "stackexchange",
            {"freshness": "2026-01-01..2026-01-31"},
            {"fromdate": "1767225600", "todate": "1769903999"},
            (),
        ),
        (
            "openalex",
            {"language": "de", "freshness": "2026-01-01..2026-02-01"},
            {
                "filter": "language:de,from_publication_date:2026-01-01,"
                "to_publication_date:2026-02-01"
            },
            (),
        ),
        ("github", {"freshness": "week"}, {"q": "tea"}, ("freshness",)),
    ],
)
def test_filters_within_a_category(
    engine_id: str, asked: dict[str, Any], sent: dict[str, Any], ignored: tuple[str, ...]
) -> None:
    _, params, left_out = request(engine_id, **asked)
    assert left_out == ignored
    assert sent.items() <= params.items()
