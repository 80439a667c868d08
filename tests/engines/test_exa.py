"""What only Exa does; the contract suite and the pages test the rest."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.exa import ENGINE
from citeseek.errors import AuthError
from citeseek.models import Page
from citeseek.query import Query
from citeseek.searching import judge

OPTIONS = EngineOptions(base_url="https://x.example", api_key="k-1")


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea", count=50), {"numResults": 50}),
        (Query.of("tea", country="de"), {"userLocation": "DE"}),
        (Query.of("tea", safesearch="strict"), {"moderation": True}),
        (Query.of("tea", safesearch="moderate"), {"moderation": True}),
        (Query.of("tea", safesearch="off"), {"moderation": False}),
        (Query.of("tea", site="example.com"), {"includeDomains": ["example.com"]}),
        (Query.of("tea", site="example.com/a"), {"includeDomains": ["example.com"]}),
    ],
)
def test_parameters(query: Query, sent: dict[str, Any]) -> None:
    request = ENGINE.request(query, OPTIONS)
    usual = {"query": "tea", "numResults": 10, "contents": {"highlights": True}}
    assert request.method == "POST"
    assert request.url == "https://x.example/search"
    assert request.json == usual | sent
    assert request.headers == {"x-api-key": "k-1"}


@pytest.mark.parametrize(
    ("highlights", "snippet"),
    [
        (["One\n two. ", "", 3, None], "One two. … 3"),
        ([], ""),
        (None, ""),
        ("One", ""),
    ],
)
def test_passages_become_one_line(highlights: object, snippet: str) -> None:
    result = {"title": "A", "url": "https://a.example/", "highlights": highlights}
    body = msgspec.json.encode({"results": [result]})
    [hit] = ENGINE.parse(Page(url="https://x.example/", body=body))
    assert hit.snippet == snippet


def test_used_up_credits_are_told() -> None:
    page = Page(url="https://x.example/", status=402, body=b'{"tag": "NO_MORE_CREDITS"}')
    with pytest.raises(AuthError) as caught:
        judge.read(ENGINE, page)
    assert caught.value.detail_code == "quota_exceeded"
