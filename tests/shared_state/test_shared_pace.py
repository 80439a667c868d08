"""Requests of one caller are counted together by all servers at one Valkey."""

from __future__ import annotations

from contextlib import AsyncExitStack, aclosing

import pytest
from starlette.types import Receive, Scope, Send
from tests.shared_state.server import ValkeyServer

from citeseek.shared_state.valkey import Valkey
from citeseek.surfaces.server.rate_limit import RequestRate

pytestmark = pytest.mark.valkey


async def _nobody(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError


async def test_servers_count_together_and_apart_while_it_is_gone(valkey: ValkeyServer) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(aclosing(Valkey(valkey.url))) for _ in range(2)]
        servers[1].process = "another"
        first, second = (RequestRate(_nobody, 6, valkey=server) for server in servers)
        assert [await first.turn("token 1", 6) for _ in range(3)] == [0, 0, 0]
        assert [await second.turn("token 1", 6) for _ in range(3)] == [0, 0, 0]
        assert 8 <= await first.turn("token 1", 6) <= 10
        assert await second.turn("token 2", 6) == 0
        for server in servers:
            server._presence.counted_at = 0.0
            await server.count_processes()
        valkey.stop()
        try:
            told = [[await each.turn("token 3", 6) for _ in range(4)] for each in (first, second)]
        finally:
            valkey.start()
        assert told == [[0, 0, 0, 20], [0, 0, 0, 20]]
