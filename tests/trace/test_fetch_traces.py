"""A recorded page, read again without the network, has the same text byte for byte."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conftest import settings
from tests.extraction.raw_pdf import pdf
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.trace.recorded import recorded, replayed

from citeseek import Client, Settings
from citeseek.replay import bundle

SENTENCE = "The tea house at the lake opens at nine and closes when the last guest has gone."
PAGE = replies.html(
    "<html><head><title>Tea at the lake</title></head><body><article>"
    f"<h1>Tea at the lake</h1><p>{SENTENCE}</p><p>{SENTENCE} <b>Every day.</b></p>"
    "</article></body></html>"
)
CHINESE = (
    "<html><head><title>湖边茶馆</title></head><body><p>"
    + "茶馆九点开门。" * 20
    + "</p></body></html>"
)


def own(**fetch: Any) -> Settings:
    return settings(
        {"web": {"fetch": {"allow": ["127.0.0.0/8", "::1"], "fetch_delay_seconds": 0, **fetch}}}
    )


REPLIES = {
    "html": PAGE,
    "pdf": Reply(200, {"Content-Type": "application/pdf"}, pdf(f"{SENTENCE} {SENTENCE}")),
    "gbk": faults.gbk_called_gbk(CHINESE),
    "gbk in meta": faults.gbk_in_meta_only(CHINESE),
    "json": replies.as_json({"tea": ["green", "black"], "note": SENTENCE}),
    "text": Reply(200, {"Content-Type": "text/plain"}, SENTENCE),
    "404": replies.status(404, "gone"),
    "503": replies.status(503, "", retry_after=9),
    "empty": replies.empty(),
    "reset": faults.reset(),
    "hang": faults.hang(),
    "circle": replies.redirect("/page"),
    "to a private network": replies.redirect("http://10.0.0.1/"),
    "broken": faults.undecodable_brotli(),
}


@pytest.mark.parametrize("kind", REPLIES)
async def test_a_page_is_read_alike(server: LoopbackServer, kind: str) -> None:
    server.on("/page", REPLIES[kind])
    found = await recorded(own(), lambda client: client.fetch(server.url("/page"), seconds=0.8))
    await replayed(found)
    assert found.call.exchanges


async def test_redirects_and_their_names_are_followed_alike(server: LoopbackServer) -> None:
    port = server.base_url.rpartition(":")[2]
    server.on("/link", replies.redirect(f"http://localhost:{port}/next"))
    server.on("/next", replies.html('<meta http-equiv="refresh" content="0; url=/tea">'))
    server.on("/tea", PAGE)
    found = await recorded(
        own(), lambda client: client.fetch(server.url("/link"), form="markdown", max_chars=60)
    )
    again = await replayed(found)
    assert again.call.result["truncated"]
    assert again.call.result["redirects"] == found.call.result["redirects"]
    assert len(again.call.result["redirects"]) == 2


async def test_robots_txt_is_remembered_alike(server: LoopbackServer) -> None:
    server.on("/robots.txt", Reply(200, {}, "User-agent: *\nDisallow: /closed\n"))
    server.otherwise(PAGE)

    async def closed(client: Client) -> None:
        await client.fetch(server.url("/closed"))

    async def other(client: Client) -> None:
        await client.fetch(server.url("/open"))

    first = await recorded(own(robots="on"), closed)
    second = await recorded(own(robots="on"), closed, before=other)
    assert len(first.call.exchanges) == 1
    assert not second.call.exchanges
    for found in (first, second):
        again = await replayed(found)
        assert again.call.failure
        assert again.call.failure.detail_code == "robots_txt"


async def test_a_kept_page_is_in_the_trace(server: LoopbackServer) -> None:
    server.on("/tea", PAGE)

    async def call(client: Client) -> None:
        await client.fetch(server.url("/tea"))

    found = await recorded(own(), call, before=call)
    assert found.call.result["cache_hit"]
    await replayed(found)


@pytest.mark.parametrize("url", ["http://[::1", "ftp://x.example/", "http://192.168.1.1/"])
async def test_what_is_refused_is_refused_alike(url: str) -> None:
    found = await recorded(own(), lambda client: client.fetch(url))
    assert found.call.failure
    await replayed(found)


async def test_the_bundle_has_a_line_for_each_page(server: LoopbackServer) -> None:
    server.on("/tea", replies.status(403, "no"))
    found = await recorded(own(), lambda client: client.fetch(server.url("/tea")))
    lines = bundle(found).splitlines()
    assert any(line.startswith("fetch: ") and "code=http_403" in line for line in lines)
    assert f"    GET {server.url('/tea')} → HTTP 403, 2 bytes" in "\n".join(lines)
