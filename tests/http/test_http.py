"""What the HTTP transports have in common: the same fault is the same error through either."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.loopback.wire import Wire

from citeseek.engine import TransportKind
from citeseek.errors import InvalidInput, NetworkError, WebParseError
from citeseek.http import Transports
from citeseek.models import Request

KINDS: tuple[TransportKind, ...] = ("pyreqwest", "primp")
LIMIT = 12_345


@pytest.mark.parametrize("kind", KINDS)
async def test_a_header_that_is_no_text_costs_no_answer(
    kind: TransportKind, server: LoopbackServer
) -> None:
    odd = {"X-Name": "caf\xe9 \xff", "Content-Type": "text/plain"}
    server.otherwise(Reply(200, odd, b"tea"))
    transports = Transports()
    try:
        page = await transports.get(kind).send(
            Request(url=server.base_url), seconds=5, max_bytes=LIMIT
        )
    finally:
        await transports.close()
    assert (page.status, page.body) == (200, b"tea")
    assert page.headers["content-type"] == "text/plain"


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_body_over_the_limit_is_told_with_the_limit(
    kind: TransportKind, server: LoopbackServer, *, declared: bool
) -> None:
    server.otherwise(replies.oversized(LIMIT, declared=declared))
    transports = Transports()
    request = Request(url=server.base_url)
    try:
        with pytest.raises(WebParseError, match="larger than 12,345 bytes") as caught:
            await transports.get(kind).send(request, seconds=5, max_bytes=LIMIT)
        page = await transports.get(kind).send(request, seconds=5, max_bytes=LIMIT + 1)
    finally:
        await transports.close()
    assert caught.value.detail_code == "too_large"
    assert len(page.body) == LIMIT + 1


LONG = b"<p>" + bytes(range(256)) * 500
CUT = "was cut off before its end"
UNPACKED = "cannot be unpacked"


def raw(answer: bytes) -> Reply:
    """Send ``answer`` as it is and close."""

    async def script(wire: Wire) -> None:
        await wire.send(answer)

    return Reply(script=script)


def packed(coding: str, body: bytes) -> Reply:
    return Reply(200, {"Content-Type": "text/html", "Content-Encoding": coding}, body)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
BROKEN = {
    "short": (faults.cut_body(replies.html("tea " * 100), 30), CUT),
    "nothing": (faults.cut_body(replies.html("tea " * 100), 0), CUT),
    "long": (faults.cut_body(Reply(200, {}, LONG * 3), len(LONG) * 2), CUT),
    "in a chunk": (raw(CHUNKED + b"10\r\n<p>tea"), CUT),
    "between chunks": (raw(CHUNKED + b"6\r\n<p>tea\r\n"), CUT),
    "packed": (faults.cut_body(packed("gzip", gzip.compress(LONG)), 200), CUT),
    "half a gzip": (faults.truncated_gzip(LONG), UNPACKED),
    "no gzip": (packed("gzip", b"no gzip at all"), UNPACKED),
    "wrong sum": (packed("gzip", gzip.compress(LONG)[:-8] + bytes(8)), UNPACKED),
    "no deflate": (packed("deflate", b"no deflate"), UNPACKED),
}


# Of a page there is what came, as in a browser.
READ_OF_PAGES = {"half a gzip": True, "wrong sum": False}


@pytest.mark.parametrize(("name", "is_cut"), READ_OF_PAGES.items(), ids=READ_OF_PAGES)
async def test_of_a_page_that_cannot_be_unpacked_whole_there_is_what_came(
    server: LoopbackServer, name: str, *, is_cut: bool
) -> None:
    server.otherwise(BROKEN[name][0])
    transports = Transports()
    try:
        page = await transports.pages().send(
            Request(url=server.base_url),
            host=server.host,
            addresses=(),
            seconds=5,
            max_bytes=10_000_000,
        )
    finally:
        await transports.close()
    assert page.truncated is is_cut
    assert page.body
    assert LONG.startswith(page.body)


@pytest.mark.parametrize(
    ("kind", "reply", "says"),
    [
        pytest.param(kind, *BROKEN[name], id=f"{kind}-{name}")
        for kind in (*KINDS, "pages")
        for name in BROKEN
        if kind != "pages" or name not in READ_OF_PAGES
    ],
)
async def test_a_body_that_was_cut_and_one_that_cannot_be_unpacked_are_told_apart(
    kind: Any, server: LoopbackServer, reply: Reply, says: str
) -> None:
    server.otherwise(reply)
    transports = Transports()
    limits: dict[str, Any] = {"seconds": 5, "max_bytes": 10_000_000}
    if kind == "pages":
        at: dict[str, Any] = {"host": server.host, "addresses": ()}
        answer: Coroutine[Any, Any, object] = transports.pages().send(
            Request(url=server.base_url), **at, **limits
        )
    else:
        answer = transports.get(kind).send(Request(url=server.base_url), **limits)
    try:
        with pytest.raises(WebParseError) as caught:
            await answer
    finally:
        await transports.close()
    assert says in caught.value.message
    assert f"{server.host}:{server.port}" in caught.value.message
    assert caught.value.detail_code == "broken_body"


async def test_a_page_that_was_cut_at_a_pinned_address_may_be_asked_for_again(
    server: LoopbackServer,
) -> None:
    server.otherwise(faults.cut_body(replies.html("tea " * 25_000), 400))
    transports = Transports()
    try:
        with pytest.raises(NetworkError, match=CUT) as caught:
            await transports.pages().send(
                Request(url=server.base_url),
                host=server.host,
                addresses=("127.0.0.1",),
                seconds=5,
                max_bytes=10_000_000,
            )
    finally:
        await transports.close()
    assert caught.value.retryable


async def test_what_is_no_http_is_told_as_such(server: LoopbackServer) -> None:
    server.otherwise(raw(b"SSH-2.0-OpenSSH_9.6\r\n"))
    transports = Transports()
    request = Request(url=server.base_url)
    try:
        with pytest.raises(WebParseError, match="is not HTTP"):
            await transports.get("pyreqwest").send(request, seconds=5, max_bytes=LIMIT)
    finally:
        await transports.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_proxy_that_is_no_address_is_named_and_never_shown(kind: TransportKind) -> None:
    with pytest.raises(InvalidInput, match="proxy address is not valid") as caught:
        Transports().get(kind, "http://me:MARKED@[nowhere")
    assert "MARKED" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_threads_that_ask_at_the_same_time_get_the_same_transport() -> None:
    begin = threading.Barrier(4)
    for _ in range(20):
        transports = Transports()

        def get() -> object:
            begin.wait()
            return transports.get("primp")  # noqa: B023 - run within the turn

        with ThreadPoolExecutor(4) as pool:
            got = [pool.submit(get) for _ in range(4)]
        assert len({id(one.result()) for one in got}) == 1
