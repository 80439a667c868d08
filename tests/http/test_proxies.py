"""Which proxy an address is reached through, with the settings of desktops as they are written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackProxy, LoopbackServer, replies
from tests.loopback.models import ModelServer

from citeseek import Client
from citeseek.assistant.assistant import Assistant
from citeseek.http import Proxies

FOUND = replies.as_json({"results": [{"title": "Tea", "url": "https://e.example/", "content": ""}]})
DESKTOP = "localhost,127.0.0.0/8,::1"


@pytest.mark.parametrize(
    ("bypass", "url", "is_direct"),
    [
        # As Windows, macOS and people write it.
        ("localhost;127.*;<local>", "http://127.9.9.9/", True),
        ("localhost;127.*;<local>", "http://nas:8080/", True),
        ("localhost;127.*;<local>", "http://nas.example/", False),
        ("*.local, 169.254/16", "http://169.254.3.4/", True),
        ("192.168.*.*", "http://192.168.1.1/", True),
        ("192.168.*.*", "http://192.169.1.1/", False),
        ("'localhost'", "http://localhost./", True),
        ("http://127.0.0.1/", "http://127.0.0.1/", True),
        ("bücher.example", "http://xn--bcher-kva.example/", True),
        ("127.0.0.0/8,::1", "http://127.0.0.1:8080/", True),
        ("127.0.0.0/8,::1", "http://localhost:8080/", True),
        ("127.0.0.0/8,::1", "http://[::1]:8080/", True),
        ("127.0.0.0/8", "http://[::ffff:127.0.0.1]/", True),
        ("[::1]", "http://[::1]/", True),
        ("[::1]:80", "http://[::1]/", True),
        ("[::1]:81", "http://[::1]/", False),
        ("fd00::/8", "http://[fd12::1]/", True),
        ("10.0.0.0/8", "http://10.2.3.4/", True),
        ("10.0.0.0/8", "http://11.2.3.4/", False),
        ("10.1.2.3/8", "http://10.9.9.9/", True),
        ("10.0.0.0/99", "http://10.0.0.1/", False),
        ("*.local,.corp", "http://a.local/", True),
        ("*.local,.corp", "http://b.a.corp/", True),
        (".corp", "http://corp/", True),
        ("example.com", "http://a.example.com/", True),
        ("example.com", "http://notexample.com/", False),
        ("EXAMPLE.com", "http://Example.COM/", True),
        ("example.com:8080", "http://example.com:8080/", True),
        ("example.com:8080", "http://example.com/", False),
        ("example.com:443", "https://example.com/", True),
        ("*", "http://x.example/", True),
        ("a.example b.example", "http://b.example/", True),
        ("0.0.1", "http://127.0.0.1/", False),
        ("", "http://a.example/", False),
        (" , ", "http://a.example/", False),
    ],
)
def test_who_is_asked_directly(bypass: str, url: str, *, is_direct: bool) -> None:
    proxies = Proxies(http="http://p", https="http://s", bypass=bypass)
    through = "http://s" if url.startswith("https") else "http://p"
    assert proxies.for_url(url) == (None if is_direct else through)


@asynccontextmanager
async def socks_proxy() -> AsyncIterator[tuple[int, list[str]]]:
    """Give the port of a SOCKS 5 proxy without a password, and the names that it was asked for."""
    names: list[str] = []
    served: set[asyncio.Task[None]] = set()

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.add(asyncio.create_task(serve(reader, writer)))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, methods = await reader.readexactly(2)
        await reader.readexactly(methods)
        writer.write(b"\x05\x00")
        *_, kind = await reader.readexactly(4)
        length = (await reader.readexactly(1))[0] if kind == 3 else 4
        address = await reader.readexactly(length)
        port = int.from_bytes(await reader.readexactly(2))
        names.append(address.decode() if kind == 3 else ".".join(map(str, address)))
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await asyncio.gather(pipe(reader, far_writer), pipe(far_reader, writer))
        await asyncio.gather(writer.wait_closed(), far_writer.wait_closed())

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], names
        await asyncio.gather(*served)


@pytest.mark.parametrize("transport", ["pyreqwest", "primp"])
async def test_a_socks_proxy_as_desktops_write_it_is_used(
    transport: str, server: LoopbackServer
) -> None:
    server.on("/search", FOUND)
    async with socks_proxy() as (port, names):
        entry = {"base_url": f"http://search.example:{server.port}", "transport": transport}
        chosen = settings(
            {"engines": {"searxng": entry}}, env={"ALL_PROXY": f"socks://127.0.0.1:{port}/"}
        )
        async with Client(chosen) as client:
            assert (await client.search("tea", engine="searxng")).count == 1
    assert names == ["search.example"]


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks://127.0.0.1:9"])
async def test_this_machine_is_asked_directly_search_and_model_alike(
    proxy: str, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on("/search", FOUND)
    env = {"ALL_PROXY": proxy, "HTTP_PROXY": proxy, "NO_PROXY": "127.0.0.0/8,::1"}
    # Libraries look there by themselves.
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    with ModelServer() as model:
        model.says("Found [1].")
        loaded = settings(env={**env, **model.env, "SEARXNG_BASE_URL": server.base_url})
        async with Assistant(lambda: loaded) as assistant:
            events = [event async for event in assistant.stream("tea?")]
    assert "Found" in events[-1].answer
    assert len(server.requests) == 1


async def test_a_model_elsewhere_goes_through_the_proxy(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer() as model, LoopbackProxy(upstream=("127.0.0.1", model.http.port)) as proxy:
        env = {"ALL_PROXY": proxy.base_url, "NO_PROXY": DESKTOP}
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        model.says("From memory.")
        far = {**model.env, "CITESEEK_MODEL_BASE_URL": "http://model.example/v1"}
        async with Assistant(lambda: settings(env={**env, **far})) as assistant:
            events = [event async for event in assistant.stream("tea?", search=False)]
        assert "From memory." in events[-1].answer
        assert len(proxy.requests) == 1
