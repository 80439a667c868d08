"""What only Mojeek does; the contract suite and the pages test the rest."""

from __future__ import annotations

from datetime import date

import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.mojeek import ENGINE
from citeseek.query import DateRange, Query


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea"), {}),
        (Query.of("tea", page=2), {"s": "11"}),
        (Query.of("tea", language="de"), {"lb": "de"}),
        (Query.of("tea", language="pt-BR"), {"lb": "pt", "arc": "br"}),
        (Query.of("tea", language="fr-FR", country="CA"), {"lb": "fr", "arc": "ca"}),
        (Query.of("tea", freshness="month"), {"since": "month"}),
        (
            Query.of("tea", freshness=DateRange(date(2025, 12, 1), date(2025, 12, 31))),
            {"since": "20251201", "before": "20260101"},
        ),
        (
            Query.of("tea", freshness=DateRange(date(2025, 12, 1), date.max)),
            {"since": "20251201"},
        ),
        (Query.of("tea", safesearch="off"), {"safe": "0"}),
        (Query.of("tea", safesearch="moderate"), {"safe": "1"}),
        (Query.of("tea", safesearch="strict"), {"safe": "1"}),
        (Query.of("tea", site="example.com"), {"q": "tea site:example.com"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, str]) -> None:
    request = ENGINE.request(query, EngineOptions(base_url="https://m.example"))
    assert request.url == "https://m.example/search"
    assert request.params == {"q": "tea"} | sent
