"""What only Google's Custom Search does; the contract suite and the pages test the rest."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.google_cse import ENGINE
from citeseek.errors import AuthError, SearchFailed, WebProviderError
from citeseek.models import Page
from citeseek.query import DateRange, Query
from citeseek.searching import judge

OPTIONS = EngineOptions(base_url="https://g.example", api_key="k-1:0123:abc")


def answer(value: object, status: int = 200) -> Page:
    return Page(url="https://g.example/", status=status, body=msgspec.json.encode(value))


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query.of("tea", count=50), {"num": "10"}),
        (Query.of("tea", page=3), {"start": "21"}),
        (Query.of("tea", page=3, count=5), {"num": "5", "start": "11"}),
        (Query.of("tea", language="de"), {"lr": "lang_de"}),
        (Query.of("tea", language="he"), {"lr": "lang_iw"}),
        (Query.of("tea", language="zh"), {"lr": "lang_zh-CN"}),
        (Query.of("tea", language="zh-TW"), {"lr": "lang_zh-TW", "gl": "tw"}),
        (Query.of("tea", language="en-GB", country="us"), {"lr": "lang_en", "gl": "us"}),
        (Query.of("tea", language="sw"), {}),
        (Query.of("tea", country="de"), {"gl": "de"}),
        (Query.of("tea", freshness="week"), {"dateRestrict": "w1"}),
        (
            Query.of("tea", freshness=DateRange(date(2026, 1, 2), date(2026, 1, 31))),
            {"sort": "date:r:20260102:20260131"},
        ),
        (Query.of("tea", safesearch="moderate"), {"safe": "active"}),
        (Query.of("tea", safesearch="off"), {"safe": "off"}),
        (Query.of("tea", site="example.com"), {"q": "tea site:example.com"}),
    ],
)
def test_parameters(query: Query, sent: dict[str, str]) -> None:
    request = ENGINE.request(query, OPTIONS)
    assert request.url == "https://g.example/customsearch/v1"
    assert request.params == {"q": "tea", "num": "10", "cx": "0123:abc"} | sent


def test_the_key_is_in_no_address() -> None:
    request = ENGINE.request(Query.of("tea"), OPTIONS)
    assert request.headers == {"X-Goog-Api-Key": "k-1"}
    assert "k-1" not in str(request.params)


def test_meta_tags_give_date_and_site() -> None:
    tags = {"article:published_time": "2026-01-18T08:00:00Z", "og:site_name": "Coast Charts"}
    item = {"title": "A", "link": "https://a.example/", "pagemap": {"metatags": [{}, tags]}}
    [hit] = ENGINE.parse(answer({"kind": "customsearch#search", "items": [item]}))
    assert hit.published_at == "2026-01-18T08:00:00Z"
    assert hit.site_name == "Coast Charts"


def test_texts_are_plain_and_on_one_line() -> None:
    item = {"title": "vector<int>", "link": "https://a.example/", "snippet": "a < b \nand c"}
    [hit] = ENGINE.parse(answer({"kind": "customsearch#search", "items": [item]}))
    assert (hit.title, hit.snippet) == ("vector<int>", "a < b and c")


@pytest.mark.parametrize(
    ("details", "expected"),
    [([{"reason": "API_KEY_INVALID"}], AuthError), ([], WebProviderError)],
)
def test_a_wrong_key_is_told_from_a_wrong_parameter(
    details: list[dict[str, str]], expected: type[SearchFailed]
) -> None:
    page = answer({"error": {"code": 400, "message": "k-1", "details": details}}, 400)
    with pytest.raises(SearchFailed) as caught:
        judge.read(ENGINE, page)
    assert type(caught.value) is expected
    assert "key:cx" in caught.value.hint
    assert "k-1" not in str(caught.value)
