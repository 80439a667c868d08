"""Whoever gives up a search ends it: nothing goes on behind the caller's back."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from tests.command import forked_citeseek
from tests.loopback import LoopbackServer, faults
from tests.surfaces.asking import SURFACES, Surface, all_at, search_words

# A thread or a process cannot be cancelled as a task is.
OTHERWISE = {"library, synchronous", "command line"}
TASKS = [surface for surface in SURFACES if surface.name not in OTHERWISE]


@pytest.mark.parametrize("surface", TASKS, ids=lambda surface: surface.name)
async def test_a_cancelled_search_hangs_up(surface: Surface, server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    # Its transport hangs up at once, as a browser does.
    search = asyncio.create_task(surface.ask(all_at(server.base_url, "ddg_html"), "tea"))
    assert await server.requests.reach(1)
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    assert await server.requests[0].closed
    assert len(server.requests) == 1


async def test_an_interrupted_command_hangs_up_and_prints_nothing(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    process = await asyncio.create_subprocess_exec(
        *forked_citeseek(),
        *search_words("tea"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **all_at(server.base_url, "ddg_html")},
    )
    assert await server.requests.reach(1)
    process.send_signal(signal.SIGINT)
    printed, _ = await process.communicate()
    assert process.returncode == 130
    assert printed == b""
    assert await server.requests[0].closed
