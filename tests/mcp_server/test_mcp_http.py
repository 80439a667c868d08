"""The server over HTTP: who may speak to it, and how it is started."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.conftest import settings
from tests.serving.running import Caller, running

from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.mcp.offered import TOOLS
from citeseek.surfaces.server.rules import Rules

TOKEN = "marked-token-5f20b7"
CITESEEK = [sys.executable, "-m", "citeseek"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a host", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def open_server() -> Iterator[str]:
    with running(http_app(settings(), Rules())) as address:
        yield address


@pytest.fixture
def closed_server() -> Iterator[str]:
    with running(http_app(settings(), Rules(token=TOKEN))) as address:
        yield address


def hello(address: str, **headers: str) -> Any:
    return Caller(address)("POST", PATH, HELLO, {**ACCEPT, **headers})


def test_who_means_this_server_is_answered(open_server: str) -> None:
    answer = hello(open_server)
    assert answer.status == 200
    assert answer.headers["Mcp-Session-Id"]
    assert '"name":"citeseek"' in answer.text
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_web_page_cannot_use_it(open_server: str, headers: dict[str, str], status: int) -> None:
    answer = hello(open_server, **headers)
    assert answer.status == status
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_body_has_a_limit(open_server: str) -> None:
    answer = Caller(open_server)("POST", PATH, b"x" * 300_000, {"Content-Type": "application/json"})
    assert answer.status == 413


@pytest.mark.parametrize("given", ["", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"])
def test_without_the_token_nobody_comes_in(closed_server: str, given: str) -> None:
    answer = hello(closed_server, Authorization=given)
    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="citeseek"'
    assert answer.json()["code"] == "UNAUTHORIZED"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_with_the_token_a_host_works(closed_server: str, mode: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(closed_server + PATH, http_client=http)
        async with Client(transport, mode=mode) as client:
            assert len((await client.list_tools()).tools) == len(TOOLS)


def test_nothing_else_is_there(open_server: str) -> None:
    assert Caller(open_server)("GET", "/").status == 404


def test_on_a_network_it_needs_a_token() -> None:
    done = subprocess.run(
        [*CITESEEK, "mcp", "--http", "--host", "0.0.0.0", "--port", "0"],  # noqa: S104 - refused
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2
    assert "CITESEEK_TOKEN" in done.stderr
    assert done.stdout == ""


async def found(address: str) -> int:
    async with Client(address) as client:
        result = await client.call_tool("web_search", {"query": "tea"})
        return len(result.structured_content["items"])


def test_the_command_says_where_it_listens_and_ends_at_a_signal() -> None:
    with subprocess.Popen(
        [*CITESEEK, "mcp", "--http", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "CITESEEK_ENGINE": "stub"},
    ) as process:
        try:
            assert process.stdout is not None
            line = re.fullmatch(
                r"Citeseek MCP: (http://127\.0\.0\.1:\d+/mcp)\n", process.stdout.readline()
            )
            assert line is not None
            assert asyncio.run(found(line[1])) == 3
            process.send_signal(signal.SIGINT)
            written, told = process.communicate(timeout=10)
        finally:
            process.kill()
    assert process.returncode == 0
    assert written == ""
    assert "Traceback" not in told
