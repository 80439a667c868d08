"""The transport of pages: clients bound to one address each, and not too many of them."""

from __future__ import annotations

import asyncio

import pytest
from tests.loopback import LoopbackServer, replies

from citeseek.errors import InvalidInput, NetworkError, WebProviderError
from citeseek.http.pinned import MAX_IDLE_CLIENTS, PinnedTransport
from citeseek.models import Request

PAGE = replies.html("<p>Tea</p>")
HOSTS = [f"host-{number}.example" for number in range(MAX_IDLE_CLIENTS * 2)]


async def get(
    transport: PinnedTransport, server: LoopbackServer, host: str, **changes: object
) -> bytes:
    asked = {
        "host": host,
        "addresses": ("127.0.0.1",),
        "seconds": 10.0,
        "max_bytes": 1_000,
        **changes,
    }
    page = await transport.send(Request(url=f"http://{host}:{server.port}/"), **asked)
    return page.body


async def test_many_hosts_leave_few_clients_open(server: LoopbackServer) -> None:
    server.otherwise(PAGE)
    transport = PinnedTransport()
    try:
        together = await asyncio.gather(*(get(transport, server, host) for host in HOSTS))
        one_by_one = [await get(transport, server, host) for host in HOSTS]
        assert {*together, *one_by_one} == {PAGE.content}
        assert len(transport._pins) <= MAX_IDLE_CLIENTS + 1
    finally:
        await transport.close()
    assert not transport._pins


async def test_pages_of_one_host_share_a_connection(server: LoopbackServer) -> None:
    server.otherwise(PAGE)
    transport = PinnedTransport()
    for _ in range(5):
        await get(transport, server, HOSTS[0])
    await transport.close()
    assert (len(server.requests), server.connections) == (5, 1)


async def test_a_host_that_the_client_reads_in_another_way_is_not_asked(
    server: LoopbackServer,
) -> None:
    transport = PinnedTransport()
    with pytest.raises(WebProviderError):
        await transport.send(
            Request(url="http://one.example/"),
            host="two.example",
            addresses=("127.0.0.1",),
            seconds=1,
            max_bytes=1,
        )
    with pytest.raises(NetworkError) as caught:
        await get(transport, server, "1.2.3.4.5")
    await transport.close()
    assert caught.value.detail_code == "bad_address"
    assert server.connections == 0


async def test_a_proxy_that_is_no_address_is_named_and_never_shown(server: LoopbackServer) -> None:
    transport = PinnedTransport("http://me:MARKED@[nowhere")
    with pytest.raises(InvalidInput, match="proxy address is not valid") as caught:
        await get(transport, server, HOSTS[0], addresses=())
    await transport.close()
    assert "MARKED" not in str(caught.value)
