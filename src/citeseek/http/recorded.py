"""Transports whose exchanges are written into a trace, or come out of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from citeseek.http.pages import Answer
from citeseek.models import Page, Request
from citeseek.trace.record import Asked, Body, Received

if TYPE_CHECKING:
    from citeseek.http import Transport
    from citeseek.http.pages import PageTransport
    from citeseek.trace.recorder import Track


class TapedTransport:
    """The transport ``via``, which is opened when something is sent, within ``track``."""

    def __init__(self, track: Track, via: str, open_: Callable[[], Transport]) -> None:
        self._track = track
        self._via = via
        self._open = open_

    async def send(
        self, request: Request, *, seconds: float, max_bytes: int, session: str = ""
    ) -> Page:
        """Send ``request``; see :class:`citeseek.http.Transport`."""

        async def sent() -> Page:
            return await self._open().send(
                request, seconds=seconds, max_bytes=max_bytes, session=session
            )

        body = request.body
        asked = Asked(
            method=request.method,
            url=request.address,
            headers=request.headers,
            body=None if body is None else body.decode(errors="replace"),
        )
        return await self._track.exchange(
            self._via,
            asked,
            sent,
            told=lambda page: _received(page, self._track),
            read=lambda received: received.page,
        )

    async def end_session(self, session: str) -> None:
        """Forget what was kept for ``session``."""
        await self._open().end_session(session)

    async def close(self) -> None:
        """Do nothing: what was opened is closed by those who keep it."""


class TapedPages:
    """The transport of pages, likewise."""

    def __init__(self, track: Track, open_: Callable[[], PageTransport]) -> None:
        self._track = track
        self._open = open_

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

        async def got() -> Answer:
            return await self._open().get(
                url,
                host=host,
                addresses=addresses,
                headers=headers,
                seconds=seconds,
                max_bytes=max_bytes,
            )

        return await self._track.exchange(
            "pages",
            Asked(url=url, headers=headers),
            got,
            told=lambda answer: _received(answer.page, self._track, is_cut=answer.is_cut),
            read=lambda received: Answer(received.page, received.is_cut),
        )

    async def close(self) -> None:
        """Do nothing: what was opened is closed by those who keep it."""


def _received(page: Page, track: Track, *, is_cut: bool = False) -> Received:
    secrecy = track.tape.secrecy
    return Received(
        url=secrecy.text(page.url),
        status=page.status,
        headers=secrecy.received(page.headers),
        body=Body.of(secrecy.data(page.body)),
        is_cut=is_cut,
    )
