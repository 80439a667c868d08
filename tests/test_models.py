"""The values that travel between the floors."""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec
import pytest

from citeseek.errors import WebBlocked
from citeseek.models import Failure, Page, Request, SearchItem, SearchResponse
from citeseek.query import DateRange, Query


@pytest.mark.parametrize(
    ("given", "method"),
    [({}, "GET"), ({"params": {"q": "x"}}, "GET"), ({"form": {}}, "POST"), ({"json": {}}, "POST")],
)
def test_a_request_with_something_to_post_is_a_post(given: dict[str, Any], method: str) -> None:
    assert Request(url="https://e.example/", **given).method == method


@pytest.mark.requirement("S2-64")
def test_requests_and_pages_hide_what_they_carry() -> None:
    request = Request(
        url="https://user:word-1@e.example/search",
        params={"key": "word-2"},
        headers={"Authorization": "Bearer word-3"},
        json={"key": "word-4"},
    )
    page = Page(
        url="https://e.example/?key=word-5", headers={"set-cookie": "word-6"}, body=b"word-7"
    )
    assert "word-" not in f"{request!r} {page!r}"
    assert "e.example" in repr(request)
    assert repr(page) == "Page(200 e.example, 6 bytes)"


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://e.example/a", "e.example"),
        ("https://www.e.example/", "e.example"),
        ("https://WWW.E.Example:8443/x", "e.example"),
        ("http://news.e.example", "news.e.example"),
        ("https://user@e.example/", "e.example"),
        ("https://例子.example/页", "例子.example"),
        ("http://[2001:db8::1]:8080/", "2001:db8::1"),
    ],
)
@pytest.mark.requirement("S4-17")
def test_the_domain_is_taken_from_the_address(url: str, domain: str) -> None:
    assert SearchItem(title="", url=url, provider="stub", rank=1).domain == domain


def test_a_failure_keeps_what_is_safe_to_keep() -> None:
    error = WebBlocked(
        "Too many requests.",
        hint="Wait.",
        engine="brave",
        detail_code="http_429",
        retry_after=30,
        page=Page(url="https://e.example/", body=b"secret"),
    )
    assert msgspec.to_builtins(Failure.of(error)) == {
        "type": "WebBlocked",
        "message": "Too many requests.",
        "retryable": True,
        "engine": "brave",
        "detail_code": "http_429",
        "hint": "Wait.",
        "retry_after": 30,
    }


def test_a_response_counts_its_items_and_survives_json() -> None:
    response = SearchResponse(
        query=Query.of("茶", freshness=DateRange(date(2026, 1, 1), date(2026, 1, 31))),
        provider="searxng",
        items=(
            SearchItem(title="t", url="https://e.example/", provider="searxng", rank=1),
            SearchItem(
                title="u", url="https://f.example/", provider="searxng", rank=2, engines=("a", "b")
            ),
        ),
        ignored=("country",),
        errors=(Failure(type="Timeout", message="Late.", retryable=True, engine="brave"),),
    )
    assert response.count == 2
    assert msgspec.json.decode(msgspec.json.encode(response), type=SearchResponse) == response


def test_a_response_never_changes() -> None:
    item = SearchItem(title="t", url="https://e.example/", provider="stub", rank=1)
    with pytest.raises(AttributeError):
        item.rank = 2  # type: ignore[misc]
