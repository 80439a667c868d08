"""The proxy of rendered pages: what it connects to, and what it never does."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from tests.fetching.fetching_at import Names
from tests.loopback import LoopbackProxy, LoopbackServer, refused_port, replies

from citeseek.browser.dialing import Way
from citeseek.browser.guarded_proxy import GuardedProxy
from citeseek.guard import Allowed, Guard

REFUSED, UNREACHABLE, UNKNOWN = 2, 4, 7
PLENTY = 1_000_000


@asynccontextmanager
async def guarded(
    names: Names | None = None,
    *,
    allow: tuple[str, ...] = ("tea.example",),
    proxy: str | None = None,
    max_bytes: int = PLENTY,
) -> AsyncIterator[tuple[str, Way, GuardedProxy]]:
    guard = Guard(Allowed.of(allow), resolver=names or Names({"tea.example": [["127.0.0.1"]]}))
    one = GuardedProxy()
    address = await one.open()
    way = Way(guard, lambda _: proxy)
    one.admit(way, max_bytes=max_bytes)
    try:
        yield address, way, one
    finally:
        await one.close()


async def connect(
    proxy: str, host: str, port: int, *, order: int = 1
) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
    """Ask ``proxy`` as a browser does; return its answer and the connection."""
    parts = urlsplit(proxy)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(b"\x05\x01\x00")
    assert await reader.readexactly(2) == b"\x05\x00"
    name = host.encode()
    writer.write(bytes((5, order, 0, 3, len(name))) + name + struct.pack(">H", port))
    answer = await reader.readexactly(10)
    return answer[1], reader, writer


async def get(proxy: str, host: str, port: int) -> bytes:
    code, reader, writer = await connect(proxy, host, port)
    assert code == 0
    writer.write(f"GET /tea HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    try:
        return await reader.read()
    finally:
        writer.close()


async def test_what_the_guard_lets_through_is_reached_and_counted(server: LoopbackServer) -> None:
    server.on("/tea", replies.html("green"))
    async with guarded() as (proxy, way, _):
        assert (await get(proxy, "tea.example", server.port)).endswith(b"green")
    assert way.reached["tea.example"].connections == 1
    assert way.reached["tea.example"].received_bytes > 5


INSIDE = ["127.0.0.1", "::1", "localhost", "10.0.0.1", "169.254.169.254", "inner.example",
          "mixed.example", "2130706433", "0x7f.1", "::ffff:127.0.0.1"]  # fmt: skip


@pytest.mark.parametrize("host", INSIDE)
async def test_what_is_inside_is_refused_before_anything_is_sent(
    server: LoopbackServer, host: str
) -> None:
    names = Names(
        {
            "inner.example": [["127.0.0.1"]],
            "mixed.example": [["93.184.216.34", "127.0.0.1"]],
            "localhost": [["127.0.0.1"]],
        }
    )
    async with guarded(names) as (proxy, way, one):
        code, _, writer = await connect(proxy, host, server.port)
        writer.close()
        assert code == REFUSED
        assert one.refused == 1
    assert server.connections == 0
    assert way.reached == {}


async def test_a_name_is_looked_up_once_for_a_connection_and_pinned(server: LoopbackServer) -> None:
    names = Names({"tea.example": [["127.0.0.1"], ["169.254.169.254"]]})
    server.on("/tea", replies.html("green"))
    async with guarded(names, allow=("127.0.0.1",)) as (proxy, _, _):
        assert (await get(proxy, "tea.example", server.port)).endswith(b"green")
        assert names.asked == ["tea.example"]
        code, _, writer = await connect(proxy, "tea.example", server.port)
        writer.close()
    assert code == REFUSED


async def test_before_a_page_is_shown_nothing_is_let_through(server: LoopbackServer) -> None:
    one = GuardedProxy()
    proxy = await one.open()
    code, _, writer = await connect(proxy, "tea.example", server.port)
    writer.close()
    await one.close()
    assert code == REFUSED


@pytest.mark.parametrize("order", [2, 3])
async def test_it_only_connects(server: LoopbackServer, order: int) -> None:
    async with guarded() as (proxy, _, _):
        code, _, writer = await connect(proxy, "tea.example", server.port, order=order)
        writer.close()
    assert code == UNKNOWN


async def test_where_nobody_answers_it_says_so() -> None:
    with refused_port() as port:
        async with guarded() as (proxy, _, one):
            code, _, writer = await connect(proxy, "tea.example", port)
            writer.close()
            assert (code, one.refused) == (UNREACHABLE, 0)


async def test_what_is_more_than_a_page_may_exchange_is_cut(server: LoopbackServer) -> None:
    server.on("/tea", replies.html("x" * 500_000))
    async with guarded(max_bytes=100_000) as (proxy, _, _):
        assert len(await get(proxy, "tea.example", server.port)) <= 100_000


async def test_closing_it_ends_every_connection(server: LoopbackServer) -> None:
    async with guarded() as (proxy, _, _):
        code, reader, writer = await connect(proxy, "tea.example", server.port)
        assert code == 0
    assert await reader.read() == b""
    writer.close()


@pytest.mark.parametrize("password", ["", "secret"])
async def test_the_proxy_that_is_set_for_fetching_is_the_next_hop(
    server: LoopbackServer, password: str
) -> None:
    server.on("/tea", replies.html("green"))
    upstream = ("127.0.0.1", server.port)
    user = "tea" if password else ""
    names = Names({"far.example": [["93.184.216.34"]], "inner.example": [["10.0.0.1"]]})
    with LoopbackProxy(username=user, password=password, upstream=upstream) as hop:
        async with guarded(names, proxy=hop.url) as (proxy, _, _):
            assert (await get(proxy, "far.example", 443)).endswith(b"green")
            code, _, writer = await connect(proxy, "inner.example", 443)
            writer.close()
        (asked,) = hop.requests
    assert code == REFUSED
    assert (asked.method, asked.target) == ("CONNECT", "far.example:443")


async def test_a_proxy_that_refuses_is_no_connection(server: LoopbackServer) -> None:
    names = Names({"far.example": [["93.184.216.34"]]})
    with LoopbackProxy(username="tea", password="secret") as hop:
        url = f"http://127.0.0.1:{hop.port}"
        async with guarded(names, proxy=url) as (proxy, _, _):
            code, _, writer = await connect(proxy, "far.example", 443)
            writer.close()
    assert code == UNREACHABLE


async def test_a_socks_proxy_gets_the_name_and_its_password() -> None:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readexactly(3))
        writer.write(b"\x05\x02")
        asked.append(await reader.readexactly(12))
        writer.write(b"\x01\x00")
        asked.append(await reader.readexactly(18))
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\ngreen")
        await writer.drain()
        writer.close()

    hop = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = hop.sockets[0].getsockname()[1]
    names = Names({"far.example": [["93.184.216.34"]]})
    async with guarded(names, proxy=f"socks5h://tea:secret@127.0.0.1:{port}") as (proxy, _, _):
        assert (await get(proxy, "far.example", 443)).endswith(b"green")
    hop.close()
    assert asked[1:] == [b"\x01\x03tea\x06secret", b"\x05\x01\x00\x03\x0bfar.example\x01\xbb"]
