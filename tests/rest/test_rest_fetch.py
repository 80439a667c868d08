"""The text of a page over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies
from tests.rest.serving import PREFIX
from tests.serving.running import Answered, Caller, running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app

SENTENCE = "The tea house at the lake opens at nine and closes when the last guest has gone."
ARTICLE = replies.html(
    f"<html><head><title>Tea</title></head><body><article><p>{SENTENCE}</p>"
    f"<p>{SENTENCE}</p></article></body></html>"
)


@pytest.fixture
def http() -> Iterator[Caller]:
    fetch = {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0}
    loaded = settings({"web": {"fetch": fetch}})
    with running(create_app(lambda: loaded, store=MemoryStore(), looks=False)) as base_url:
        yield Caller(base_url)


def fetched(http: Caller, **wanted: Any) -> Answered:
    return http("POST", f"{PREFIX}/fetch", wanted)


def test_a_page_is_read(http: Caller, server: LoopbackServer) -> None:
    server.on("/link", replies.redirect("/tea"))
    server.on("/tea", ARTICLE)
    page = fetched(http, url=server.url("/link"), form="markdown").json()
    assert page["title"] == "Tea"
    assert SENTENCE in page["text"]
    assert (page["url"], page["final_url"]) == (server.url("/link"), server.url("/tea"))
    assert (page["domain"], page["cache_hit"]) == ("127.0.0.1", False)
    assert fetched(http, url=server.url("/link"), form="markdown").json()["cache_hit"]
    assert not fetched(http, url=server.url("/link"), fresh=True).json()["cache_hit"]
    short = fetched(http, url=server.url("/link"), max_chars=20, timeout=5).json()
    assert (len(short["text"]), short["truncated"]) == (20, True)


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({}, "url"),
        ({"url": ""}, "地址"),
        ({"url": 5}, "url"),
        ({"url": "https://a.example/", "form": "pdf"}, "form"),
        ({"url": "https://a.example/", "max_chars": 0}, "max_chars"),
        ({"url": "https://a.example/", "timeout": 0}, "时限"),
        ({"url": "https://a.example/", "depth": 3}, "depth"),
    ],
)
def test_a_wrong_call_is_a_problem(http: Caller, wanted: dict[str, Any], told: str) -> None:
    refused = fetched(http, **wanted)
    assert (refused.status, refused.json()["code"]) == (422, "InvalidInput")
    assert told in refused.json()["detail"]


@pytest.mark.parametrize(
    ("path", "status", "codes"),
    [
        ("/refused", 503, ["WebBlocked", "http_403"]),
        ("/missing", 502, ["WebProviderError", "http_404"]),
        ("/away", 503, ["WebBlocked", "ssrf_blocked"]),
    ],
)
def test_a_page_that_cannot_be_had_is_a_problem(
    http: Caller, server: LoopbackServer, path: str, status: int, codes: list[str]
) -> None:
    server.on("/refused", replies.status(403))
    server.on("/away", replies.redirect("http://169.254.169.254/latest"))
    problem = fetched(http, url=server.url(path))
    assert problem.status == status
    assert [problem.json()[name] for name in ("code", "detail_code")] == codes


def test_the_description_has_the_route(http: Caller) -> None:
    page = http("GET", "/api/openapi.json").json()
    body = page["paths"]["/api/v1/fetch"]["post"]["requestBody"]
    assert body["content"]["application/json"]["schema"]["$ref"].endswith("/PageWanted")
    assert {"PageWanted", "Fetched"} <= page["components"]["schemas"].keys()
