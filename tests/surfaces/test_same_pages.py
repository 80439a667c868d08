"""The same address gives the same page on every surface, or the same failure."""

from __future__ import annotations

import pytest
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.mcp_server.hosting import LOOPBACK, article
from tests.surfaces.reading import READERS

TITLE = "西湖龙井 🍵 and “more”"
TEXT = "明前龙井在清明之前采摘，一斤约有四万个嫩芽。 The leaves are flat & green, said Zoë 👩‍👩‍👧."
# What comes, then error_code and detail_code.
FAILURES: dict[str, tuple[Reply, str, str]] = {
    "404": (replies.status(404), "WebProviderError", "http_404"),
    "403": (replies.status(403), "WebBlocked", "http_403"),
    "500": (replies.status(500), "BadGateway", "http_500"),
    "reset": (faults.reset(), "NetworkError", "no_connection"),
    "silence": (faults.hang(), "Timeout", ""),
}

readers = pytest.mark.parametrize("name", READERS)


@readers
async def test_a_page_is_the_same(name: str, server: LoopbackServer) -> None:
    server.on("/old", replies.redirect("/tea"))
    server.on("/tea", article(TITLE.replace("&", "&amp;"), TEXT.replace("&", "&amp;")))
    page = await READERS[name](LOOPBACK, server.url("/old"))
    assert (page.title, page.final_url, page.code) == (TITLE, server.url("/tea"), "")
    assert TEXT in page.text


@pytest.mark.sample(5)
@pytest.mark.parametrize("kind", FAILURES)
@readers
async def test_a_page_that_cannot_be_read_has_the_same_code(
    name: str, kind: str, server: LoopbackServer
) -> None:
    reply, *expected = FAILURES[kind]
    server.on("/tea", reply)
    timeout = {"WEB_FETCH_TIMEOUT_MS": "1000"} if kind == "silence" else {}
    failed = await READERS[name]({**LOOPBACK, **timeout}, server.url("/tea"))
    assert [failed.code, failed.detail_code] == expected


@readers
async def test_an_address_that_is_not_public_is_refused(name: str, server: LoopbackServer) -> None:
    refused = await READERS[name]({}, server.url("/tea"))
    assert (refused.code, refused.detail_code) == ("WebBlocked", "ssrf_blocked")
    assert not server.requests


@pytest.mark.parametrize("url", ["", "ftp://example.com/tea", "file:///etc/passwd", "http://"])
@readers
async def test_what_is_no_address_of_the_web_is_refused(name: str, url: str) -> None:
    refused = await READERS[name]({}, url)
    assert (refused.code, refused.detail_code) == ("InvalidInput", "")
