"""Renders pages that were fetched: their scripts run in a browser that reaches what the guard lets.

The document is the one that was fetched; the browser asks for none. Where a script leads to another
one, that is given back as a redirect, to be checked and fetched like any other. What scripts ask
for goes through a :class:`~citeseek.browser.guarded_proxy.GuardedProxy`, and nothing else leaves.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from msgspec import structs

from citeseek.browser.browser_options import BrowserOptions, BrowserUse
from citeseek.browser.failures import crash_error, slow_start
from citeseek.browser.guarded_proxy import GuardedProxy
from citeseek.browser.lifecycle import BrowserLifecycle
from citeseek.concurrency.background import outcome
from citeseek.concurrency.portal import KEEPER
from citeseek.errors import NetworkError, Timeout

if TYPE_CHECKING:
    from citeseek.browser.chromium import Chromium
    from citeseek.browser.dialing import Way
    from citeseek.browser.rendering_context import Stage
    from citeseek.models import Page

log = logging.getLogger(__name__)

# A browser that takes longer to make a context or to close one answers no more.
RESPONSE_SECONDS = 5.0
# On a busy machine a start takes longer than anybody waits for a page. It goes on then, and whoever
# comes next finds the browser there.
START_SECONDS = 30.0
# Of the time that there is, so much is for the page; then it is read as it is.
_FOR_PAGE = 0.8


class Renderer(BrowserLifecycle):
    """One guarded browser for the process, with a context for each page that is then thrown away.

    The next context is made ready while nobody waits for it: made while a page is shown, it would
    take from that page what the next one gains.
    """

    def __init__(self, options: BrowserOptions | None = None) -> None:
        # One that runs elsewhere cannot be held to a proxy of this machine.
        own = structs.replace(options or BrowserOptions(), cdp_url=None, is_guarded=True)
        own = structs.replace(own, start_seconds=max(own.start_seconds, START_SECONDS))
        super().__init__(own)
        self._room = asyncio.Semaphore(own.max_pages)
        self._spare: tuple[Chromium, asyncio.Task[Stage]] | None = None

    async def render(self, page: Page, way: Way, *, seconds: float, max_bytes: int) -> Page:
        """Return ``page``, which is HTML, as its scripts leave it within ``seconds``, as UTF-8.

        A page that a script leaves is a redirect (303). Raise Timeout, NetworkError or
        WebProviderError; what the browser is missing has the detail codes of its room, also where
        the time ran out before it had started.
        """
        is_started = True
        async with self._in_use():
            try:
                async with asyncio.timeout(seconds), self._room:
                    until = asyncio.get_running_loop().time() + seconds * _FOR_PAGE
                    is_started = False
                    browser = await self._running()
                    is_started = True
                    stage = await self._take_stage(browser)
                    try:
                        return await stage.show(page, way, until=until, max_bytes=max_bytes)
                    finally:
                        self._chores.start(self._clear(browser, stage))
            except TimeoutError:
                if not is_started:
                    raise slow_start(seconds) from None
                raise Timeout(
                    f"The page was not rendered within {seconds:g} s.",
                    values={"case": "render", "seconds": f"{seconds:g}"},
                ) from None

    async def _take_stage(self, browser: Chromium) -> Stage:
        spare, self._spare = self._spare, None
        if spare is None or spare[0] is not browser:
            spare = browser, self._chores.start(self._open(browser))
        try:
            return await outcome(spare[1])
        except asyncio.CancelledError:
            # Whoever comes next finds it ready.
            if self._spare is None:
                self._spare = spare
            raise

    async def _open(self, browser: Chromium) -> Stage:
        from citeseek.browser.rendering_context import Stage  # noqa: PLC0415 - imports Playwright

        try:
            async with asyncio.timeout(RESPONSE_SECONDS):
                return await Stage.open(browser.browser, GuardedProxy(), self._options)
        except (TimeoutError, NetworkError) as error:
            log.info("no page of the browser could be made ready: %r", error)
            browser.sessions.lost = True
            raise crash_error() from None

    async def _clear(self, browser: Chromium, stage: Stage) -> None:
        """Throw away what was used and make the next one ready."""
        try:
            async with asyncio.timeout(RESPONSE_SECONDS):
                await stage.close()
        except TimeoutError:
            browser.sessions.lost = True
        self._retire_if_dead()
        if self._spare is None and self._alive() is browser:
            self._spare = browser, self._chores.start(self._open(browser))

    def _retire(self) -> None:
        if self._spare:
            self._chores.start(_drop(self._spare[1]))
            self._spare = None
        super()._retire()


async def _drop(opening: asyncio.Task[Stage]) -> None:
    await asyncio.wait({opening})
    if not opening.cancelled() and not opening.exception():
        await opening.result().close()


class ResidentRenderer:
    """A :class:`Renderer` that is used, and closed, from whichever loop."""

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self._renderer = Renderer(options)

    @property
    def use(self) -> BrowserUse:
        """What :attr:`Renderer.use` says."""
        return self._renderer.use

    async def render(self, page: Page, way: Way, *, seconds: float, max_bytes: int) -> Page:
        """Do what :meth:`Renderer.render` does."""
        work = self._renderer.render(page, way, seconds=seconds, max_bytes=max_bytes)
        return await KEEPER.reach(work)

    async def close(self) -> None:
        """Do what :meth:`Renderer.close` does."""
        await KEEPER.reach(self._renderer.close())
