"""One answer over HTTP/1.1 by h11, for heads that pyreqwest cannot read.

It takes no more than 100 header fields and gives no value that is not ASCII; browsers take both.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from urllib.parse import quote_from_bytes, urlsplit

import h11
import msgspec

from citeseek.version import VERSION

# Browsers stop at 256 KB (Chromium) or more.
MAX_HEAD_BYTES = 1 << 18
_PIECE = 1 << 16
_PORTS = {"http": 80, "https": 443}
_ASCII = "".join(map(chr, range(0x21, 0x7F)))


class NotRead(Exception):
    """There is no answer in HTTP/1.1 at that address."""


class Cut(Exception):
    """The connection ended before the body of the answer did."""


class RawAnswer(msgspec.Struct, frozen=True):
    """An answer with its body as it was sent, at most one byte more than was wanted."""

    status: int
    headers: dict[str, str]
    body: bytes


async def get(url: str, *, address: str, headers: Mapping[str, str], max_bytes: int) -> RawAnswer:
    """Ask ``address`` for ``url``; set a time around it. Raise NotRead or Cut."""
    parts = urlsplit(url)
    sent = {"host": parts.netloc, "user-agent": f"citeseek/{VERSION}", "connection": "close"}
    sent |= {name.lower(): value for name, value in headers.items()}
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    protocol = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
    try:
        question = protocol.send(h11.Request(method="GET", target=target, headers=[*sent.items()]))
        question = (question or b"") + (protocol.send(h11.EndOfMessage()) or b"")
        async with _connect(parts.scheme, parts.hostname or "", address, parts.port) as (
            reader,
            writer,
        ):
            writer.write(question)
            await writer.drain()
            return await _answer(protocol, reader, max_bytes)
    except (OSError, h11.ProtocolError):
        raise NotRead from None


async def _answer(
    protocol: h11.Connection, reader: asyncio.StreamReader, max_bytes: int
) -> RawAnswer:
    head: h11.Response | None = None
    body = bytearray()
    while len(body) <= max_bytes:
        try:
            event = protocol.next_event()
        except h11.RemoteProtocolError:
            if head is not None and protocol.trailing_data[1]:
                raise Cut from None
            raise
        if event is h11.NEED_DATA:
            protocol.receive_data(await reader.read(_PIECE))
        elif isinstance(event, h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif not isinstance(event, h11.InformationalResponse):
            break
    if head is None:
        raise NotRead
    headers: dict[str, str] = {}
    for name, value in head.headers:
        headers.setdefault(name.decode("ascii"), _text(value))
    return RawAnswer(head.status_code, headers, bytes(body[: max_bytes + 1]))


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        # As browsers send them on in an address: bytes of an unknown charset.
        return quote_from_bytes(value, safe=_ASCII)


@asynccontextmanager
async def _connect(
    scheme: str, host: str, address: str, port: int | None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    is_safe = scheme == "https"
    reader, writer = await asyncio.open_connection(
        address,
        port or _PORTS[scheme],
        ssl=ssl.create_default_context() if is_safe else None,
        server_hostname=host if is_safe else None,
    )
    with closing(writer):
        yield reader, writer
