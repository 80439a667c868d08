"""The server of MCP over HTTP has the tokens and the number of requests that the API has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.conftest import settings
from tests.mcp_server.test_mcp_http import ACCEPT, HELLO
from tests.serving.running import Caller, running

from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.server.rules import Rules
from citeseek.trace.file import keep, trace_of
from citeseek.trace.record import Part

TOKENS = ("marked-token-5f20b7", "another-token-19c3")


def hello(address: str, token: str) -> Any:
    headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
    return Caller(address)("POST", PATH, HELLO, headers)


def test_each_of_several_tokens_lets_in_and_has_its_own_number_of_requests() -> None:
    rules = Rules(token=",".join(TOKENS), per_minute=1)
    with running(http_app(settings(), rules)) as address:
        assert [hello(address, token).status for token in TOKENS] == [200, 200]
        refused = hello(address, TOKENS[0])
        assert (refused.status, refused.json()["code"]) == (429, "RATE_LIMITED")
        assert 0 < int(refused.headers["Retry-After"]) <= 60
        assert hello(address, ",".join(TOKENS)).status == 401


@asynccontextmanager
async def host(address: str, token: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(address + PATH, http_client=http)) as client,
    ):
        yield client


@pytest.mark.parametrize("method", ["resources/list", "resources/templates/list", "resources/read"])
def test_traces_are_behind_the_token(method: str, tmp_path: Path) -> None:
    keep(trace_of(Part(kind="search", name="tea"), {}, "0" * 16), tmp_path)
    loaded = settings(env={"CITESEEK_TRACE_DIR": str(tmp_path)})
    asked = {"jsonrpc": "2.0", "id": 1, "method": method}
    asked["params"] = {"uri": f"citeseek://traces/{'0' * 16}"}
    with running(http_app(loaded, Rules(token=TOKENS[0]))) as address:
        for given in ({}, {"Authorization": f"Bearer {TOKENS[1]}"}):
            answer = Caller(address)("POST", PATH, asked, {**ACCEPT, **given})
            assert answer.status == 401
            assert "tea" not in answer.text


async def test_whoever_has_a_token_sees_all_traces(tmp_path: Path) -> None:
    env = {"CITESEEK_TRACE_DIR": str(tmp_path), "CITESEEK_ENGINE": "stub"}
    with running(http_app(settings(env=env), Rules(token=",".join(TOKENS)))) as address:
        async with host(address, TOKENS[0]) as client:
            await client.call_tool("web_search", {"query": "tea"})
        for token in TOKENS:
            async with host(address, token) as client:
                listed = (await client.list_resources()).resources
                assert [each.title for each in listed] == ["tea"]
