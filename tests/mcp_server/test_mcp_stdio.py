"""The server as a program: what is on its streams, what it loads, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.command import forked_citeseek
from tests.loopback import LoopbackServer
from tests.mcp_server.hosting import QUESTION, a_web, searching

CITESEEK = [sys.executable, "-m", "citeseek"]
# Loaded only where it is used, since it takes seconds or a browser.
HEAVY = {"langchain", "langchain_core", "langgraph", "playwright", "fastapi", "jinja2", "nh3"}
LISTS_PACKAGES = """
import json, pathlib, sys
from citeseek.surfaces.cli import main
code = main(["mcp"])
roots = sorted({name.partition(".")[0] for name in sys.modules})
pathlib.Path(sys.argv[1]).write_text(json.dumps([code, roots]))
"""


@contextmanager
def started(*args: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """Start the program with pipes at its streams; in the end it is gone."""
    with subprocess.Popen(
        [*forked_citeseek(), *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **env},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ask(process: subprocess.Popen[str], method: str, number: int, **params: Any) -> Any:
    """Send one request and return the answer to it."""
    assert process.stdin is not None
    assert process.stdout is not None
    told = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(told) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert answer["id"] == number
    return answer


def greet(process: subprocess.Popen[str], version: str = "2025-06-18") -> Any:
    return ask(
        process,
        "initialize",
        1,
        protocolVersion=version,
        capabilities={},
        clientInfo={"name": "a host", "version": "1"},
    )["result"]


def test_nothing_but_the_protocol_is_on_standard_output(server: LoopbackServer) -> None:
    # A setting that cannot be read is warned of, and a broken line answered.
    with started("mcp", "-v", CITESEEK_RESULTS="many", **searching(server)) as process:
        assert greet(process)["serverInfo"]["name"] == "citeseek"
        assert process.stdin is not None
        process.stdin.write("no json\n")
        process.stdin.flush()
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["error"]["code"] == -32700
        answer = ask(
            process, "tools/call", 2, name="web_search", arguments={"query": "tea \U0001f375 茶"}
        )
        assert answer["result"]["isError"] is True
        written, told = process.communicate(timeout=30)
        assert process.returncode == 0
    for line in written.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert "citeseek:" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("no json", -32700),
        ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', -32700),
        ("[]", -32600),
        ('{"jsonrpc": "2.0", "id": 7}', -32600),
    ],
)
def test_a_line_that_is_no_message_gets_an_error(line: str, code: int) -> None:
    with started("mcp") as process:
        greet(process)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"\n{line}\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", None, code)
        assert ask(process, "ping", 2)["result"] == {}


@pytest.mark.parametrize(
    ("version", "types"),
    [("2025-03-26", ["text"]), ("2025-06-18", ["text", "resource_link"])],
)
def test_a_host_gets_links_to_traces_only_if_its_protocol_has_them(
    version: str, types: list[str], tmp_path: Path
) -> None:
    place = tmp_path / "traces"
    with started("mcp", CITESEEK_ENGINE="stub", CITESEEK_TRACE_DIR=str(place)) as process:
        assert greet(process, version)["protocolVersion"] == version
        answer = ask(process, "tools/call", 2, name="web_search", arguments={"query": "tea"})
        assert [block["type"] for block in answer["result"]["content"]] == types
        assert len(list(place.iterdir())) == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once(how: signal.Signals) -> None:
    with started("mcp") as process:
        greet(process)
        process.send_signal(how)
        assert process.wait(timeout=4) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_it_ends_with_its_host_in_the_middle_of_a_call(server: LoopbackServer) -> None:
    a_web(server)
    with started("mcp", **searching(server)) as process:
        greet(process)
        assert process.stdin is not None
        call = {"name": "research_report", "arguments": {"question": QUESTION}}
        told = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
        process.stdin.write(json.dumps(told) + "\n")
        process.stdin.close()
        assert process.wait(timeout=10) == 0


@pytest.mark.release
def test_without_standard_input_it_ends() -> None:
    done = subprocess.run(
        [*CITESEEK, "mcp"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.release
def test_what_it_calls_reads_nothing_of_the_host() -> None:
    # A program that is started from here would otherwise take lines of the protocol.
    code = """
import subprocess, sys
from citeseek.client import Client
async def search(self, text, **asked):
    child = [sys.executable, "-c", "import sys; print(len(sys.stdin.read()))"]
    print(subprocess.run(child, capture_output=True, text=True).stdout)
    raise ValueError(text)
Client.search = search
from citeseek.surfaces.cli import main
sys.exit(main(["mcp"]))
"""
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        greet(process)
        answer = ask(process, "tools/call", 2, name="web_search", arguments={"query": "tea"})
        error = answer["result"]["structuredContent"]["error"]
        assert (error["error_code"], error["detail_code"]) == ("WebProviderError", "internal")
        written, told = process.communicate(timeout=30)
    assert written == ""
    assert "\n0\n" in f"\n{told}"


@pytest.mark.release
async def test_searching_reading_and_reporting_load_nothing_heavy(
    server: LoopbackServer, tmp_path: Path
) -> None:
    a_web(server)
    told = tmp_path / "packages.json"
    program = StdioServerParameters(
        command=sys.executable,
        args=["-c", LISTS_PACKAGES, str(told)],
        env={"CITESEEK_HOME": str(tmp_path), **searching(server)},
    )
    async with Client(stdio_client(program)) as client:
        for name, arguments in (
            ("web_search", {"query": QUESTION}),
            ("web_fetch", {"url": server.url("/length")}),
            ("research_report", {"question": QUESTION}),
        ):
            result = await client.call_tool(name, arguments)
            assert not result.is_error
    code, packages = json.loads(told.read_text())
    assert code == 0
    assert not HEAVY & set(packages)


@pytest.mark.parametrize("args", [[], ["--http", "--port", "0"]], ids=["stdio", "http"])
@pytest.mark.parametrize("name", ["CITESEEK_ENGINE", "CITESEEK_ENGINES", "CITESEEK_FALLBACK"])
def test_an_engine_that_there_is_not_is_refused_at_the_start(args: list[str], name: str) -> None:
    with started("mcp", *args, **{name: "nope"}) as process:
        written, told = process.communicate(timeout=60)
    assert (process.returncode, written) == (2, "")
    assert "'nope'" in told
    assert "Traceback" not in told
