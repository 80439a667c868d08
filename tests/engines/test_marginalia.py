"""What only Marginalia does; the contract suite and the pages test the rest."""

from __future__ import annotations

import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.marginalia import ENGINE
from citeseek.query import Query


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea", count=50), {"count": "50"}),
        (Query.of("tea", page=2), {"page": "2"}),
        (Query.of("tea", safesearch="strict"), {"nsfw": "1"}),
        (Query.of("tea", safesearch="moderate"), {"nsfw": "1"}),
        (Query.of("tea", safesearch="off"), {"nsfw": "0"}),
        (Query.of("tea", site="example.com"), {"query": "tea site:example.com"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, str]) -> None:
    request = ENGINE.request(query, EngineOptions(base_url="https://m.example"))
    assert request.url == "https://m.example/search"
    assert request.params == {"query": "tea", "count": "10"} | sent


@pytest.mark.parametrize(("key", "sent"), [(None, "public"), ("k-1", "k-1")])
def test_without_a_key_the_shared_one_is_used(key: str | None, sent: str) -> None:
    options = EngineOptions(base_url="https://m.example", api_key=key)
    assert ENGINE.request(Query.of("tea"), options).headers == {"API-Key": sent}
