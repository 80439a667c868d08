"""The server for a host that starts it as a program and speaks over its standard streams."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout, suppress

from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from citeseek.client import Client
from citeseek.settings import Settings
from citeseek.surfaces.mcp.server import create_server

_STDIN = 0


async def serve_stdio(settings: Settings) -> None:
    """Serve until standard input ends, or SIGINT or SIGTERM cancels it.

    Nothing but the protocol reaches standard output; whatever else is printed goes to standard
    error.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine runs in a task
    with suppress(NotImplementedError):  # on Windows
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    server = create_server(Client(settings))
    # Only iterated over. The library's own reading cannot be cancelled before the next line comes.
    lines = _Lines()
    async with stdio_server(stdin=lines) as (reading, writing):  # type: ignore[arg-type]
        lines.refuse = writing.send
        # The library turns the descriptor alone: what Python still holds in its buffer would reach
        # the host when the descriptor is given back.
        with redirect_stdout(sys.stderr):
            await server.run(reading, writing, server.create_initialization_options())


class _Lines:
    """The lines of standard input, which nobody else in this process can read from now on.

    A thread waits for them that does not hold up the end of the program. Those that are no messages
    are answered with ``refuse``, since the library passes over them.
    """

    refuse: Callable[[SessionMessage], Awaitable[None]]

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="standard input", daemon=True).start()

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        while (line := await self._lines.get()) is not None:
            if (fault := _fault(line)) is None:
                return line
            # Nobody knows which request it was.
            answer = JSONRPCError(jsonrpc="2.0", id=None, error=fault)
            await self.refuse(SessionMessage(answer))
        raise StopAsyncIteration

    def _read(self) -> None:
        # RuntimeError: the loop has ended meanwhile.
        with suppress(RuntimeError):
            # A program that was started without one has None; its number is then something else's.
            if sys.stdin is not None:
                with os.fdopen(_claim_stdin(), "rb") as stream:
                    for line in stream:
                        self._put(line.decode("utf-8", "replace"))
            self._put(None)

    def _put(self, line: str | None) -> None:
        self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


def _fault(line: str) -> ErrorData | None:
    """Return why a line is no message of JSON-RPC, None for a message and for an empty line."""
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        try:
            from_json(line)
        except ValueError:
            broken = ErrorData(code=PARSE_ERROR, message="The line is no JSON.")
            return broken if line.strip() else None
        return ErrorData(code=INVALID_REQUEST, message="The line is no message of JSON-RPC 2.0.")
    return None


def _claim_stdin() -> int:
    """Return standard input under a number of its own; programs started from here find it empty."""
    private = os.dup(_STDIN)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    return private
