"""Both transports against every fault of a real server; what every engine may be told instead."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from tests.conftest import client_at
from tests.loopback import LoopbackServer, Reply, Request, black_hole, faults, refused_port, replies

from citeseek.engine import Engine
from citeseek.errors import (
    AuthError,
    BadGateway,
    NetworkError,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
)
from citeseek.models import Page
from citeseek.searching import judge
from citeseek.searching.engine_registry import Registry

HTTP = [engine for engine in Registry().built_in() if engine.via == "http"]
# A page and an API, each over the transport that it has.
WAYS = [engine for engine in HTTP if engine.id in ("ddg_html", "tavily")]
# The deadline of what has to run into it; a loaded machine may need longer for anything else.
SECONDS = 0.6
PATIENCE = 15.0
LIMIT_BYTES = 100_000

LONG_PAGE = "<html><body>" + "<p>A line of a page.</p>" * 200 + "</body></html>"

Answer = Reply | Callable[[Request], Reply]

FAULTS: dict[str, tuple[Answer, type[SearchFailed]]] = {
    "reset": (faults.reset(), NetworkError),
    "hang": (faults.hang(), Timeout),
    "drip": (faults.drip(), Timeout),
    "cut body": (faults.cut_body(replies.html(LONG_PAGE), 500), WebParseError),
    "truncated gzip": (faults.truncated_gzip(LONG_PAGE.encode()), WebParseError),
    "gzip bomb": (faults.gzip_bomb(), WebParseError),
    "too large": (replies.oversized(LIMIT_BYTES), WebParseError),
    "undecodable brotli": (faults.undecodable_brotli(), WebParseError),
    "redirect loop": (replies.redirect_loop, WebParseError),
    "redirect elsewhere": (replies.redirect("https://elsewhere.example/"), WebParseError),
}

# What an engine is given to read, whichever way it came.
PAGES: dict[str, tuple[Reply, type[SearchFailed]]] = {
    "500": (replies.status(500), BadGateway),
    "502": (replies.status(502), BadGateway),
    "503": (replies.status(503), BadGateway),
    "504": (replies.status(504), BadGateway),
    "429": (replies.status(429, retry_after=30), WebBlocked),
    "401": (replies.status(401), AuthError),
    "empty body": (replies.empty(), WebParseError),
    "202 without results": (replies.status(202, "<html></html>"), WebParseError),
    "an empty object": (replies.as_json({}), WebParseError),
    "null": (replies.as_json(None), WebParseError),
    "an empty list": (replies.as_json([]), WebParseError),
    "another page": (replies.html(LONG_PAGE), WebParseError),
}
each_way = pytest.mark.parametrize("engine", WAYS, ids=lambda engine: engine.id)


async def failure(engine: Engine, base_url: str, seconds: float = PATIENCE) -> SearchFailed:
    """Return the error of one search, and see that it came in time and names the engine."""
    began = time.perf_counter()
    async with client_at(base_url, engine.id, max_bytes=LIMIT_BYTES) as client:
        with pytest.raises(SearchFailed) as caught:
            await client.search("tea house", engine=engine.id, seconds=seconds)
    assert time.perf_counter() - began < seconds + 5
    assert caught.value.engine == engine.id
    assert caught.value.message
    return caught.value


@pytest.mark.parametrize("fault", FAULTS | PAGES)
@each_way
async def test_fault(engine: Engine, fault: str, server: LoopbackServer) -> None:
    answer, expected = (FAULTS | PAGES)[fault]
    server.otherwise(answer)
    seconds = SECONDS if expected is Timeout else PATIENCE
    assert type(await failure(engine, server.base_url, seconds)) is expected


def verdict(engine: Engine, reply: Reply) -> SearchFailed:
    """Return what an engine makes of a reply that came."""
    headers = {name.lower(): value for name, value in reply.headers.items()}
    page = Page(url=engine.base_url, status=reply.status, headers=headers, body=reply.content)
    with pytest.raises(SearchFailed) as caught:
        judge.read(engine, page)
    assert caught.value.engine == engine.id
    assert caught.value.message
    return caught.value


@pytest.mark.parametrize("engine", HTTP, ids=lambda engine: engine.id)
def test_every_engine_names_what_it_cannot_read(engine: Engine, subtests: pytest.Subtests) -> None:
    for name, (reply, expected) in PAGES.items():
        with subtests.test(name):
            error = verdict(engine, reply)
            assert type(error) is expected
            assert error.retry_after == (30 if name == "429" else None)
    with subtests.test("403"):
        error = verdict(engine, replies.status(403))
        # Qwant's JSON asks for no key that could be wrong.
        is_keyless = engine.kind == "html" or engine.id == "qwant"
        assert type(error) is (WebBlocked if is_keyless else AuthError)
        # Bocha says with a 403 that the balance is used up.
        assert error.detail_code in ("http_403", "quota_exceeded")


@each_way
@pytest.mark.requirement("S3-42")
async def test_a_refused_port_is_a_network_error(engine: Engine) -> None:
    with refused_port() as port:
        error = await failure(engine, f"http://127.0.0.1:{port}")
    assert type(error) is NetworkError
    assert error.retryable


@each_way
@pytest.mark.requirement("S1-77")
async def test_a_black_hole_ends_at_the_deadline(engine: Engine) -> None:
    with black_hole() as port:
        error = await failure(engine, f"http://127.0.0.1:{port}", SECONDS)
    assert type(error) is Timeout
    assert "0.6 s" in str(error)


@each_way
async def test_an_unknown_name_is_a_network_error(engine: Engine) -> None:
    assert type(await failure(engine, "http://no-such-host.invalid", SECONDS)) in (
        NetworkError,
        Timeout,
    )


@each_way
@pytest.mark.requirement("P31")
async def test_one_retry_after_a_5xx_and_none_after_a_refusal(
    engine: Engine, server: LoopbackServer
) -> None:
    server.otherwise(replies.status(503))
    await failure(engine, server.base_url)
    assert len(server.requests) == 2
    server.otherwise(replies.status(429))
    await failure(engine, server.base_url)
    assert len(server.requests) == 3


@each_way
async def test_retry_after_is_told(engine: Engine, server: LoopbackServer) -> None:
    server.otherwise(replies.status(429, retry_after=30))
    assert (await failure(engine, server.base_url)).retry_after == 30


@pytest.mark.parametrize("transport", ["pyreqwest", "primp"])
@pytest.mark.requirement("S1-18")
async def test_the_request_is_closed_at_the_deadline(
    transport: str, server: LoopbackServer
) -> None:
    server.otherwise(faults.hang())
    async with client_at(server.base_url, "searxng", transport=transport) as client:
        with pytest.raises(Timeout):
            await client.search("tea", engine="searxng", seconds=SECONDS)
        assert server.requests[0].closed.wait()
