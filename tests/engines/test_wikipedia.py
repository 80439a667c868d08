"""What only Wikipedia does; the contract suite and the pages test the rest."""

from __future__ import annotations

import msgspec
import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.wikipedia import ENGINE
from citeseek.errors import WebParseError, WebProviderError
from citeseek.models import Page
from citeseek.query import Query
from citeseek.searching import judge

OPTIONS = EngineOptions(base_url=ENGINE.base_url)


def answer(value: object) -> Page:
    return Page(url="https://w.example/", body=msgspec.json.encode(value))


@pytest.mark.parametrize(
    ("query", "host"),
    [
        (Query.of("tea"), "en.wikipedia.org"),
        (Query.of("茶"), "zh.wikipedia.org"),
        (Query.of("茶", language="ja"), "ja.wikipedia.org"),
        (Query.of("tea", language="pt-BR"), "pt.wikipedia.org"),
    ],
)
def test_the_language_is_the_host(query: Query, host: str) -> None:
    assert ENGINE.request(query, OPTIONS).url == f"https://{host}/w/api.php"


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://wiki.example", "https://wiki.example/w/api.php"),
        ("https://{language}.wiki.example", "https://de.wiki.example/w/api.php"),
    ],
)
def test_an_address_of_ones_own_wins(base_url: str, url: str) -> None:
    request = ENGINE.request(Query.of("Tee", language="de"), EngineOptions(base_url=base_url))
    assert request.url == url


def test_the_script_of_a_region_is_asked_for() -> None:
    request = ENGINE.request(Query.of("茶", language="zh-TW"), OPTIONS)
    assert request.headers["Accept-Language"].startswith("zh-TW,")


@pytest.mark.parametrize(
    ("query", "limit", "offset"),
    [
        (Query.of("tea"), "10", None),
        (Query.of("tea", count=50), "20", None),
        (Query.of("tea", page=3), "10", "20"),
        (Query.of("tea", page=2, count=50), "20", "20"),
    ],
)
def test_pages(query: Query, limit: str, offset: str | None) -> None:
    params = ENGINE.request(query, OPTIONS).params
    assert params["gsrsearch"] == "tea"
    assert params["gsrlimit"] == limit
    assert params.get("gsroffset") == offset


def test_articles_come_in_the_order_of_the_search() -> None:
    pages = [{"title": name, "index": index} for name, index in [("b", 2), ("x", None), ("a", 1)]]
    found = ENGINE.parse(answer({"batchcomplete": True, "query": {"pages": pages}}))
    assert [hit.title for hit in found] == ["a", "b", "x"]


def test_nothing_found_has_no_query_part() -> None:
    assert judge.read(ENGINE, answer({"batchcomplete": True})) == []


@pytest.mark.parametrize("value", [{"query": {}}, {"query": {"pages": {}}}, {"batch": True}])
def test_an_unknown_shape_is_not_nothing(value: dict[str, object]) -> None:
    with pytest.raises(WebParseError):
        ENGINE.parse(answer(value))


def test_an_error_in_an_answer_is_an_error() -> None:
    value = {"batchcomplete": True, "error": {"code": "ratelimited", "info": "secret words"}}
    with pytest.raises(WebProviderError) as caught:
        ENGINE.parse(answer(value))
    assert "secret" not in str(caught.value)
