"""The server of MCP over HTTP has the tokens and the number of requests that the API has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, faults
from tests.mcp_server.test_mcp_http import ACCEPT, HELLO
from tests.serving.running import Caller, running

from citeseek import Client as SearchClient
from citeseek.settings.known_people import read_people
from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.mcp.server import create_server
from citeseek.surfaces.server.rules import Rules
from citeseek.trace.trace_file import keep, trace_of
from citeseek.trace.trace_record import Part

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


PEOPLE = read_people(f"alice:member:{TOKENS[0]}, bob:member:{TOKENS[1]}, eve:guest:{'e' * 16}")


def test_a_session_is_nobody_elses(tmp_path: Path) -> None:
    env = {"CITESEEK_SESSIONS": str(tmp_path / "sessions")}
    with running(http_app(settings(env=env), Rules(people=PEOPLE))) as address:
        session = hello(address, TOKENS[0]).headers["Mcp-Session-Id"]
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        for method, body in (("POST", ping), ("DELETE", None)):
            for token, status in ((TOKENS[1], 404), (TOKENS[0], 200)):
                sent = {**ACCEPT, "Authorization": f"Bearer {token}", "Mcp-Session-Id": session}
                assert Caller(address)(method, PATH, body, sent).status == status


async def test_traces_of_people_are_apart_and_guests_leave_none(tmp_path: Path) -> None:
    env = {
        "CITESEEK_TRACE_DIR": str(tmp_path),
        "CITESEEK_SESSIONS": str(tmp_path / "sessions"),
        "CITESEEK_ENGINE": "stub",
    }
    asked = dict(zip((*TOKENS, "e" * 16), ("alders", "birches", "elms"), strict=True))
    with running(http_app(settings(env=env), Rules(people=PEOPLE))) as address:
        for token, query in asked.items():
            async with host(address, token) as client:
                await client.call_tool("web_search", {"query": query})
        for token, titles in zip(asked, (["alders"], ["birches"], []), strict=True):
            async with host(address, token) as client:
                listed = (await client.list_resources()).resources
                assert [each.title for each in listed] == titles
    kept = {path.parent.name for path in tmp_path.rglob("*.json")}  # noqa: ASYNC240 - a few files
    assert kept == {"alice", "bob"}


def test_sessions_that_nobody_ends_keep_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citeseek.surfaces.mcp.http.MAX_SESSIONS", 2)
    monkeypatch.setattr("citeseek.surfaces.mcp.http._BUSY_SESSIONS", 1)
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    with running(http_app(settings(), Rules(token=",".join(TOKENS)))) as address:
        mine = hello(address, TOKENS[1]).headers["Mcp-Session-Id"]
        theirs = [hello(address, TOKENS[0]) for _ in range(6)]
        assert {answer.status for answer in theirs} == {200}

        def pinged(session: str, token: str) -> int:
            sent = {**ACCEPT, "Authorization": f"Bearer {token}", "Mcp-Session-Id": session}
            return Caller(address)("POST", PATH, ping, sent).status

        # Who left many behind loses the oldest of them, and nobody else's is touched.
        assert pinged(mine, TOKENS[1]) == 200
        ids = [answer.headers["Mcp-Session-Id"] for answer in theirs]
        assert [pinged(each, TOKENS[0]) for each in ids] == [404] * 5 + [200]


def test_wrong_tokens_are_limited_and_right_ones_are_not() -> None:
    with running(http_app(settings(), Rules(token=TOKENS[0]))) as address:
        assert [hello(address, "wrong").status for _ in range(11)] == [401] * 10 + [429]
        assert hello(address, TOKENS[0]).status == 200


async def test_reports_have_as_many_places_as_in_the_api() -> None:
    env = {"CITESEEK_MAX_REPORTS": "1", "CITESEEK_ENGINE": "searxng"}
    with LoopbackServer() as server:
        server.on("/search", faults.hang())
        loaded = settings(env={**env, "SEARXNG_BASE_URL": server.base_url})
        question = {"question": "tea"}
        async with Client(create_server(SearchClient(loaded))) as client:
            first = asyncio.create_task(client.call_tool("research_report", question))
            await server.requests.reach(1)
            second = await client.call_tool("research_report", question)
            assert second.is_error
            assert second.structured_content is not None
            error = second.structured_content["error"]
            assert (error["detail_code"], error["retryable"]) == ("too_many_reports", True)
            first.cancel()
            await asyncio.wait([first])
            server.on("/search", Reply(500))
            third = await client.call_tool("research_report", question)
            assert third.structured_content is not None
            assert third.structured_content["error"]["detail_code"] != "too_many_reports"
