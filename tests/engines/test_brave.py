"""What only Brave does; the contract suite and the pages test the rest."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.brave import ENGINE
from citeseek.errors import AuthError, SearchFailed, WebBlocked, WebProviderError
from citeseek.models import Page
from citeseek.query import DateRange, Query
from citeseek.searching import judge
from citeseek.searching.request import prepare

OPTIONS = EngineOptions(base_url="https://b.example", api_key="k-1")


def answer(value: object, status: int = 200) -> Page:
    return Page(url="https://b.example/", status=status, body=msgspec.json.encode(value))


def failure(code: str, status: int, **meta: int) -> SearchFailed:
    page = answer({"error": {"code": code, "detail": "k-1 is bad", "meta": meta}}, status)
    with pytest.raises(SearchFailed) as caught:
        judge.read(ENGINE, page)
    return caught.value


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea"), {"count": "10"}),
        (Query.of("tea", count=50), {"count": "20"}),
        (Query.of("tea", page=3), {"offset": "2"}),
        (Query.of("tea", country="de"), {"country": "DE"}),
        (Query.of("tea", country="vn"), {"country": "ALL"}),
        (Query.of("tea", language="de"), {"search_lang": "de"}),
        (Query.of("tea", language="ja"), {"search_lang": "jp"}),
        (Query.of("tea", language="zh"), {"search_lang": "zh-hans"}),
        (Query.of("tea", language="zh-TW"), {"search_lang": "zh-hant", "country": "TW"}),
        (
            Query.of("tea", language="en-GB", country="us"),
            {"search_lang": "en-gb", "country": "US"},
        ),
        (Query.of("tea", language="sw"), {}),
        (Query.of("tea", freshness="month"), {"freshness": "pm"}),
        (
            Query.of("tea", freshness=DateRange(date(2026, 1, 2), date(2026, 1, 31))),
            {"freshness": "2026-01-02to2026-01-31"},
        ),
        (Query.of("tea", safesearch="strict"), {"safesearch": "strict"}),
        (Query.of("tea", site="example.com"), {"q": "tea site:example.com"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, str]) -> None:
    request = ENGINE.request(query, OPTIONS)
    usual = {"q": "tea", "count": "10", "result_filter": "web", "extra_snippets": "true"}
    assert request.method == "GET"
    assert request.url == "https://b.example/res/v1/web/search"
    assert request.params == usual | sent
    assert request.headers["X-Subscription-Token"] == "k-1"


def test_a_long_query_is_cut_to_fifty_words_and_four_hundred_characters() -> None:
    words, ignored = prepare(ENGINE, Query.of("tea " * 60), OPTIONS)
    letters, _ = prepare(ENGINE, Query.of("t" * 500), OPTIONS)
    assert words.params["q"].count("tea") == 50
    assert len(letters.params["q"]) == 400
    assert ignored == ("query_length",)


def test_further_excerpts_follow_the_description() -> None:
    result = {
        "title": "A &amp; B",
        "url": "https://a.example/",
        "description": "<strong>One</strong>.",
        "extra_snippets": ["Two&#x27;s.", None, "Three."],
        "page_age": "2026-02-13T01:55:15",
        "age": "3 hours ago",
        "profile": {"name": "A News"},
    }
    [hit] = ENGINE.parse(answer({"web": {"results": [result]}}))
    assert hit.title == "A & B"
    assert hit.snippet == "One. … Two's. … Three."
    assert hit.published_at == "2026-02-13T01:55:15"
    assert hit.site_name == "A News"


def test_an_age_in_words_is_no_date() -> None:
    result = {"title": "A", "url": "https://a.example/", "age": "3 hours ago"}
    [hit] = ENGINE.parse(answer({"web": {"results": [result]}}))
    assert hit.published_at is None


@pytest.mark.parametrize("code", ["SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_TOKEN_MISSING"])
@pytest.mark.parametrize("status", [401, 422])
def test_a_bad_key_may_come_as_422(code: str, status: int) -> None:
    error = failure(code, status)
    assert isinstance(error, AuthError)
    assert "BRAVE_API_KEY" in error.hint
    assert "k-1" not in str(error)


def test_a_bad_parameter_is_not_a_bad_key() -> None:
    assert type(failure("VALIDATION", 422)) is WebProviderError


def test_a_key_of_another_plan_is_told() -> None:
    error = failure("OPTION_NOT_IN_PLAN", 400)
    assert isinstance(error, AuthError)
    assert error.detail_code == "plan"


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"rate_limit": 1, "quota_limit": 2000, "quota_current": 15}, WebBlocked),
        ({"rate_limit": 1, "quota_limit": 2000, "quota_current": 2000}, AuthError),
        ({"rate_limit": 50, "quota_limit": 0, "quota_current": 90000}, WebBlocked),
        ({}, WebBlocked),
    ],
)
def test_haste_can_wait_and_a_used_up_plan_cannot(
    meta: dict[str, int], expected: type[SearchFailed]
) -> None:
    error = failure("RATE_LIMITED", 429, **meta)
    assert type(error) is expected
    assert error.retryable is (expected is WebBlocked)
