"""Pages through pyreqwest, each client bound to one address of one host."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from urllib.parse import urlsplit

import msgspec
from msgspec import structs
from pyreqwest.client import Client, ClientBuilder
from pyreqwest.exceptions import (
    BuilderError,
    ConnectError,
    ConnectTimeoutError,
    DecodeError,
    PyreqwestError,
)
from pyreqwest.http import Url
from pyreqwest.proxy import ProxyBuilder

from citeseek.errors import NetworkError, SearchFailed, Timeout, WebParseError, WebProviderError
from citeseek.http import content_coding, long_head
from citeseek.http.api import LETTING_GO, RENAMED, readable
from citeseek.http.transport_errors import CUT, invalid_proxy, translate_error
from citeseek.models import REDIRECTS, Page, Request

# A client costs some milliseconds to make; what is read together is often of few hosts.
MAX_IDLE_CLIENTS = 16
MAX_ADDRESSES = 4
CONNECT_SECONDS = 5.0
_BUFFER_BYTES = 1 << 16


class _Question(msgspec.Struct, frozen=True):
    """What is asked of whichever address answers, until ``until`` by the monotonic clock."""

    url: str
    host: str
    headers: Mapping[str, str]
    until: float
    max_bytes: int


class _Pin:
    """A client that reaches its host at one address, and how many calls use it now."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.users = 0


