"""What only Tavily does; the contract suite and the pages test the rest."""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec
import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.tavily import ENGINE
from citeseek.errors import AuthError
from citeseek.models import Page
from citeseek.query import DateRange, Query
from citeseek.searching import judge
from citeseek.searching.request import prepare

OPTIONS = EngineOptions(base_url="https://t.example", api_key="k-1")


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea", count=50), {"max_results": 20}),
        (Query.of("tea", freshness="week"), {"time_range": "week"}),
        (
            Query.of("tea", freshness=DateRange(date(2026, 1, 2), date(2026, 1, 31))),
            {"start_date": "2026-01-02", "end_date": "2026-01-31"},
        ),
        (Query.of("tea", site="example.com"), {"include_domains": ["example.com"]}),
        (Query.of("tea", site="example.com/a"), {"include_domains": ["example.com"]}),
    ],
)
def test_parameters(query: Query, sent: dict[str, Any]) -> None:
    request = ENGINE.request(query, OPTIONS)
    assert request.method == "POST"
    assert request.url == "https://t.example/search"
    assert request.json == {"query": "tea", "max_results": 10} | sent
    assert request.headers == {"Authorization": "Bearer k-1"}


def test_a_long_query_is_cut_to_four_hundred_characters() -> None:
    request, ignored = prepare(ENGINE, Query.of("tea house " * 60), OPTIONS)
    assert len(request.json["query"]) == 399
    assert ignored == ("query_length",)


def test_texts_are_plain_and_on_one_line() -> None:
    result = {
        "title": "vector<int>",
        "url": "https://a.example/",
        "content": "# One\n\nif a<b:\n x",
    }
    body = msgspec.json.encode({"results": [result]})
    [hit] = ENGINE.parse(Page(url="https://t.example/", body=body))
    assert hit.title == "vector<int>"
    assert hit.snippet == "# One if a<b: x"


@pytest.mark.parametrize("status", [432, 433])
def test_a_used_up_plan_is_told_by_its_status(status: int) -> None:
    body = b'{"detail": {"error": "k-1 exceeds the plan"}}'
    with pytest.raises(AuthError) as caught:
        judge.read(ENGINE, Page(url="https://t.example/", status=status, body=body))
    assert caught.value.detail_code == "quota_exceeded"
    assert not caught.value.retryable
    assert "k-1" not in str(caught.value)
