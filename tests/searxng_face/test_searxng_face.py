"""Programs that speak to a SearXNG speak to Citeseek: our own engine is one of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from urllib.parse import urlencode

import feedparser
import pytest
from msgspec import json
from tests.assistant.chatting import found, result
from tests.conftest import settings
from tests.loopback import Reply, replies
from tests.loopback.canned import load_pages
from tests.rest.serving import Served, served
from tests.serving.guarding import guarding
from tests.serving.running import Answered

from citeseek import Client
from citeseek.browser.failures import playwright_missing
from citeseek.errors import BadGateway, SearchFailed, WebBlocked, WebProviderError
from citeseek.health.searxng.diagnosis import diagnose
from citeseek.models import SearchResponse
from citeseek.surfaces.searxng.mapping import describe_failure
from citeseek.surfaces.server.rules import Rules

FOUND = found(
    result(1, publishedDate="2026-03-01T00:00:00", engines=["a", "b"]), result(2), result(3)
)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def at() -> Iterator[Served]:
    with served(FOUND, WEB_SEARCH_BACKEND="searxng") as running:
        yield running


def asked(at: Served, **query: str) -> Answered:
    return at.http("GET", f"/search?{urlencode({'format': 'json', **query})}")


async def searched(at: Served, **how: object) -> SearchResponse:
    """Search as somebody does whose SearXNG is this server."""
    loaded = settings(env={"SEARXNG_BASE_URL": at.http.base_url})
    async with Client(loaded) as client:
        return await client.search("绿茶 🍵", engine="searxng", **how)  # type: ignore[arg-type]


async def test_our_own_engine_reads_it(at: Served) -> None:
    response = await searched(at, language="zh-CN", freshness="week", safesearch="strict", page=2)
    assert [item.url for item in response.items] == [
        f"https://site{number}.example/page" for number in (1, 2, 3)
    ]
    first = response.items[0]
    assert (first.title, first.snippet) == ("Title 1", "Summary 1.")
    assert (first.source, first.published_at) == ("searxng", "2026-03-01T00:00:00")
    (request,) = at.engine.requests
    names = ("q", "language", "time_range", "safesearch", "pageno")
    assert [request.param(name) for name in names] == ["绿茶 🍵", "zh-CN", "week", "2", "2"]


@pytest.mark.parametrize(
    ("category", "asked_for", "page"),
    [
        ("images", "images", "searxng/images.json"),
        ("videos", "videos", "searxng/videos.json"),
        ("papers", "science", "searxng/papers.json"),
    ],
)
async def test_what_a_kind_needs_goes_through(category: str, asked_for: str, page: str) -> None:
    canned = load_pages()[page]
    with served(canned.reply(), WEB_SEARCH_BACKEND="searxng") as at:
        response = await searched(at, category=category)
    assert response.ignored == ()
    for item, expected in zip(response.items, canned.expected, strict=True):
        told = json.decode(json.encode(item))
        for name in ("image", "video", "paper"):
            assert told.get(name) == expected.get(name)
    assert at.engine.requests[0].param("categories") == asked_for


async def test_a_search_that_failed_is_not_nothing_found() -> None:
    for answer, kind in ((Reply(503, {}, b"down"), BadGateway), (found(), None)):
        with served(answer, WEB_SEARCH_BACKEND="searxng") as at:
            body = asked(at, q="tea", engines="searxng").json()
            assert body["results"] == []
            if kind is None:
                assert body["unresponsive_engines"] == []
                assert (await searched(at, count=3)).items == ()
            else:
                assert ["searxng", "HTTP error"] in body["unresponsive_engines"]
                with pytest.raises(SearchFailed, match="HTTP error"):
                    await searched(at, count=3)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (playwright_missing(), "server API error: Playwright, which speaks to the browser, is not"),
        (WebProviderError("Refused.", detail_code="http_404"), "server API error: Refused."),
        (WebProviderError("ValueError"), "unexpected crash"),
        (WebProviderError("It broke.", detail_code="internal"), "unexpected crash"),
        (WebBlocked("No.", detail_code="captcha_required"), "CAPTCHA"),
    ],
)
def test_an_engine_that_lacks_a_part_has_not_crashed(error: SearchFailed, reason: str) -> None:
    error.engine = "google"
    ((engine, said),) = describe_failure("tea", error).unresponsive_engines
    assert engine == "google"
    assert said.startswith(reason)


async def test_our_own_doctor_finds_it_well(at: Served) -> None:
    findings = await diagnose(at.http.base_url)
    assert {finding.status for finding in findings} <= {"ok"}, findings


def test_every_key_is_there(at: Served) -> None:
    body = asked(at, q="tea").json()
    assert {
        "query",
        "number_of_results",
        "results",
        "answers",
        "corrections",
        "infoboxes",
        "suggestions",
        "unresponsive_engines",
    } == set(body)
    assert (body["query"], body["number_of_results"]) == ("tea", 3)
    first, second, _ = body["results"]
    assert (first["engine"], first["engines"]) == ("searxng", ["searxng", "a", "b"])
    assert (first["category"], first["template"]) == ("general", "default.html")
    assert (first["score"], first["positions"], second["score"]) == (1.0, [1], 0.5)
    assert first["parsed_url"][:3] == ["https", "site1.example", "/page"]
    assert second["publishedDate"] is None


def test_a_form_is_taken_as_well(at: Served) -> None:
    body = urlencode({"q": "绿茶", "format": "json", "language": "all"}).encode()
    answer = at.http("POST", "/search", body, FORM)
    assert answer.json()["query"] == "绿茶"
    assert at.http("POST", "/search", b"\xff", FORM).status in (400, 403)
    many = urlencode([(f"f{number}", "x") for number in range(99)]).encode()
    assert at.http("POST", "/search?format=json&q=x", many, FORM).json() == {
        "error": "The body is no form."
    }


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ({"q": ""}, 400, "No query"),
        ({}, 400, "No query"),
        ({"q": "x", "pageno": "0"}, 400, "Invalid value 0 for parameter pageno"),
        ({"q": "x", "pageno": "two"}, 400, "Invalid value two for parameter pageno"),
        ({"q": "x", "time_range": "hour"}, 400, "Invalid value hour for parameter time_range"),
        ({"q": "x", "safesearch": "9"}, 400, "Invalid value 9 for parameter safesearch"),
        ({"q": "x", "language": "zh_CN"}, 400, "Invalid value zh_CN for parameter language"),
        ({"q": "x" * 4_001}, 400, "搜索的词有 4,001 个字符，最多 4,000 个。"),
        ({"q": "x", "format": "xml"}, 403, "Only format=json, csv, rss is given here."),
        ({"q": "", "format": "html"}, 403, "Only format=json, csv, rss is given here."),
    ],
)
def test_errors_are_those_of_a_searxng(
    at: Served, query: dict[str, str], status: int, told: str
) -> None:
    refused = asked(at, **query)
    assert (refused.status, refused.json()) == (status, {"error": told})
    assert not at.engine.requests


def test_engines_are_ours_and_unknown_ones_are_left_out(at: Served) -> None:
    stub = asked(at, q="tea", engines="google-that-was, stub,stub").json()
    assert {each["engine"] for each in stub["results"]} == {"stub"}
    assert not at.engine.requests
    usual = asked(at, q="tea", engines="nobody", categories="images").json()
    assert len(usual["results"]) == 3


def test_an_engine_without_further_pages_has_none(at: Served) -> None:
    first = asked(at, q="tea", engines="wikipedia,stub").json()
    assert first["results"]
    shown = {each["name"]: each["paging"] for each in at.http("GET", "/config").json()["engines"]}
    for name in ("stub", "searxng"):
        second = asked(at, q="tea", engines=name, pageno="2").json()["results"]
        assert bool(second) == shown[name]


def test_who_probes_is_satisfied(at: Served) -> None:
    health = at.http("GET", "/healthz")
    assert (health.status, health.text) == (200, "OK")
    assert health.headers["Content-Type"].startswith("text/plain")
    assert at.http("HEAD", "/healthz").status == 200
    config = at.http("GET", "/config").json()
    assert {"engines", "instance_name", "version", "brand", "categories"} <= set(config)
    engines = {engine["name"]: engine for engine in config["engines"]}
    assert engines["searxng"]["paging"]
    assert not engines["brave"]["enabled"]
    assert config["limiter"] == {"enabled": False}


def test_at_its_own_address_a_search_is_one_and_a_person_gets_the_page(at: Served) -> None:
    found = at.http("GET", "/?q=tea&format=json&engines=searxng&language=en")
    assert next(each["url"] for each in found.json()["results"]) == "https://site1.example/page"
    assert found.json() == asked(at, q="tea", engines="searxng", language="en").json()
    assert at.http("GET", "/?format=json").json() == {"error": "No query"}
    assert at.http("GET", "/?q=tea&format=csv&engines=searxng").text.startswith("title,url,")
    assert at.http("GET", "/?q=tea&format=xml").status == 403
    for path in ("/", "/?q=tea", "/?q=tea&format=html"):
        assert at.http("GET", path).headers["Content-Type"].startswith("text/html")


def test_the_guard_takes_it_for_a_search_too() -> None:
    wanted = "/?q=tea&format=json"
    with guarding(Rules(token="marked-token-8c1d4e")) as closed:
        answer = closed.call("GET", wanted)
        assert (answer.status, "error" in answer.json()) == (401, True)
    with guarding(Rules(per_minute=1)) as paced:
        assert paced.call("GET", wanted).json()["path"] == "/search"
        assert paced.call("GET", wanted).status == 429


SAID = {
    "query": "tea",
    "results": [
        result(1, title='=Tea, "green"', content="A leaf.\nDried.", publishedDate="2026-03-01"),
        result(2, title="Tea < cake & \x0bmore"),
    ],
    "suggestions": ["black tea", "black <b>tea</b>"],
    "corrections": ["tee"],
    "answers": [
        {"answer": "A drink.", "url": "https://a.example/tea", "engine": "ddg definitions"},
        "An older form.",
    ],
}


@pytest.fixture
def saying() -> Iterator[Served]:
    with served(replies.as_json(SAID), WEB_SEARCH_BACKEND="searxng") as running:
        yield running


def test_what_an_engine_says_beside_its_results_goes_through(saying: Served) -> None:
    body = asked(saying, q="tea").json()
    assert (body["suggestions"], body["corrections"]) == (["black tea"], ["tee"])
    first, second = body["answers"]
    assert (first["answer"], first["engine"]) == ("A drink.", "ddg definitions")
    assert first["parsed_url"][:2] == ["https", "a.example"]
    assert (second["answer"], second["engine"], second["url"]) == (
        "An older form.",
        "searxng",
        None,
    )


async def test_and_our_own_engine_reads_it_again(saying: Served) -> None:
    response = await searched(saying)
    assert response.beside.suggestions == ("black tea",)
    assert [answer.text for answer in response.beside.answers] == ["A drink.", "An older form."]


def test_results_come_as_a_table(saying: Served) -> None:
    answer = saying.http("GET", "/search?format=csv&q=tea")
    assert answer.headers["Content-Type"].startswith("application/csv")
    assert "attachment" in answer.headers["Content-Disposition"]
    head, *rows = csv.reader(io.StringIO(answer.text))
    assert head == ["title", "url", "content", "host", "engine", "score", "type"]
    # A spreadsheet must not take a title for a formula.
    site = "site1.example"
    assert rows[0] == [
        '\'=Tea, "green"',
        f"https://{site}/page",
        "A leaf. Dried.",
        site,
        "searxng",
        "1.0",
        "result",
    ]
    assert [row[-1] for row in rows] == [
        "result",
        "result",
        "answer",
        "answer",
        "suggestion",
        "correction",
    ]
    assert [row[0] for row in rows[2:]] == ["A drink.", "An older form.", "black tea", "tee"]


def test_results_come_as_a_feed(saying: Served) -> None:
    answer = saying.http("GET", "/search?format=rss&q=tea+%26+cake")
    assert answer.headers["Content-Type"].startswith("text/xml")
    feed = feedparser.parse(answer.text)
    assert not feed.bozo
    assert feed.feed.title == "Citeseek search: tea & cake"
    assert feed.feed.link == f"{saying.http.base_url}/search?q=tea+%26+cake"
    assert [entry.link for entry in feed.entries] == [
        "https://site1.example/page",
        "https://site2.example/page",
    ]
    assert feed.entries[0].published_parsed[:3] == (2026, 3, 1)
    assert feed.entries[1].title == "Tea < cake & more"


def test_a_failed_search_is_no_empty_feed() -> None:
    with served(Reply(503, {}, b"down"), WEB_SEARCH_BACKEND="searxng") as at:
        feed = feedparser.parse(at.http("GET", "/search?format=rss&q=tea").text)
    assert feed.entries[0].title == "Error: searxng"