class PinnedTransport:
    """See :class:`citeseek.http.page_transport.PageTransport`; several event loops may call."""

    def __init__(self, proxy: str | None = None) -> None:
        self._proxy = proxy
        # Least recently used first.
        self._pins: dict[tuple[str, str | None], _Pin] = {}
        self._lock = threading.Lock()

    async def send(
        self,
        request: Request,
        *,
        host: str,
        addresses: tuple[str, ...],
        seconds: float,
        max_bytes: int,
    ) -> Page:
        """Send ``request``; see the seam."""
        url = request.address
        try:
            own_reading = Url(url).host_str
        except ValueError:
            raise NetworkError(
                "The address cannot be asked for.",
                detail_code="bad_address",
                values={"case": "pinned"},
            ) from None
        if own_reading != host:
            # The pin would not hold: the client would look up a name that nobody checked.
            raise WebProviderError(
                "The HTTP client reads the address in another way.",
                values={"case": "read_otherwise"},
            )
        headers = {"Accept-Encoding": content_coding.accept_encoding(), **request.headers}
        question = _Question(url, host, headers, time.monotonic() + seconds, max_bytes)
        *others, last = addresses[:MAX_ADDRESSES] or (None,)
        for address in others:
            try:
                return await self._get(question, address)
            except NetworkError as error:
                if error.detail_code != "no_connection" or time.monotonic() >= question.until:
                    raise
        return await self._get(question, last)

    async def close(self) -> None:
        """Close every client."""
        with self._lock:
            pins = tuple(self._pins.values())
            self._pins.clear()
        for pin in pins:
            await pin.client.close()
        if pins:
            # See PyreqwestTransport.close.
            await asyncio.sleep(LETTING_GO)

    async def _get(self, asked: _Question, address: str | None) -> Page:
        left = timedelta(seconds=max(asked.until - time.monotonic(), 0.001))
        got_headers = False
        async with self._client(asked.host, address) as client:
            request = client.get(asked.url).headers(asked.headers).timeout(left)
            request = request.streamed_read_buffer_limit(_BUFFER_BYTES)
            try:
                async with request.build_streamed() as response:
                    got_headers = True
                    readable_headers = readable(response.headers)
                    if response.status in REDIRECTS and "location" in readable_headers:
                        if not readable_headers["location"] and address:
                            return await self._get_by_h11(asked, address)
                        return _page(asked, response.status, readable_headers)
                    body = bytes(await response.body_reader.read(asked.max_bytes + 1) or b"")
                    return await _answer(asked, response.status, readable_headers, body)
            except PyreqwestError as error:
                if isinstance(error, DecodeError) and not got_headers and address:
                    return await self._get_by_h11(asked, address)
                raise self._translate(error, asked, got_headers=got_headers) from None

    async def _get_by_h11(self, asked: _Question, address: str) -> Page:
        """Ask again for an answer whose head the client cannot read."""
        try:
            async with asyncio.timeout(max(asked.until - time.monotonic(), 0)):
                raw = await long_head.get(
                    asked.url, address=address, headers=asked.headers, max_bytes=asked.max_bytes
                )
        except TimeoutError:
            raise Timeout(
                f"No complete answer from {asked.host} in time.",
                values={"case": "pinned", "host": str(asked.host)},
            ) from None
        except long_head.Cut:
            raise NetworkError(
                CUT.format(host=asked.host), values={"case": "cut", "host": asked.host}
            ) from None
        except long_head.NotRead:
            raise WebParseError(
                f"The answer of {asked.host} is not HTTP.",
                detail_code="broken_body",
                values={"case": "no_http", "host": str(asked.host)},
            ) from None
        if raw.status in REDIRECTS and "location" in raw.headers:
            return _page(asked, raw.status, raw.headers)
        return await _answer(asked, raw.status, raw.headers, raw.body)

    def _translate(
        self, error: PyreqwestError, asked: _Question, *, got_headers: bool
    ) -> SearchFailed:
        # Without the cause: it names the address, which may hold a secret.
        ours = translate_error(
            error, RENAMED, asked.url, got_headers=got_headers, by_proxy=bool(self._proxy)
        )
        if isinstance(error, ConnectError | ConnectTimeoutError) and not got_headers:
            return NetworkError(ours.message, detail_code="no_connection")
        if isinstance(ours, WebParseError):
            ours.detail_code = "broken_body"
        return ours

    @asynccontextmanager
    async def _client(self, host: str, address: str | None) -> AsyncIterator[Client]:
        key = (host, address) if address else ("", None)
        with self._lock:
            pin = self._pins.pop(key, None) or _Pin(self._build(host, address))
            self._pins[key] = pin
            pin.users += 1
            idle = [key for key, pin in self._pins.items() if not pin.users]
            old = [self._pins.pop(key) for key in idle[: max(0, len(idle) - MAX_IDLE_CLIENTS)]]
        try:
            for one in old:
                await one.client.close()
            yield pin.client
        finally:
            with self._lock:
                pin.users -= 1

    def _build(self, host: str, address: str | None) -> Client:
        builder = ClientBuilder().follow_redirects(enable=False).referer(enable=False)
        # Undone by content_coding: the client takes only the strictest spellings.
        builder = builder.gzip(enable=False).deflate(enable=False)
        builder = builder.brotli(enable=False).zstd(enable=False)
        builder = builder.connect_timeout(timedelta(seconds=CONNECT_SECONDS))
        if address:
            # The port of the address that is asked for counts, not this one.
            builder = builder.resolve(host, address, 0)
        try:
            proxy = self._proxy
            builder = builder.proxy(ProxyBuilder.all(proxy)) if proxy else builder.no_proxy()
            return builder.build()
        except (BuilderError, ValueError):
            raise invalid_proxy() from None


def _page(asked: _Question, status: int, headers: dict[str, str], body: bytes = b"") -> Page:
    return Page(url=asked.url, status=status, headers=headers, body=body)


async def _answer(asked: _Question, status: int, headers: dict[str, str], body: bytes) -> Page:
    is_cut = len(body) > asked.max_bytes
    body = body[: asked.max_bytes]
    if codings := headers.pop("content-encoding", ""):
        # In a thread: some megabytes take longer than others may be held up.
        body, is_cut = await asyncio.to_thread(
            content_coding.decode,
            body,
            codings,
            host=urlsplit(asked.url).netloc,
            max_bytes=asked.max_bytes,
            is_cut=is_cut,
        )
    return structs.replace(_page(asked, status, headers, body), truncated=is_cut)
