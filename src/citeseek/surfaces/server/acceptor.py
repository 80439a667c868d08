"""Opens connections while there is room, and closes those whose time is over."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable
from contextlib import suppress

from citeseek.surfaces.server.connections import Connections
from citeseek.surfaces.server.limited_protocol import LimitedProtocol
from citeseek.surfaces.server.log_limit import OnceAMinute

# The system has no more files or memory: what is open has to end first.
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_PAUSE_SECONDS = 0.5
_LOOK_SECONDS = 1.0
_SEND_BUFFER = 131_072
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 26\r\n"
    b"Retry-After: 5\r\nConnection: close\r\n\r\nToo many open connections\n"
)

log = logging.getLogger(__name__)
log.addFilter(OnceAMinute())


class Acceptor:
    """Accepts connections on ``listening`` for as long as it is open.

    asyncio's own server counts nobody, and writes a traceback hundreds of times a second when the
    process has no more files.
    """

    def __init__(
        self,
        listening: socket.socket,
        connections: Connections,
        protocol: Callable[[], LimitedProtocol],
    ) -> None:
        self._listening = listening
        self._connections = connections
        self._protocol = protocol
        self._opening: set[asyncio.Task[None]] = set()
        listening.settimeout(0)
        self._tasks = [asyncio.create_task(self._accept()), asyncio.create_task(self._look())]

    async def close(self) -> None:
        """Accept no more; those that are open stay so."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                opened, peer = await loop.sock_accept(self._listening)
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    log.warning("No connection can be opened (%s).", error.strerror)
                    self._connections.drop_idle()
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            self._open(opened, peer[0])
            # Whoever opens many at once holds up nobody else.
            await asyncio.sleep(0)

    def _open(self, opened: socket.socket, address: str) -> None:
        if not self._connections.has_room(address):
            log.warning("Connections are refused: too many are open (server.max_connections).")
            with opened, suppress(OSError):
                opened.send(_BUSY)
            return
        protocol = self._protocol()
        self._connections.add(protocol, address)
        # A small piece of an answer is not to wait for the client to acknowledge the one before.
        # asyncio does so for sockets that say that they are TCP, which ours do not.
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The system buffers megabytes for a client that does not read.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        task = asyncio.create_task(self._connect(protocol, opened))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def _connect(self, protocol: LimitedProtocol, opened: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(lambda: protocol, opened)
        except OSError:
            self._connections.remove(protocol)
            opened.close()

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            for connection in self._connections.overdue():
                self._connections.remove(connection)
                connection.abort()
