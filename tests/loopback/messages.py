"""What goes over the wire: the request as it came, the reply as it is scripted."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Self, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from .signals import Signal
from .wire import Wire

Pairs: TypeAlias = list[tuple[str, str]]
Script: TypeAlias = Callable[[Wire], Awaitable[None]]

PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the server read it.

    ``target`` is the second word of the request line, byte for byte. Header names are in lower
    case; a repeated header is joined with commas. ``closed`` is set when the exchange ends: True
    if the client hung up before the reply was complete, False if it got the whole of it.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""
    closed: Signal = field(default_factory=Signal, compare=False, repr=False)

    @classmethod
    async def read(cls, wire: Wire) -> Self:
        """Read the next request from ``wire``; the body goes by its ``Content-Length``."""
        head = await wire.read_until(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").rstrip().split("\r\n")
        method, target, _version = first.split(" ")
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            name, value = name.lower(), value.strip()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        if "transfer-encoding" in headers:
            raise ValueError("a chunked request body is not read here")
        body = await wire.read_exactly(int(headers.get("content-length", "0")))
        return cls(method, target, headers, body)

    @property
    def path(self) -> str:
        """The path as it was sent, without the query."""
        return urlsplit(self.target).path

    @property
    def query(self) -> Pairs:
        """The query, decoded, in order, blank values kept."""
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)

    @property
    def form(self) -> Pairs:
        """The fields of a posted form, decoded, in order; empty for other bodies."""
        if not self.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return []
        return parse_qsl(self.body.decode("ascii"), keep_blank_values=True)

    def json(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)

    def param(self, name: str, default: str = "") -> str:
        """The first value of a query parameter, else of a form field, else ``default``."""
        return next((value for key, value in self.query + self.form if key == name), default)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers with.

    Exactly these headers are sent, and a right ``Content-Length`` unless one is given or the body
    goes ``chunked``. ``delay`` is the time in seconds before the first byte. A ``script`` takes
    over the connection instead: it sends what it likes, and the connection ends with it.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | str = b""
    delay: float = 0.0
    chunked: bool = False
    script: Script | None = None

    @property
    def content(self) -> bytes:
        """The body as bytes, a text in UTF-8."""
        return self.body.encode() if isinstance(self.body, str) else self.body

    def head(self) -> bytes:
        """The status line and the headers, with the blank line that ends them."""
        named = {name.lower() for name in self.headers}
        lines = [f"HTTP/1.1 {self.status} {_phrase(self.status)}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self.chunked:
            lines.append("Transfer-Encoding: chunked")
        elif "content-length" not in named and self.status not in (204, 304):
            lines.append(f"Content-Length: {len(self.content)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def pieces(self) -> list[bytes]:
        """The body in pieces as they are put on the wire."""
        content = self.content
        if not self.chunked:
            return [content]
        cuts = [content[start : start + PIECE] for start in range(0, len(content), PIECE)]
        return [b"%x\r\n%b\r\n" % (len(cut), cut) for cut in cuts] + [b"0\r\n\r\n"]


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
