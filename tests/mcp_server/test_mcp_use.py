"""What each person uses over MCP is counted, and sessions of one who was erased end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.assistant.chatting import FOUND
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer
from tests.serving.running import Answered, Caller, running

from citeseek.conversations.erasure import erase_rows
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.conversations.usage import list_usage
from citeseek.settings import Settings
from citeseek.surfaces.mcp.http import http_app
from citeseek.surfaces.server.rules import Rules

BOB, CAROL = "bobs-token-77ab41-5d", "carols-token-93c0d2"
WANTED = {"Accept": "application/json, text/event-stream"}


class Hosted(NamedTuple):
    """The settings of a server, and the engine that it asks."""

    settings: Settings
    sessions: Path


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    sessions = tmp_path / "sessions.sqlite3"
    with LoopbackServer() as engine:
        engine.on("/search", FOUND)
        env = {
            "CITESEEK_PEOPLE": f"bob:member:{BOB},carol:member:{CAROL}",
            "CITESEEK_SESSIONS": str(sessions),
            "SEARXNG_BASE_URL": engine.base_url,
        }
        yield Hosted(settings(env=env), sessions)


class Host:
    """A program that speaks MCP with a token, in one session."""

    def __init__(self, address: str, token: str) -> None:
        self._call = Caller(address, Authorization=f"Bearer {token}")
        about = {"name": "test", "version": "1"}
        asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
        begun = self.ask("initialize", asked)
        self._session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self._call("POST", "/mcp", told, {**WANTED, **self._session})

    def ask(self, method: str, params: dict[str, Any]) -> Answered:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self._call("POST", "/mcp", body, {**WANTED, **getattr(self, "_session", {})})

    def search(self, query: str) -> Answered:
        return self.ask("tools/call", {"name": "web_search", "arguments": {"query": query}})


async def used(path: Path) -> dict[str, int]:
    store = SqliteStore(path)
    try:
        return {each.person: each.use.searches for each in await list_usage(store, 1)}
    finally:
        await store.close()


async def test_each_person_is_counted_over_mcp(hosted: Hosted) -> None:
    with running(http_app(hosted.settings, Rules.of(hosted.settings))) as address:
        bob, carol = Host(address, BOB), Host(address, CAROL)
        for host, query in ((bob, "tea"), (bob, "alders"), (carol, "bridges")):
            assert host.search(query).status == 200
    # What was counted is added at the end at the latest.
    assert await used(hosted.sessions) == {"bob": 2, "carol": 1}


async def test_a_session_of_who_was_erased_ends(hosted: Hosted) -> None:
    with running(http_app(hosted.settings, Rules.of(hosted.settings))) as address:
        bob, carol = Host(address, BOB), Host(address, CAROL)
        assert bob.search("tea").status == 200
        store = SqliteStore(hosted.sessions)
        await store.erase(erase_rows, "bob")
        await store.close()
        until(lambda: bob.ask("tools/list", {}).status == 404)
        assert carol.ask("tools/list", {}).status == 200
    assert await used(hosted.sessions) == {}


def test_a_server_that_asks_nobody_opens_no_file(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions.sqlite3"
    loaded = settings(env={"CITESEEK_SESSIONS": str(sessions)})
    with running(http_app(loaded, Rules.of(loaded))) as address:
        assert Caller(address)("GET", "/metrics").status == 200
    assert not sessions.exists()
