"""A program that ends, in whatever way, takes its browser with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.browser.processes import PATIENCE, started_with, wait_until
from tests.loopback import LoopbackServer, faults, replies

pytestmark = [pytest.mark.browser, pytest.mark.release]

PROGRAM = """
import asyncio
from citeseek.browser import BrowserOptions
from citeseek.browser.transport import BrowserTransport
from citeseek.models import Request

async def main():
    transport = BrowserTransport(BrowserOptions(executable={chrome!r}, start_seconds=60))
    send = lambda path: transport.send(
        Request(url={base_url!r} + path), seconds=60, max_bytes=100_000)
    await send("/search")
    print("ready", flush=True)
    {then}

asyncio.run(main())
"""
IN_MID_SEARCH = 'await send("/hanging")'

Program: TypeAlias = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def program(chrome: str, scratch: Path, server: LoopbackServer) -> Program:
    """Return a function that starts a program and waits until its first search is done."""
    server.on("/search", replies.html("<!doctype html><p>Text</p>"))
    server.on("/hanging", faults.hang())

    def start(then: str) -> subprocess.Popen[str]:
        code = PROGRAM.format(chrome=chrome, base_url=server.base_url, then=then)
        running = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert running.stdout
        assert running.stdout.readline() == "ready\n"
        assert started_with(scratch)
        return running

    return start


def assert_nothing_stays(ended: subprocess.Popen[str], folder: Path) -> str:
    """Wait for the end of everything; return what the program said on stderr."""
    _, said = ended.communicate(timeout=PATIENCE)
    wait_until(lambda: not started_with(folder) and not any(folder.iterdir()))
    return said


@pytest.mark.parametrize(
    "then", ["pass", "await transport.close()", "import sys; sys.exit(3)", "1 / 0"]
)
@pytest.mark.requirement("S4-38")
def test_a_program_that_ends_by_itself(program: Program, scratch: Path, then: str) -> None:
    said = assert_nothing_stays(program(then), scratch)
    assert "never retrieved" not in said
    assert ("ZeroDivisionError" in said) if then == "1 / 0" else not said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
@pytest.mark.requirement("S4-38")
def test_a_program_that_is_ended_by_a_signal(
    program: Program, scratch: Path, server: LoopbackServer, number: signal.Signals
) -> None:
    running = program(IN_MID_SEARCH)
    server.requests.reach(2).wait()
    running.send_signal(number)
    assert_nothing_stays(running, scratch)


@pytest.mark.requirement("S4-38")
def test_an_interrupt_of_all_processes_of_the_terminal(
    program: Program, scratch: Path, server: LoopbackServer
) -> None:
    running = program(IN_MID_SEARCH)
    server.requests.reach(2).wait()
    os.killpg(running.pid, signal.SIGINT)
    assert "never retrieved" not in assert_nothing_stays(running, scratch)
