"""The floor: a search with nothing between the socket and the parser.

It knows one server, trusts it, has no deadline, no limits and no errors of its own. What Citeseek
costs above it is the price of those.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote, urlencode, urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser

if TYPE_CHECKING:
    from collections.abc import Mapping

HEADERS_END = b"\r\n\r\n"
CONTENT_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)")


class Connection(asyncio.Protocol):
    """One keep-alive connection that carries one request at a time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to write to."""
        self.transport = transport

    def exchange(self, request: bytes) -> asyncio.Future[bytes]:
        """Send ``request``; the future gives the body of the answer."""
        self.answer = asyncio.get_running_loop().create_future()
        self.chunks: list[bytes] = []
        self.missing = -1
        self.transport.write(request)
        return self.answer

    def data_received(self, data: bytes) -> None:
        """Collect the answer. Its headers come in one piece, as the loopback engine sends them."""
        if self.missing < 0:
            head, _, data = data.partition(HEADERS_END)
            self.missing = int(CONTENT_LENGTH.search(head)[1])
        self.chunks.append(data)
        self.missing -= len(data)
        if not self.missing:
            self.answer.set_result(b"".join(self.chunks))


class Connections:
    """A pool kept by hand: an idle connection is used again, else one is opened."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self.host, self.port = address.hostname, address.port
        self.idle: list[Connection] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for connection in self.idle:
            connection.transport.close()

    async def get(self, path: str, params: Mapping[str, str]) -> bytes:
        """Return the body of a GET."""
        return await self._exchange(f"GET {path}?{urlencode(params)} HTTP/1.1\r\n", b"")

    async def post(self, path: str, form: Mapping[str, str]) -> bytes:
        """Return the body of a POST of ``form``."""
        return await self._exchange(
            f"POST {path} HTTP/1.1\r\ncontent-type: application/x-www-form-urlencoded\r\n",
            urlencode(form).encode(),
        )

    async def _exchange(self, head: str, body: bytes) -> bytes:
        head += f"host: {self.host}:{self.port}\r\ncontent-length: {len(body)}\r\n\r\n"
        connection = self.idle.pop() if self.idle else await self._open()
        answer = await connection.exchange(head.encode() + body)
        self.idle.append(connection)
        return answer

    async def _open(self) -> Connection:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(Connection, self.host, self.port)
        return connection


def read_html(body: bytes, count: int) -> list[tuple[str, str, str]]:
    """Return title, address and snippet of the first ``count`` results of an html page."""
    results = []
    for node in LexborHTMLParser(body).css("div.web-result")[:count]:
        link = node.css_first("a.result__a")
        address = link.attributes["href"].partition("uddg=")[2].partition("&")[0]
        snippet = node.css_first("a.result__snippet")
        text = "" if snippet is None else snippet.text()
        results.append((link.text(), unquote(address), text))
    return results


def read_google(body: bytes, count: int) -> list[tuple[str, str, str]]:
    """Return title, address and snippet of the first ``count`` results of a page of Google."""
    results = []
    for node in LexborHTMLParser(body).css("#rso div.tF2Cxc")[:count]:
        link = node.css_first("a")
        address = link.attributes["href"]
        results.append((link.css_first("h3").text(), address, node.css_first(".VwiC3b").text()))
    return results


def read_json(body: bytes, count: int) -> list[tuple[str, str, str]]:
    """Return title, address and snippet of the first ``count`` results of a SearXNG answer."""
    results = msgspec.json.decode(body)["results"][:count]
    return [(result["title"], result["url"], result["content"]) for result in results]
