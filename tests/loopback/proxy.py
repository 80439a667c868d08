"""A forward HTTP proxy that records what passes through it."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .listener import Listener
from .messages import Reply, Request

if TYPE_CHECKING:
    from .wire import Wire

_HOP_HEADERS = frozenset({"proxy-authorization", "proxy-connection", "connection", "keep-alive"})
_REFUSED = Reply(407, {"Proxy-Authenticate": 'Basic realm="loopback"', "Connection": "close"})
_UNREACHABLE = Reply(502, {"Connection": "close"})
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


class LoopbackProxy(Listener):
    """Forwards absolute-form requests and ``CONNECT`` tunnels, one for each connection.

    ``requests`` holds what the client said to the proxy; what goes on inside a tunnel is not read.
    With ``username`` and ``password`` a request without them is answered 407; a destination that
    cannot be reached is 502. ``upstream`` sends everything to that host and port whatever name was
    asked for, so that a test can use public names without a name lookup.
    """

    def __init__(
        self,
        *,
        username: str = "",
        password: str = "",
        upstream: tuple[str, int] | None = None,
    ) -> None:
        super().__init__()
        self._userinfo = f"{username}:{password}" if username else ""
        self._upstream = upstream

    @property
    def url(self) -> str:
        """The proxy's address as a client setting, with the credentials if there are any."""
        userinfo = f"{self._userinfo}@" if self._userinfo else ""
        return f"http://{userinfo}{self.host}:{self.port}"

    async def converse(self, wire: Wire) -> None:
        """Pass one request on and relay the answer until either side ends the connection."""
        request = await Request.read(wire)
        self.requests.record(request)
        try:
            await self._pass_on(request, wire)
        except asyncio.CancelledError:
            request.closed.set()
            raise
        request.closed.set(False)

    async def _pass_on(self, request: Request, wire: Wire) -> None:
        if not self._admits(request):
            await wire.send(_REFUSED.head())
            return
        try:
            reader, writer = await asyncio.open_connection(*self._destination(request))
        except OSError:
            await wire.send(_UNREACHABLE.head())
            return
        try:
            if request.method == "CONNECT":
                await wire.send(_ESTABLISHED)
                await _tunnel(wire, reader, writer)
            else:
                writer.write(_origin_form(request))
                await _relay(reader, wire)
        finally:
            writer.close()

    def _admits(self, request: Request) -> bool:
        token = base64.b64encode(self._userinfo.encode()).decode()
        given = request.headers.get("proxy-authorization", "")
        return not self._userinfo or given == f"Basic {token}"

    def _destination(self, request: Request) -> tuple[str, int]:
        target = request.target if "://" in request.target else f"//{request.target}"
        address = urlsplit(target)
        return self._upstream or (address.hostname or "", address.port or 80)


def _origin_form(request: Request) -> bytes:
    address = urlsplit(request.target)
    path = (address.path or "/") + (f"?{address.query}" if address.query else "")
    lines = [f"{request.method} {path} HTTP/1.1", "connection: close"]
    lines += [f"{k}: {v}" for k, v in request.headers.items() if k not in _HOP_HEADERS]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + request.body


async def _relay(reader: asyncio.StreamReader, wire: Wire) -> None:
    while data := await reader.read(65536):
        await wire.send(data)


async def _tunnel(wire: Wire, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    async def onward() -> None:
        while True:
            writer.write(await wire.read_some())
            await writer.drain()

    sending = asyncio.create_task(onward())
    try:
        await _relay(reader, wire)
    finally:
        sending.cancel()
