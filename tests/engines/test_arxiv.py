"""What only arXiv does; the contract suite and the pages test the rest."""

from __future__ import annotations

import pytest

from citeseek.engine import EngineOptions
from citeseek.engines.arxiv import ENGINE
from citeseek.errors import WebParseError, WebProviderError
from citeseek.models import Page
from citeseek.query import Query
from citeseek.searching import judge

FEED = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><opensearch:totalResults>{total}'
    "</opensearch:totalResults><opensearch:startIndex>{start}</opensearch:startIndex>{entries}</feed>"
)
ENTRY = "<entry><id>{id}</id><title>{title}</title><summary>Short.</summary></entry>"


def feed(total: object = 1, start: int = 0, entries: str = "", before: str = "") -> Page:
    text = before + FEED.format(total=total, start=start, entries=entries)
    return Page(url="https://a.example/", body=text.encode())


@pytest.mark.parametrize(
    ("query", "search_query", "start", "count"),
    [
        (Query.of("tea"), 'all:"tea"', "0", "10"),
        (Query.of("tea house", page=3, count=20), 'all:"tea" AND all:"house"', "40", "20"),
        (Query.of('"tea" OR ti:cup'), 'all:"tea" AND all:"OR" AND all:"ti:cup"', "0", "10"),
        (Query.of("self-attention - (2017)"), 'all:"self-attention" AND all:"(2017)"', "0", "10"),
        (Query.of("++"), 'all:"++"', "0", "10"),
    ],
)
def test_parameters(query: Query, search_query: str, start: str, count: str) -> None:
    request = ENGINE.request(query, EngineOptions(base_url="https://a.example"))
    assert request.url == "https://a.example/api/query"
    assert request.params == {"search_query": search_query, "start": start, "max_results": count}


def test_without_a_link_the_id_is_the_address() -> None:
    page = feed(entries=ENTRY.format(id="http://a.example/abs/1", title="A &lt; B"))
    [hit] = ENGINE.parse(page)
    assert (hit.title, hit.url) == ("A < B", "http://a.example/abs/1")
    assert hit.published_at is None


@pytest.mark.parametrize(("total", "start"), [(0, 0), (3, 10), (3, 3)])
def test_a_feed_may_be_empty_when_it_says_so(total: int, start: int) -> None:
    assert judge.read(ENGINE, feed(total, start)) == []


@pytest.mark.parametrize(
    "before", ["", '<?xml version="1.0" encoding="UTF-8"?>\n'], ids=["bare", "declared"]
)
@pytest.mark.parametrize("inner", ["", "<title>arXiv Query: all:tea</title>"])
def test_a_feed_without_entries_found_nothing(before: str, inner: str) -> None:
    text = f'{before}<feed xmlns="http://www.w3.org/2005/Atom">{inner}</feed>'
    assert judge.read(ENGINE, Page(url="https://a.example/", body=text.encode())) == []


@pytest.mark.parametrize(
    "text", ["", "{}", "<html><body><p>Sign in.</p></body></html>", "<rss><channel/></rss>", "tea"]
)
def test_what_is_no_feed_is_not_nothing_found(text: str) -> None:
    with pytest.raises(WebParseError) as caught:
        judge.read(ENGINE, Page(url="https://a.example/", body=text.encode()))
    assert caught.value.detail_code == "drift"


@pytest.mark.parametrize("total", [3, "", "many"])
def test_a_feed_that_is_empty_for_no_reason_is_not_understood(total: object) -> None:
    with pytest.raises(WebParseError):
        judge.read(ENGINE, feed(total))


def test_an_error_comes_as_an_entry() -> None:
    entry = ENTRY.format(id="https://arxiv.org/api/errors#bad", title="Error")
    with pytest.raises(WebProviderError):
        judge.read(ENGINE, feed(entries=entry))


def test_entities_of_the_feed_are_not_expanded() -> None:
    bomb = '<!DOCTYPE feed [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    [hit] = ENGINE.parse(
        feed(entries=ENTRY.format(id="https://a.example/1", title="&b;"), before=bomb)
    )
    assert hit.title == "&b;"
