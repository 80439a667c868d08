"""Transports whose requests are told to whoever watches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from citeseek import observing
from citeseek.http.pages import Answer
from citeseek.models import REDIRECTS, Page, Request
from citeseek.observing.operation import Operation, host_of

if TYPE_CHECKING:
    from citeseek.http import Transport
    from citeseek.http.pages import PageTransport


class WatchedTransport:
    """The transport ``inner``, which is called ``via``."""

    def __init__(self, inner: Transport, via: str) -> None:
        self._inner = inner
        self._via = via

    async def send(
        self, request: Request, *, seconds: float, max_bytes: int, session: str = ""
    ) -> Page:
        """Send ``request``; see :class:`citeseek.http.Transport`."""
        with observing.leaf("request", self._via) as told:
            if told:
                body = request.body
                _asked(told, request.method, request.address, request.headers, body or b"")
            page = await self._inner.send(
                request, seconds=seconds, max_bytes=max_bytes, session=session
            )
            if told:
                _answered(told, page)
            return page

    async def end_session(self, session: str) -> None:
        """Forget what was kept for ``session``."""
        await self._inner.end_session(session)

    async def close(self) -> None:
        """Do nothing: what was opened is closed by those who keep it."""


class WatchedPages:
    """The transport of pages, likewise."""

    def __init__(self, inner: PageTransport) -> None:
        self._inner = inner

    async def get(
        self,
        url: str,
        *,
        host: str,
        addresses: tuple[str, ...],
        headers: Mapping[str, str],
        seconds: float,
        max_bytes: int,
    ) -> Answer:
        """Ask for ``url``; see :class:`citeseek.http.pages.PageTransport`."""
        with observing.leaf("request", "pages") as told:
            if told:
                _asked(told, "GET", url, headers, b"")
            answer = await self._inner.get(
                url,
                host=host,
                addresses=addresses,
                headers=headers,
                seconds=seconds,
                max_bytes=max_bytes,
            )
            if told:
                _answered(told, answer.page)
            return answer

    async def close(self) -> None:
        """Do nothing: what was opened is closed by those who keep it."""


def _asked(told: Operation, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
    told.method, told.via, told.host = method, told.name, host_of(url)
    named = sum(len(name) + len(value) for name, value in headers.items())
    told.sent_bytes = len(url.encode()) + named + len(body)


def _answered(told: Operation, page: Page) -> None:
    told.status = page.status
    told.received_bytes = len(page.body)
    told.is_redirect = page.status in REDIRECTS and "location" in page.headers
