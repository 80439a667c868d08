"""Programs that speak to Firecrawl speak to Citeseek: both versions of its search and its pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.assistant.chatting import found, result
from tests.loopback import Reply, replies
from tests.loopback.canned import load_pages
from tests.rest.serving import Served, served

TEXT = "Tea is made of the leaves of a shrub. "
ENV = {"WEB_SEARCH_BACKEND": "searxng", "WEB_FETCH_ALLOW": "127.0.0.0/8"}


@pytest.fixture
def at() -> Iterator[Served]:
    with served(found(result(1), result(2)), **ENV) as running:
        running.engine.on("/page", replies.html(f"<title>Tea</title><p>{TEXT * 20}</p>"))
        yield running


def asked(at: Served, path: str, **body: Any) -> Any:
    answer = at.http("POST", path, body)
    assert answer.status == 200, answer.text
    told = answer.json()
    assert told["success"] is True
    return told["data"]


def test_a_search_is_flat_in_one_version_and_by_kind_in_the_other(at: Served) -> None:
    flat = asked(at, "/v1/search", query="tea", lang="en", country="us", origin="api")
    assert [(each["url"], each["description"]) for each in flat] == [
        ("https://site1.example/page", "Summary 1."),
        ("https://site2.example/page", "Summary 2."),
    ]
    by_kind = asked(at, "/v2/search", query="tea", sources=[{"type": "web"}], tbs="qdr:w")
    assert [each["position"] for each in by_kind["web"]] == [1, 2]
    assert at.engine.requests[-1].param("time_range") == "week"


def test_pictures_and_news_are_sources() -> None:
    canned = load_pages()["searxng/images.json"]
    with served(canned.reply(), **ENV) as at:
        pictures = asked(at, "/v2/search", query="tea", sources=["images"])["images"]
    assert at.engine.requests[0].param("categories") == "images"
    expected = canned.expected[0]["image"]
    assert pictures[0]["imageUrl"] == expected["url"]


def test_pages_that_were_found_are_read_where_that_is_wanted(at: Served) -> None:
    here, gone = at.engine.url("/page"), at.engine.url("/gone")
    at.engine.on("/search", found(result(1, url=here), result(2, url=gone)))
    options = {"formats": ["markdown"], "onlyMainContent": True, "maxAge": 0}
    first, second = asked(at, "/v1/search", query="tea", scrapeOptions=options)
    assert TEXT.strip() in first["markdown"]
    assert first["metadata"]["statusCode"] == 200
    assert "markdown" not in second
    assert second["metadata"]["error"]


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_page_is_read(at: Served, version: str) -> None:
    url = at.engine.url("/page")
    page = asked(at, f"/{version}/scrape", url=url, formats=["markdown"], timeout=30_000)
    assert TEXT.strip() in page["markdown"]
    assert page["metadata"]["title"] == "Tea"
    assert page["metadata"]["sourceURL"] == page["metadata"]["url"] == url


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("/v1/search", {"sources": ["web"]}),
        ("/v1/search", {"filter": "x"}),
        ("/v2/search", {"sources": ["alexandria"]}),
        ("/v2/search", {"excludeDomains": ["a.example"]}),
        ("/v2/search", {"scrapeOptions": {"formats": ["html"]}}),
        ("/v2/search", {"limit": 51}),
        ("/v2/search", {"unheard_of": 1}),
        ("/v1/scrape", {"formats": ["screenshot"]}),
        ("/v2/scrape", {"formats": [{"type": "json", "prompt": "x"}]}),
        ("/v2/scrape", {"onlyMainContent": False}),
        ("/v2/scrape", {"actions": [{"type": "wait"}]}),
    ],
)
def test_what_cannot_be_given_is_refused(at: Served, path: str, wrong: dict[str, Any]) -> None:
    body = {"query": "tea"} if path.endswith("search") else {"url": at.engine.url("/page")}
    refused = at.http("POST", path, {**body, **wrong})
    assert (refused.status, refused.json()["success"]) == (400, False)
    assert refused.json()["code"] == "InvalidInput"
    assert not [each for each in at.engine.requests if each.path == "/page"]


def test_failures_are_said_in_its_words(at: Served) -> None:
    gone = at.http("POST", "/v2/scrape", {"url": at.engine.url("/gone")})
    assert (gone.status >= 500, gone.json()["success"]) == (True, False)
    at.engine.on("/search", Reply(503, {}, b"down"))
    inside = at.http("POST", "/v1/scrape", {"url": "http://10.0.0.1/"})
    assert (inside.json()["success"], inside.json()["code"]) == (False, "WebBlocked")
    nowhere = at.http("POST", "/v2/crawl", {"url": "https://a.example/"})
    assert (nowhere.status, nowhere.json()["success"]) == (404, False)
