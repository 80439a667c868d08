"""The MCP server as a program of its own, asked everything in one run of it."""

from __future__ import annotations

import re

import pytest
from tests.loopback import LoopbackServer, replies
from tests.mcp_server.hosting import LOOPBACK, article, hosted
from tests.surfaces.an_engine import FAILURES, ITEMS, QUERIES, RESULTS
from tests.surfaces.asking import LIBRARY, Outcome, all_at, of_result
from tests.surfaces.reading import Read, library, of_reading
from tests.surfaces.test_same_refusals import REFUSED

FOUND = replies.as_json({"results": RESULTS})
TAKES = {"count", "country", "freshness"}
# Time passes alike over every transport; and the engine is left alone after it said 429.
KINDS = [kind for kind in FAILURES if kind not in ("silence", "429")] + ["429"]


@pytest.mark.release
async def test_everything_is_the_same_over_stdio(server: LoopbackServer) -> None:
    env = {**all_at(server.base_url), **LOOPBACK}
    async with hosted("stdio auto", env) as client:

        async def ask(query: str, **options: object) -> Outcome:
            return of_result(await client.call_tool("web_search", {"query": query, **options}))

        for query, options, word in REFUSED:
            if options.keys() <= TAKES:
                refused = await ask(query, **options)
                assert (refused.code, refused.detail_code) == ("InvalidInput", "")
                assert re.search(word, refused.message)
        assert not server.requests

        server.on("/search", FOUND)
        assert await ask("tea") == await LIBRARY.ask(env, "tea") == Outcome(tuple(ITEMS))
        for written, sent in QUERIES.values():
            assert (await ask(written)).items
            assert server.requests[-1].param("q") == (sent or written)

        server.on("/search", replies.as_json({"results": []}))
        assert await ask("nothing") == Outcome()

        for kind in KINDS:
            # An answer between them, so that no failures in a row make it wait.
            server.on("/search", FOUND)
            assert (await ask(f"before {kind}")).code == ""
            server.on("/search", FAILURES[kind][0])
            failed = await ask(kind)
            assert failed == await LIBRARY.ask(env, kind), kind
            assert [failed.code, failed.detail_code, failed.retryable] == list(FAILURES[kind][1:])

        async def read(url: str) -> Read:
            return of_reading(await client.call_tool("web_fetch", {"url": url}))

        server.on("/tea", article("西湖龙井", "明前龙井在清明之前采摘。 " * 9))
        server.on("/gone", replies.status(404))
        page = await read(server.url("/tea"))
        assert page.title == "西湖龙井"
        assert page.final_url == server.url("/tea")
        assert (await read(server.url("/gone"))).detail_code == "http_404"
        for url in (server.url("/gone"), "http://10.0.0.1/", "ftp://example.com/tea", ""):
            assert await read(url) == await library(env, url)
