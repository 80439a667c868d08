"""The transport for APIs and for fetching pages: pyreqwest (Rust's reqwest)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta

from pyreqwest.client import ClientBuilder
from pyreqwest.exceptions import (
    BodyDecodeError,
    BuilderError,
    DecodeError,
    PyreqwestError,
    ReadError,
    RequestError,
    RequestTimeoutError,
)
from pyreqwest.proxy import ProxyBuilder

from citeseek.errors import NetworkError, Timeout, WebParseError, WebProviderError
from citeseek.http.transport_errors import (
    BROKEN_BODY,
    Renaming,
    invalid_proxy,
    too_large,
    translate_error,
)
from citeseek.models import Page, Request
from citeseek.version import VERSION

# Connections to one host that are kept open; more are made when needed, and closed after use.
MAX_IDLE = 256
_BUFFER_BYTES = 1 << 18
LETTING_GO = 0.01

# First match wins: a timeout is also a RequestError.
RENAMED: Renaming = (
    (RequestTimeoutError, Timeout, "No complete answer from {host} in time."),
    (ReadError, WebParseError, BROKEN_BODY),
    (BodyDecodeError, WebParseError, BROKEN_BODY),
    (DecodeError, WebParseError, "The answer of {host} is not HTTP."),
    (RequestError, NetworkError, "No connection to {host}, or it was cut."),
    (PyreqwestError, WebProviderError, "The HTTP client failed."),
)


class PyreqwestTransport:
    """One pooled client.

    A cancelled call leaves its connection open until ``seconds`` have passed: the library does not
    abort a request that is under way, so its own timeout always carries the deadline as well.
    """

    def __init__(self, proxy: str | None = None) -> None:
        self._by_proxy = proxy is not None
        builder = ClientBuilder().follow_redirects(enable=False).referer(enable=False)
        # Only what this transport is tested to decode is advertised.
        builder = builder.brotli(enable=False).zstd(enable=False)
        builder = builder.pool_max_idle_per_host(MAX_IDLE).user_agent(f"citeseek/{VERSION}")
        try:
            builder = builder.proxy(ProxyBuilder.all(proxy)) if proxy else builder.no_proxy()
            self._client = builder.build()
        except (BuilderError, ValueError):
            raise invalid_proxy() from None

    async def send(
        self,
        request: Request,
        *,
        seconds: float,
        max_bytes: int,
        session: str = "",  # noqa: ARG002 - the seam's shape; no cookies are kept
    ) -> Page:
        """Send ``request``; see :class:`citeseek.http.Transport`."""
        url = request.address
        try:
            builder = self._client.request(request.method, url)
        except ValueError:
            raise WebProviderError(
                "The engine built an address that is not valid.", values={"case": "engine_address"}
            ) from None
        if (content := request.body) is not None:
            builder = builder.body_bytes(content).header("Content-Type", request.content_type)
        if request.headers:
            builder = builder.headers(request.headers)
        builder = builder.timeout(timedelta(seconds=seconds))
        builder = builder.streamed_read_buffer_limit(_BUFFER_BYTES)
        got_headers = False
        try:
            async with builder.build_streamed() as response:
                got_headers = True
                received = bytes(await response.body_reader.read(max_bytes + 1) or b"")
                if len(received) > max_bytes:
                    raise too_large(max_bytes)
                return Page(
                    url=url,
                    status=response.status,
                    headers=readable(response.headers),
                    body=received,
                )
        except PyreqwestError as error:
            # Without the cause: it names the address, which may hold a key.
            raise translate_error(
                error, RENAMED, url, got_headers=got_headers, by_proxy=self._by_proxy
            ) from None

    async def end_session(self, session: str) -> None:
        """Do nothing: nothing is kept."""

    async def close(self) -> None:
        """Close the client and its connections."""
        await self._client.close()
        # The client's thread lets go of its last Python objects a moment later; an interpreter that
        # ends in that moment is aborted.
        await asyncio.sleep(LETTING_GO)


def readable(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers by their names in lower case; a value that is no text is empty."""
    found: dict[str, str] = {}
    for name in headers:
        try:
            found.setdefault(name.lower(), headers[name])
        except ValueError:
            found.setdefault(name.lower(), "")
    return found
