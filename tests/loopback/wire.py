"""One accepted connection: exact bytes in and out, and the ways to end it."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_LINGER_ZERO = struct.pack("ii", 1, 0)


class Wire(asyncio.Protocol):
    """A connection whose conversation is one task, cancelled the moment the client hangs up.

    So a reply that is being held back needs no watching of its own: whatever it waits for is
    interrupted with :class:`asyncio.CancelledError`. ``open_wires`` holds the wire while it is
    open.
    """

    def __init__(
        self, converse: Callable[[Wire], Coroutine[Any, Any, None]], open_wires: set[Wire]
    ) -> None:
        self._converse = converse
        self._open_wires = open_wires
        self._inbox = bytearray()
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._open_wires.add(self)
        self.task = asyncio.get_running_loop().create_task(self._converse(self))

    def data_received(self, data: bytes) -> None:
        self._inbox += data
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._open_wires.discard(self)
        self.task.cancel()

    def pause_writing(self) -> None:
        self._room.clear()

    def resume_writing(self) -> None:
        self._room.set()

    async def peek(self) -> int:
        """Return the next byte and leave it there."""
        while not self._inbox:
            await self._more()
        return self._inbox[0]

    async def read_until(self, mark: bytes) -> bytes:
        """Return everything up to and with ``mark``."""
        while (found := self._inbox.find(mark)) < 0:
            await self._more()
        return self._take(found + len(mark))

    async def read_exactly(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        while len(self._inbox) < size:
            await self._more()
        return self._take(size)

    async def read_some(self) -> bytes:
        """Return whatever comes next, at least one byte."""
        while not self._inbox:
            await self._more()
        return self._take(len(self._inbox))

    async def send(self, data: bytes) -> None:
        """Write ``data`` and wait while the client does not take it."""
        self._transport.write(data)
        if self._transport.is_closing():
            # A failed write cancels this task, but only when the loop gets its turn.
            await asyncio.sleep(0)
        await self._room.wait()

    def close(self) -> None:
        """End the connection in order: what was written arrives, then FIN."""
        self._transport.close()

    def abort(self) -> None:
        """Drop the connection without sending the rest."""
        self._transport.abort()

    def reset(self) -> None:
        """End the connection with RST, so that the client sees "connection reset by peer"."""
        endpoint = self._transport.get_extra_info("socket")
        endpoint.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
        self._transport.abort()

    def _take(self, size: int) -> bytes:
        taken = bytes(self._inbox[:size])
        del self._inbox[:size]
        return taken

    async def _more(self) -> None:
        self._news.clear()
        await self._news.wait()
