"""What only Bocha does; the contract suite and the pages test the rest."""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec
import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.bocha import ENGINE
from citeseek.errors import (
    AuthError,
    BadGateway,
    SearchFailed,
    WebBlocked,
    WebParseError,
    WebProviderError,
)
from citeseek.models import Page
from citeseek.query import DateRange, Query
from citeseek.searching import judge

OPTIONS = EngineOptions(base_url="https://b.example", api_key="k-1")
ENTRY = {"name": "季报", "url": "https://f.example.cn/1", "snippet": "摘要"}


def answer(value: object, status: int = 200) -> Page:
    return Page(url="https://b.example/", status=status, body=msgspec.json.encode(value))


def failure(page: Page) -> SearchFailed:
    with pytest.raises(SearchFailed) as caught:
        judge.read(ENGINE, page)
    return caught.value


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("茶", count=50), {"count": 50}),
        (Query.of("茶", freshness="day"), {"freshness": "oneDay"}),
        (Query.of("茶", freshness="year"), {"freshness": "oneYear"}),
        (
            Query.of("茶", freshness=DateRange(date(2026, 1, 2), date(2026, 1, 31))),
            {"freshness": "2026-01-02..2026-01-31"},
        ),
        (Query.of("茶", site="example.cn"), {"include": "example.cn"}),
        (Query.of("茶", site="example.cn/news"), {"include": "example.cn"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, Any]) -> None:
    request = ENGINE.request(query, OPTIONS)
    assert request.method == "POST"
    assert request.url == "https://b.example/v1/web-search"
    assert request.json == {"query": "茶", "count": 10, "summary": True} | sent
    assert request.headers == {"Authorization": "Bearer k-1"}


@pytest.mark.parametrize(
    "value",
    [
        {"code": 200, "msg": None, "data": {"webPages": {"value": [ENTRY]}}},
        {"code": "200", "data": {"webPages": {"value": [ENTRY]}}},
        {"_type": "SearchResponse", "webPages": {"value": [ENTRY]}},
        {"code": 200, "data": {"_type": "SearchResponse"}, "webPages": {"value": [ENTRY]}},
    ],
)
def test_pages_are_in_the_envelope_or_at_the_top(value: object) -> None:
    [hit] = ENGINE.parse(answer(value))
    assert (hit.title, hit.url, hit.snippet) == ("季报", "https://f.example.cn/1", "摘要")


@pytest.mark.parametrize("found", [None, {"value": []}, {"value": None}])
def test_zero_results_are_zero_results(found: object) -> None:
    assert judge.read(ENGINE, answer({"code": 200, "data": {"webPages": found}})) == []


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"pages": [ENTRY]},
        {"webPages": {}},
        {"webPages": {"value": {}}},
        {"webPages": "none"},
    ],
)
def test_an_unknown_shape_is_not_zero_results(data: object) -> None:
    assert isinstance(failure(answer({"code": 200, "data": data})), WebParseError)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({"datePublished": "2026-03-05T08:00:00+08:00"}, "2026-03-05T08:00:00+08:00"),
        ({"dateLastCrawled": "2026-03-06T02:00:00Z"}, "2026-03-06T02:00:00+08:00"),
        (
            {
                "datePublished": "2026-03-05T08:00:00+09:00",
                "dateLastCrawled": "2026-03-06T02:00:00Z",
            },
            "2026-03-05T08:00:00+09:00",
        ),
        ({"datePublished": None, "dateLastCrawled": None}, None),
    ],
)
def test_the_crawl_date_is_the_publication_date_in_china(
    dates: dict[str, str | None], expected: str | None
) -> None:
    [hit] = ENGINE.parse(answer({"webPages": {"value": [ENTRY | dates]}}))
    assert hit.published_at == expected


def test_the_summary_is_the_better_snippet() -> None:
    [hit] = ENGINE.parse(answer({"webPages": {"value": [ENTRY | {"summary": "全文\n摘要"}]}}))
    assert hit.snippet == "全文 摘要"


@pytest.mark.parametrize("place", ["status", "envelope"])
@pytest.mark.parametrize(
    ("code", "text", "expected", "detail_code"),
    [
        (400, "The API KEY is missing", AuthError, "http_400"),
        (400, "Missing parameter query", WebProviderError, "http_400"),
        (401, "Invalid", AuthError, "http_401"),
        (403, "No money", AuthError, "quota_exceeded"),
        (429, "Slow down", WebBlocked, "http_429"),
        (500, "Oops", BadGateway, "http_500"),
    ],
)
def test_a_code_means_the_same_as_a_status_and_in_an_envelope(
    place: str, code: int, text: str, expected: type[SearchFailed], detail_code: str
) -> None:
    if place == "envelope":
        error = failure(answer({"code": code, "msg": f"{text} k-1", "data": None}))
    else:
        error = failure(answer({"code": str(code), "message": f"{text} k-1"}, code))
    assert type(error) is expected
    assert error.detail_code == detail_code
    assert "k-1" not in str(error)


def test_a_used_up_balance_says_where_to_top_up() -> None:
    assert "https://open.bocha.cn" in failure(answer({"code": "403"}, 403)).hint


@pytest.mark.parametrize("code", ["ok", "20", 99999, -200])
def test_an_unknown_code_is_not_success(code: object) -> None:
    page = answer({"code": code, "data": {"webPages": {"value": [ENTRY]}}})
    assert isinstance(failure(page), WebParseError)


def test_a_refusal_that_is_not_json_keeps_its_status() -> None:
    page = Page(url="https://b.example/", status=502, body=b"<html>Bad gateway</html>")
    assert isinstance(failure(page), BadGateway)
