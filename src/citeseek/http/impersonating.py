"""The transport for html engines that refuse clients without a browser's TLS: primp."""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop, Future, _set_running_loop
from collections.abc import Callable
from contextvars import Context
from typing import Any, TypeVar

import primp

from citeseek.errors import NetworkError, Timeout, WebParseError, WebProviderError
from citeseek.http.transport_errors import (
    BROKEN_BODY,
    Renaming,
    invalid_proxy,
    too_large,
    translate_error,
)
from citeseek.models import Page, Request

BROWSER = "chrome"
BROWSER_OS = "linux"

# First match wins: a timeout is also a RequestError.
RENAMED: Renaming = (
    (primp.TimeoutError, Timeout, "No complete answer from {host} in time."),
    (primp.RequestError, NetworkError, "No connection to {host}, or it was cut."),
    (primp.BodyError, WebParseError, BROKEN_BODY),
    (primp.DecodeError, WebParseError, BROKEN_BODY),
    (primp.PrimpError, WebProviderError, "The HTTP client failed."),
)
T = TypeVar("T")


class PrimpTransport:
    """One pooled client that keeps no cookies."""

    def __init__(self, proxy: str | None = None) -> None:
        self._by_proxy = proxy is not None
        try:
            self._client = primp.AsyncClient(
                impersonate=BROWSER,
                impersonate_os=BROWSER_OS,
                cookie_store=False,
                referer=False,
                follow_redirects=False,
                proxy=proxy,
            )
        except primp.PrimpError:
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
        headers = dict(request.headers)
        if (content := request.body) is not None:
            headers["content-type"] = request.content_type
        got_headers = False
        try:
            response = await call_primp(
                self._client.request,
                request.method,
                url,
                headers=headers,
                content=content,
                timeout=seconds,
                stream=True,
            )
            got_headers = True
            try:
                received = await _read(response, max_bytes)
            finally:
                await call_primp(response.aclose)
        except primp.PrimpError as error:
            # Without the cause: it names the address, which may hold a key.
            raise translate_error(
                error, RENAMED, url, got_headers=got_headers, by_proxy=self._by_proxy
            ) from None
        return Page(
            url=url,
            status=response.status_code,
            headers={name.lower(): value for name, value in response.headers.items()},
            body=received,
        )

    async def end_session(self, session: str) -> None:
        """Do nothing: nothing is kept."""

    async def close(self) -> None:
        """Let the client go; it has no explicit end."""
        del self._client


async def _read(response: primp.AsyncResponse, max_bytes: int) -> bytes:
    # The end of an unpacked body is known beforehand, which saves asking for it.
    packed = "content-encoding" in response.headers
    announced = None if packed else response.headers.get("content-length", "")
    size = int(announced) if announced and announced.isdecimal() else None
    received = bytearray()
    while size is None or len(received) < size:
        chunk = await call_primp(response.anext)
        if chunk is None:
            break
        received += chunk
        if len(received) > max_bytes:
            raise too_large(max_bytes)
    return bytes(received)


class Delivery:
    """What primp knows of a loop; an answer that comes after the loop's end is dropped.

    A thread of primp sees that nobody has cancelled a call, makes its answer, and hands it to the
    loop. A deadline that passes in between, as ours and primp's own often do together, lets the
    program cancel the call and close the loop first. asyncio then refuses the answer, and primp
    prints that as a traceback into whatever the program writes.
    """

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop

    def create_future(self) -> Future[Any]:
        """Return a future of the loop."""
        return self._loop.create_future()

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *arguments: Any, context: Context | None = None
    ) -> None:
        """Call ``callback`` in the loop, or never when that has ended."""
        try:
            self._loop.call_soon_threadsafe(callback, *arguments, context=context)
        except RuntimeError:
            if not self._loop.is_closed():
                raise


def call_primp(call: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Return what ``call`` of primp returns: a coroutine, whose answer goes to a :class:`Delivery`.

    primp takes the loop that is running when it is called, so that is the moment to show another.
    """
    loop = asyncio.get_running_loop()
    _set_running_loop(Delivery(loop))  # type: ignore[arg-type]
    try:
        return call(*arguments, **options)
    finally:
        _set_running_loop(loop)
