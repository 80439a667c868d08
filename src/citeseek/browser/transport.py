"""The transport that goes through a browser."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from citeseek.browser.browser_options import BrowserOptions, BrowserUse
from citeseek.browser.lifecycle import BrowserLifecycle
from citeseek.concurrency.portal import KEEPER
from citeseek.errors import Timeout
from citeseek.models import Page, Request


class BrowserTransport(BrowserLifecycle):
    """One browser for the process, with an isolated context for each session."""

    def __init__(self, options: BrowserOptions | None = None) -> None:
        super().__init__(options)
        self._room = asyncio.Semaphore(self._options.max_pages)

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
        waiting_for, case = "a free page of the browser", "free_page"
        async with self._in_use():
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

    async def end_session(self, session: str) -> None:
        """Forget ``session``; the browser ends with the last one."""
        if browser := self._alive():
            await browser.sessions.end(session)
            if not browser.sessions:
                self._retire()
                await self._chores.finish()


class ResidentBrowser:
    """A :class:`BrowserTransport` that is used, and closed, from whichever loop.

    One that lived on its first caller's loop could be closed neither after that loop's end nor
    while it stands still, and each other loop would need a browser and cookies of its own.
    """

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self._transport = BrowserTransport(options)

    @property
    def use(self) -> BrowserUse:
        """What :attr:`BrowserTransport.use` says."""
        return self._transport.use

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
