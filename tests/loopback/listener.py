"""A listening socket with an event loop in a thread of its own.

The thread makes it usable from everywhere alike: plain tests, coroutines on any loop, programs
that a test starts, benchmarks.
"""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future
from typing import TYPE_CHECKING, Self

from .requestlog import RequestLog
from .wire import Wire

if TYPE_CHECKING:
    from types import TracebackType

_BACKLOG = 1024
_TURNS = 5


class Listener(ABC):
    """Listens while its ``with`` block lasts; ``port`` 0 takes a free one.

    ``requests`` records what came, ``connections`` counts the accepted connections. An exception
    in a conversation is a mistake of the test and is raised again at the end of the block.
    """

    def __init__(self, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.host = host
        self.port = port
        self.requests = RequestLog()
        self.connections = 0
        self._wires: set[Wire] = set()
        self._mistakes: list[Exception] = []
        self._ready: Future[int] = Future()
        self._thread = threading.Thread(target=self._run, name="loopback", daemon=True)

    @property
    def base_url(self) -> str:
        """The address without a trailing slash, such as ``http://127.0.0.1:40123``."""
        return f"http://{self.host}:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = self._ready.result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        if self._mistakes and error is None:
            raise self._mistakes[0]

    @abstractmethod
    async def converse(self, wire: Wire) -> None:
        """Talk with one client until there is nothing more to say."""

    def _run(self) -> None:
        try:
            asyncio.run(self._listen())
        except OSError as error:
            self._ready.set_exception(error)

    async def _listen(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        server = await self._loop.create_server(
            lambda: Wire(self._host_client, self._wires), self.host, self.port, backlog=_BACKLOG
        )
        self._ready.set_result(server.sockets[0].getsockname()[1])
        await self._stopping.wait()
        # One that was accepted a moment ago belongs to the server only some turns later; a server
        # that is closed before loses it, and nobody closes its socket.
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        server.close()
        for request in self.requests:
            request.closed.set(False)
        wires = list(self._wires)
        for wire in wires:
            wire.abort()
        await asyncio.gather(*(wire.task for wire in wires), return_exceptions=True)

    async def _host_client(self, wire: Wire) -> None:
        self.connections += 1
        try:
            await self.converse(wire)
        except Exception as error:  # noqa: BLE001  whatever it is, the test must see it
            self._mistakes.append(error)
        finally:
            wire.close()
