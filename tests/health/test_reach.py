"""Below HTTP: names, ports and TLS of real sockets."""

from __future__ import annotations

import pytest
from tests.loopback import LoopbackServer, black_hole, refused_port
from tests.searxng.tls import tls_port

from citeseek.health.connectivity import addresses, obstacle, tls

HOST = "127.0.0.1"


async def test_what_keeps_a_connection_from_being_made(server: LoopbackServer) -> None:
    assert await obstacle(HOST, server.port, seconds=5) is None
    with refused_port() as port:
        assert await obstacle("localhost", port, seconds=5) == "refused"
    with black_hole() as port:
        assert await obstacle(HOST, port, seconds=0.2) == "timeout"
    assert await obstacle("no such host", 80, seconds=5) == "name_not_found"


async def test_whether_a_port_speaks_tls(server: LoopbackServer) -> None:
    assert await tls(HOST, server.port, seconds=5) == "none"
    with tls_port() as port:
        assert await tls(HOST, port, seconds=5) == "untrusted"
    with refused_port() as port:
        assert await tls(HOST, port, seconds=5) == "none"


@pytest.mark.parametrize("host", ["x" * 64 + ".test", "no such host"])
async def test_a_name_that_is_none_has_no_address(host: str) -> None:
    assert await addresses(host, seconds=5) == []


async def test_an_address_is_its_own_name() -> None:
    assert await addresses(HOST, seconds=5) == [HOST]
    assert HOST in await addresses("localhost", seconds=5)
