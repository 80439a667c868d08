"""The server over HTTP is watched as the page's is: what it counts, who may see it, request ids."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from prometheus_client.parser import text_string_to_metric_families
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies
from tests.mcp_server.hosting import QUESTION, a_web, searching
from tests.serving.running import Caller, running

from citeseek.observing.log_lines import JsonLines
from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.server.rules import Rules

TOKEN = "marked-token-9b31fe"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
MODES = ["auto", "legacy"]


class Metered:
    """A server over HTTP that lets in who has the token, and what it has counted."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.call = Caller(address)

    async def tool(self, mode: str, name: str, **arguments: Any) -> Any:
        """Call a tool as a host does that has just come."""
        async with httpx2.AsyncClient(headers=BEARER) as http:
            transport = streamable_http_client(self.address + PATH, http_client=http)
            async with Client(transport, mode=mode) as client:
                return await client.call_tool(name, arguments)

    def value(self, sample_name: str, /, **labels: str) -> float:
        """Return the sum of the samples with these labels."""
        answer = self.call("GET", "/metrics", headers=BEARER)
        assert answer.status == 200, answer.text
        return sum(
            sample.value
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
            if sample.name == sample_name and labels.items() <= sample.labels.items()
        )


@contextmanager
def metered(**env: str) -> Iterator[Metered]:
    loaded = settings(env={"CITESEEK_TOKEN": TOKEN, **env})
    with running(http_app(loaded, Rules.of(loaded)), http="h11") as address:
        yield Metered(address)


@pytest.mark.parametrize("mode", MODES)
async def test_what_is_called_is_counted(mode: str, server: LoopbackServer) -> None:
    a_web(server)
    with metered(**searching(server)) as host:
        await host.tool(mode, "web_search", query=QUESTION)
        await host.tool(mode, "web_fetch", url=server.url("/length"))
        await host.tool(mode, "research_report", question="Who built the Alder Bridge?")
        count = "citeseek_operation_seconds_count"
        assert host.value(count, kind="search") >= 2
        assert host.value(count, kind="fetch") >= 3
        assert host.value(count, kind="report") == 1
        assert host.value(count, kind="engine", name="searxng") >= 2
        assert host.value("citeseek_egress_bytes_total", direction="in") > 1_000
        assert host.value("citeseek_breaker_state", engine="searxng", state="closed") == 1
        assert host.value("citeseek_http_requests_total", route=PATH, method="POST") >= 3
        assert host.value("citeseek_http_requests_total", route="/metrics", status="200") >= 1


@pytest.mark.parametrize("mode", MODES)
async def test_the_audit_log_names_tools_and_what_budgets_keep_back(
    mode: str, server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    path = tmp_path / "audit.jsonl"
    limited = {"CITESEEK_AUDIT_LOG": str(path), "CITESEEK_ANSWER_HOSTS": "listed.example"}
    with metered(**searching(server), **limited) as host:
        assert not (await host.tool(mode, "web_search", query=QUESTION)).is_error
        assert (await host.tool(mode, "web_fetch", url=server.url("/length"))).is_error
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    called = [line["tool"] for line in lines if line["event"] == "mcp_called" and "tool" in line]
    assert called == ["web_search", "web_fetch"]
    assert [line["limit"] for line in lines if line["event"] == "budget_refused"] == ["hosts"]
    assert QUESTION not in path.read_text()
    assert server.url("/length") not in path.read_text()


@pytest.mark.parametrize("mode", MODES)
async def test_failures_and_blocks_are_counted(mode: str, server: LoopbackServer) -> None:
    server.otherwise(replies.status(429))
    with metered(**searching(server)) as host:
        assert (await host.tool(mode, "web_search", query=QUESTION)).is_error
        failed = {"kind": "search", "code": "WebBlocked", "detail_code": "http_429"}
        assert host.value("citeseek_failures_total", **failed) == 1
        assert host.value("citeseek_blocks_total", engine="searxng") == 1


@pytest.mark.parametrize("path", ["/metrics", "/api/v1/metrics"])
def test_they_need_the_token_unless_they_are_open(path: str) -> None:
    with metered() as host:
        refused = host.call("GET", path)
        assert (refused.status, refused.json()["code"]) == (401, "UNAUTHORIZED")
        seen = host.call("GET", path, headers=BEARER)
        assert seen.status == 200
        assert seen.headers["Content-Type"].startswith("text/plain")
        assert host.value("citeseek_http_requests_total", status="401") == 1
    with metered(CITESEEK_METRICS="open") as host:
        assert host.call("GET", path).status == 200
        assert host.call("POST", PATH, {}).status == 401
        assert host.call("POST", path, {}).status == 405
        assert host.call("GET", path, headers={"Host": "evil.example"}).status == 421


def test_off_means_that_nothing_is_counted() -> None:
    with metered(CITESEEK_METRICS="off") as host:
        answer = host.call("GET", "/metrics", headers=BEARER)
        assert answer.status == 404
        assert "server.metrics" in answer.json()["hint"]


@pytest.mark.release
def test_without_the_library_the_server_serves_and_says_what_is_missing() -> None:
    code = """
import sys
sys.modules["prometheus_client"] = None
from tests.conftest import settings
from tests.serving.running import Caller, running
from citeseek.surfaces.mcp.http import http_app
from citeseek.surfaces.server.rules import Rules
with running(http_app(settings(), Rules())) as address:
    answer = Caller(address)("GET", "/metrics")
    print(answer.status, answer.json()["hint"])
print(sorted({"fastapi", "prometheus_client"} & {n for n, m in sys.modules.items() if m}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    first, second = done.stdout.splitlines()
    assert first.startswith("404 ")
    assert "prometheus-client" in first
    assert second == "[]"


def test_a_line_of_the_log_has_the_id_of_its_own_request(tmp_path: Path) -> None:
    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(json.loads(self.format(record)))

    told: list[dict[str, Any]] = []
    handler = Lines(logging.INFO)
    handler.setFormatter(JsonLines())
    (tmp_path / "file").touch()
    # A trace that cannot be kept has a line in the log.
    place = {"CITESEEK_ENGINE": "stub", "CITESEEK_TRACE_DIR": str(tmp_path / "file")}
    logger = logging.getLogger("citeseek")
    logger.addHandler(handler)
    try:
        with metered(**place) as host:
            accept = {"Accept": "application/json, text/event-stream", **BEARER}
            client = {"name": "a host", "version": "1"}
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
            told_first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
            first = host.call("POST", PATH, told_first, {**accept, "X-Request-ID": "first"})
            session = {"Mcp-Session-Id": first.headers["Mcp-Session-Id"], **accept}
            ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            host.call("POST", PATH, ready, session)
            call = {"name": "web_search", "arguments": {"query": "tea"}}
            asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
            second = host.call("POST", PATH, asked, {**session, "X-Request-ID": "second"})
            assert second.status == 200
            assert second.headers["X-Request-ID"] == "second"
    finally:
        logger.removeHandler(handler)
    (line,) = [line for line in told if "trace was not kept" in line["message"]]
    assert line["request_id"] == "second"
