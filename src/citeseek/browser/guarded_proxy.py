"""The proxy that a browser is forced through, so that its pages reach what the guard lets through.

It speaks SOCKS 5, in which a browser hands over the name of whatever it wants to connect to, looks
nothing up itself and keeps its own TLS. It listens on loopback, for one page.
"""

from __future__ import annotations

import asyncio
import logging
import struct
from contextlib import suppress
from ipaddress import ip_address

from citeseek.browser.dialing import Way
from citeseek.errors import CiteseekError
from citeseek.observing.operation import Exchanged

log = logging.getLogger(__name__)

# A browser opens at most 32 to one proxy at a time.
MAX_CONNECTIONS = 64
MAX_OPENED = 500
HANDSHAKE_SECONDS = 5.0
_CHUNK = 1 << 16
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_DONE, _NOT_ALLOWED, _UNREACHABLE, _NOT_KNOWN = 0, 2, 4, 7


class GuardedProxy:
    """Connects to what ``way`` lets through, once there is one, within ``max_bytes`` both ways.

    ``refused`` counts what was not let through.
    """

    def __init__(self) -> None:
        self.refused = 0
        self._way: Way | None = None
        self._left = 0
        self._opened = 0
        self._calls: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> str:
        """Begin to listen; return the address. Everything is refused until :meth:`admit`."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        return f"socks5://127.0.0.1:{port}"

    def admit(self, way: Way, *, max_bytes: int) -> None:
        """Let through what ``way`` does, ``max_bytes`` of it."""
        self._way = way
        self._left = max_bytes

    async def close(self) -> None:
        """End every connection."""
        if self._server:
            self._server.close()
        calls = tuple(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in one
        self._calls.add(task)
        self._opened += 1
        try:
            if len(self._calls) <= MAX_CONNECTIONS and self._opened <= MAX_OPENED:
                await self._connect(reader, writer)
        except (OSError, EOFError, TimeoutError, ValueError):
            # The page or the site has gone away, which is theirs to say.
            pass
        except asyncio.CancelledError:
            pass
        finally:
            self._calls.discard(task)
            writer.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HANDSHAKE_SECONDS):
            asked = await _read_wish(reader, writer)
        if asked is None:
            await _answer(writer, _NOT_KNOWN)
            return
        if self._way is None:
            await _answer(writer, _NOT_ALLOWED)
            return
        try:
            there, out, reached = await self._way.dial(*asked)
        except CiteseekError as error:
            is_refused = error.detail_code != "no_connection"
            self.refused += is_refused
            # No address: it may hold what a page wants to find out.
            log.info("a page's script was not connected: %s", error.error_code)
            await _answer(writer, _NOT_ALLOWED if is_refused else _UNREACHABLE)
            return
        try:
            await _answer(writer, _DONE)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pass_on(reader, out, reached, is_outward=True))
                both.create_task(self._pass_on(there, writer, reached, is_outward=False))
        except* OSError:
            pass
        finally:
            out.close()

    async def _pass_on(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        reached: Exchanged,
        *,
        is_outward: bool,
    ) -> None:
        while chunk := await source.read(_CHUNK):
            self._left -= len(chunk)
            if self._left < 0:
                raise ConnectionAbortedError
            if is_outward:
                reached.sent_bytes += len(chunk)
            else:
                reached.received_bytes += len(chunk)
            sink.write(chunk)
            await sink.drain()
        with suppress(OSError):
            sink.write_eof()


async def _read_wish(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[str, int] | None:
    """Return host and port that the browser asks for, None for another order than to connect."""
    _, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    writer.write(b"\x05\x00")
    _, order, _, kind = await reader.readexactly(4)
    if kind == _NAME:
        length = (await reader.readexactly(1))[0]
        host = (await reader.readexactly(length)).decode("ascii")
    else:
        host = str(ip_address(await reader.readexactly(4 if kind == _IPV4 else 16)))
    (port,) = struct.unpack(">H", await reader.readexactly(2))
    return (host, port) if order == _CONNECT and kind in (_IPV4, _NAME, _IPV6) else None


async def _answer(writer: asyncio.StreamWriter, code: int) -> None:
    writer.write(b"\x05" + bytes([code]) + b"\x00\x01" + bytes(6))
    await writer.drain()
