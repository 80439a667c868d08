"""What only Serper does; the contract suite and the pages test the rest."""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec
import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.serper import ENGINE
from citeseek.errors import AuthError, SearchFailed, WebProviderError
from citeseek.models import Page
from citeseek.query import DateRange, Query
from citeseek.searching import judge

OPTIONS = EngineOptions(base_url="https://s.example", api_key="k-1")


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea", count=5), {"num": 5}),
        (Query.of("tea", count=50), {"num": 10}),
        (Query.of("tea", page=2), {"page": 2}),
        (Query.of("tea", language="de"), {"hl": "de"}),
        (Query.of("tea", language="de-AT"), {"hl": "de", "gl": "at"}),
        (Query.of("tea", language="zh"), {"hl": "zh-cn"}),
        (Query.of("tea", language="zh-TW"), {"hl": "zh-tw", "gl": "tw"}),
        (Query.of("tea", language="pt-BR", country="pt"), {"hl": "pt-br", "gl": "pt"}),
        (Query.of("tea", country="de"), {"gl": "de"}),
        (Query.of("tea", freshness="day"), {"tbs": "qdr:d"}),
        (
            Query.of("tea", freshness=DateRange(date(2026, 1, 2), date(2026, 12, 31))),
            {"tbs": "cdr:1,cd_min:01/02/2026,cd_max:12/31/2026"},
        ),
        (Query.of("tea", site="example.com"), {"q": "tea site:example.com"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, Any]) -> None:
    request = ENGINE.request(query, OPTIONS)
    assert request.method == "POST"
    assert request.url == "https://s.example/search"
    assert request.json == {"q": "tea", "num": 10} | sent
    assert request.headers == {"X-API-KEY": "k-1"}


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("Mar 14, 2026", "2026-03-14"),
        ("2026年2月3日", "2026-02-03"),
        ("2 days ago", "2026-02-28"),
        ("Seasonal", None),
        (None, None),
    ],
)
def test_the_shown_date_becomes_a_day(shown: str | None, expected: str | None) -> None:
    result = {"title": "A", "link": "https://a.example/", "date": shown}
    page = Page(
        url="https://s.example/",
        headers={"date": "Mon, 02 Mar 2026 01:30:00 GMT"},
        body=msgspec.json.encode({"organic": [result]}),
    )
    [hit] = ENGINE.parse(page)
    assert hit.published_at == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [("Not enough credits", AuthError), ("Missing query parameter", WebProviderError)],
)
def test_used_up_credits_are_told_from_a_bad_request(
    message: str, expected: type[SearchFailed]
) -> None:
    body = msgspec.json.encode({"message": message, "statusCode": 400})
    with pytest.raises(SearchFailed) as caught:
        judge.read(ENGINE, Page(url="https://s.example/", status=400, body=body))
    assert type(caught.value) is expected
    assert (caught.value.detail_code == "quota_exceeded") is (expected is AuthError)
