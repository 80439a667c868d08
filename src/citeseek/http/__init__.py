"""The HTTP room: the one seam through which a request leaves the process.

A :class:`Transport` sends a :class:`~citeseek.models.Request` and returns the
:class:`~citeseek.models.Page`, under a deadline and a byte limit. There are two:
``pyreqwest`` for APIs and ``primp``, whose TLS looks like a browser's, for html engines that
refuse other clients. Each is opened once per process and proxy, and imported only when used.
Pages of strangers go through a :class:`~citeseek.http.page_transport.PageTransport`.
Redirects are not followed here: who may be sent where is the runner's decision.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, Self
from weakref import WeakSet

from msgspec import structs

from citeseek import observing, trace
from citeseek.browser.browser_options import TRAFFIC, BrowserOptions, BrowserUse
from citeseek.concurrency.portal import for_good
from citeseek.engine import TransportKind
from citeseek.http.page_transport import PageTransport
from citeseek.http.proxies import Proxies
from citeseek.http.watched_transport import Hooked, note_page
from citeseek.models import Page, Request
from citeseek.observing.operation import host_of

if TYPE_CHECKING:
    from citeseek.browser.dialing import Way
    from citeseek.browser.renderer import ResidentRenderer

__all__ = ["Proxies", "Transport", "Transports"]


class Transport(Protocol):
    """Sends one request. Foreign exceptions are renamed to ours at this door."""

    async def send(
        self, request: Request, *, seconds: float, max_bytes: int, session: str = ""
    ) -> Page:
        """Return the page with its decompressed body.

        ``seconds`` is the time left for the whole exchange, ``max_bytes`` the limit of the body
        after decompression. ``session`` names whose cookies a browser uses; HTTP clients keep none.
        Raise Timeout, NetworkError or, when the body is too large, cut or not decodable,
        WebParseError.
        """
        ...

    async def end_session(self, session: str) -> None:
        """Forget what was kept for ``session``."""
        ...

    async def close(self) -> None:
        """Give back sockets and threads."""
        ...


class Transports:
    """All open transports, by kind and proxy, for all event loops in whatever threads.

    Several users may share them: the last one who leaves closes them.
    """

    def __init__(self, browser: BrowserOptions | None = None) -> None:
        self.browser = browser or BrowserOptions()
        # Whoever is gone without a word needs them no more.
        self._users: WeakSet[object] = WeakSet()
        # glibc gives memory back to the system after every parsed page, which costs a fifth of a
        # search, until it has seen a block of this size freed once.
        bytes(1 << 20)
        self._open: dict[tuple[TransportKind, str | None], Transport] = {}
        self._pages: dict[str | None, PageTransport] = {}
        self._renderer: ResidentRenderer | None = None
        self._lock = threading.Lock()

    def get(self, kind: TransportKind, proxy: str | None = None) -> Transport:
        """Return the transport of ``kind`` through ``proxy``, opened on first use."""
        if not observing.is_watched():
            return self._open_transport(kind, proxy)
        return Hooked(kind, lambda: self._open_transport(kind, proxy))

    def pages(self, proxy: str | None = None) -> PageTransport:
        """Return the transport for pages through ``proxy``, opened on first use."""
        if not observing.is_watched():
            return self._open_pages(proxy)
        return Hooked("pages", lambda: self._open_pages(proxy))

    async def render(self, page: Page, way: Way, *, seconds: float, max_bytes: int) -> Page:
        """Return ``page`` as its scripts leave it, in a browser that is opened on first use.

        See :meth:`citeseek.browser.renderer.Renderer.render`. At a replay nothing runs.
        """
        request = Request(url=page.url)
        with observing.leaf("request", "rendering", asked=request) as operation:
            if operation:
                operation.method, operation.via = request.method, operation.name
                operation.host, operation.reached = host_of(page.url), way.reached
                operation.refused = way.refused
                way.max_bytes = observing.grant(operation, TRAFFIC * max_bytes)
            track = trace.current()
            if track and track.recording.plays:
                rendered = await track.receive(request)
            else:
                rendered = await self._open_renderer().render(
                    page, way, seconds=seconds, max_bytes=max_bytes
                )
            if operation:
                note_page(operation, rendered)
            return rendered

    @property
    def browsers(self) -> BrowserUse:
        """How the browsers that were opened here are used at the moment; none is opened."""
        with self._lock:
            found = [each for (kind, _), each in self._open.items() if kind == "browser"]
            use = self._renderer.use if self._renderer else BrowserUse()
        if found:
            from citeseek.browser.transport import ResidentBrowser  # noqa: PLC0415 - when used

            use = sum((each.use for each in found if isinstance(each, ResidentBrowser)), use)
        return use

    async def end_session(self, session: str) -> None:
        """Forget the cookies of ``session`` in every browser."""
        with self._lock:
            transports = tuple(self._open.values())
        for transport in transports:
            await transport.end_session(session)

    def join(self, user: object) -> Self:
        """Count ``user`` among those who share the transports; return these."""
        with self._lock:
            self._users.add(user)
        return self

    async def leave(self, user: object) -> None:
        """Close every transport, unless others than ``user`` share them."""
        with self._lock:
            self._users.discard(user)
            is_last = not self._users
        if is_last:
            await self.close()

    async def close(self) -> None:
        """Close every transport."""
        while transport := self._take():
            await transport.close()

    def _open_transport(self, kind: TransportKind, proxy: str | None) -> Transport:
        with self._lock:
            transport = self._open.get((kind, proxy))
            if transport is None:
                transport = self._open[kind, proxy] = _open(kind, proxy, self.browser)
            return transport

    def _open_pages(self, proxy: str | None) -> PageTransport:
        with self._lock:
            if proxy not in self._pages:
                self._pages[proxy] = for_good(_import_pinned)(proxy)
            return self._pages[proxy]

    def _open_renderer(self) -> ResidentRenderer:
        from citeseek.browser.renderer import ResidentRenderer  # noqa: PLC0415 - when used

        with self._lock:
            self._renderer = self._renderer or ResidentRenderer(self.browser)
            return self._renderer

    def _take(self) -> Transport | PageTransport | ResidentRenderer | None:
        with self._lock:
            if self._open:
                return self._open.popitem()[1]
            if renderer := self._renderer:
                self._renderer = None
                return renderer
            return self._pages.popitem()[1] if self._pages else None


def _open(kind: TransportKind, proxy: str | None, browser: BrowserOptions) -> Transport:
    if kind == "browser":
        from citeseek.browser.transport import ResidentBrowser  # noqa: PLC0415 - imported when used

        return ResidentBrowser(structs.replace(browser, proxy=proxy))
    if kind == "primp":
        from citeseek.http.impersonating import PrimpTransport  # noqa: PLC0415 - imported when used

        return PrimpTransport(proxy)
    return for_good(_pyreqwest)(proxy)


def _pyreqwest() -> Callable[[str | None], Transport]:
    """Import it: pyreqwest crashes the process when the thread that imported it has ended."""
    from citeseek.http.api import PyreqwestTransport  # noqa: PLC0415 - imported when used

    return PyreqwestTransport


def _import_pinned() -> Callable[[str | None], PageTransport]:
    """Import it, for good as above."""
    from citeseek.http.pinned import PinnedTransport  # noqa: PLC0415 - imported when used

    return PinnedTransport
