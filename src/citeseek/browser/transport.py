"""The transport that goes through a browser: started by the first search, ended when unused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citeseek.browser.browser_options import BrowserOptions
from citeseek.browser.executable import find_chrome
from citeseek.browser.failures import crash_error, playwright_missing
from citeseek.concurrency.background import Chores
from citeseek.errors import Timeout
from citeseek.models import Page, Request

if TYPE_CHECKING:
    from citeseek.browser.chromium import Chromium
from citeseek.concurrency.portal import KEEPER


class BrowserTransport:
    """One browser for the process, with an isolated context for each session.

    It belongs to the event loop of its first search. After :meth:`close`, or when the browser was
    unused for ``idle_seconds`` or has crashed, the next search starts a new one.
    """

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self._options = options or BrowserOptions()
        self._room = asyncio.Semaphore(self._options.max_pages)
        self._chores = Chores()
        self._browser: asyncio.Task[Chromium] | None = None
        self._searches = 0
        self._idle: asyncio.TimerHandle | None = None

    async def send(
        self, request: Request, *, seconds: float, max_bytes: int, session: str = ""
    ) -> Page:
        """Return the document that ``request`` leads to, serialised as UTF-8.

        The load is stopped as soon as ``request.enough`` elements that match ``request.settled``
        are whole; a page that has loaded without them is returned a moment later as it is then.
        ``seconds`` is the time for all of it, a start included, ``max_bytes`` the limit of the
        document. Searches of one ``session`` share cookies, those of others do not.

        Raise Timeout (also with ``browser_start``), NetworkError (also with ``browser_crashed``),
        WebParseError, or WebProviderError (``browser_missing``, ``browser_start``).
        """
        self._searches += 1
        if self._idle:
            self._idle.cancel()
        waiting_for, case = "a free page of the browser", "free_page"
        try:
            async with asyncio.timeout(seconds), self._room:
                waiting_for, case = "the browser to start", "browser"
                browser = await self._running()
                waiting_for, case = urlsplit(request.url).netloc.rpartition("@")[2], "host"
                async with browser.sessions.tab(session) as tab:
                    return await tab.read(request, max_bytes)
        except TimeoutError:
            raise Timeout(
                f"Waited {seconds:g} s for {waiting_for}.",
                values={"case": case, "seconds": f"{seconds:g}", "host": waiting_for},
            ) from None
        finally:
            self._searches -= 1
            self._retire_if_dead()
            if not self._searches:
                loop = asyncio.get_running_loop()
                self._idle = loop.call_later(self._options.idle_seconds, self._retire)

    async def end_session(self, session: str) -> None:
        """Forget ``session``; the browser ends with the last one."""
        if browser := _alive(self._browser):
            await browser.sessions.end(session)
            if not browser.sessions:
                self._retire()
                await self._chores.finish()

    async def close(self) -> None:
        """End the browser and wait until nothing of it is left."""
        if self._idle:
            self._idle.cancel()
        self._retire()
        await self._chores.finish()

    async def _running(self) -> Chromium:
        """Return the browser, started if need be, once for all who wait for it."""
        self._retire_if_dead()
        task = self._browser = self._browser or self._chores.start(self._start())
        await asyncio.wait({task})
        if task.cancelled():
            raise crash_error()
        return task.result()

    async def _start(self) -> Chromium:
        executable = None
        if not self._options.cdp_url:
            executable = find_chrome(self._options.executable)
        try:
            from citeseek.browser.chromium import Chromium  # noqa: PLC0415 - imports Playwright
        except ImportError:
            raise playwright_missing() from None
        return await Chromium.start(self._options, executable, self._chores, self._retire_if_dead)

    def _retire_if_dead(self) -> None:
        if self._browser and self._browser.done() and not _alive(self._browser):
            self._retire()

    def _retire(self) -> None:
        """Let go of the browser and have it closed."""
        if self._browser:
            self._chores.start(_close(self._browser))
            self._browser = None


def _alive(starting: asyncio.Task[Chromium] | None) -> Chromium | None:
    """Return the browser that ``starting`` has started, None when there is none to search with."""
    if starting is None or not starting.done() or starting.cancelled() or starting.exception():
        return None
    browser = starting.result()
    return browser if browser.is_alive else None


async def _close(starting: asyncio.Task[Chromium]) -> None:
    starting.cancel()
    await asyncio.wait({starting})
    if not starting.cancelled() and not starting.exception():
        await starting.result().close()


class ResidentBrowser:
    """A :class:`BrowserTransport` that is used, and closed, from whichever loop.

    One that lived on its first caller's loop could be closed neither after that loop's end nor
    while it stands still, and each other loop would need a browser and cookies of its own.
    """

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self._transport = BrowserTransport(options)

    async def send(
        self, request: Request, *, seconds: float, max_bytes: int, session: str = ""
    ) -> Page:
        """Do what :meth:`BrowserTransport.send` does."""
        return await KEEPER.reach(
            self._transport.send(request, seconds=seconds, max_bytes=max_bytes, session=session)
        )

    async def end_session(self, session: str) -> None:
        """Do what :meth:`BrowserTransport.end_session` does."""
        await KEEPER.reach(self._transport.end_session(session))

    async def close(self) -> None:
        """Do what :meth:`BrowserTransport.close` does."""
        await KEEPER.reach(self._transport.close())
