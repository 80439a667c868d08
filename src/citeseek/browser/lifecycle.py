"""One browser of a kind: started by its first use, ended when it is unused for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from citeseek.browser.browser_options import BrowserOptions, find_chrome
from citeseek.browser.failures import crash_error, playwright_missing
from citeseek.concurrency.background import Chores

if TYPE_CHECKING:
    from citeseek.browser.chromium import Chromium


class BrowserLifecycle:
    """A browser that belongs to the event loop of its first use.

    After :meth:`close`, or when it was unused for ``idle_seconds`` or has crashed, the next use
    starts a new one.
    """

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self._options = options or BrowserOptions()
        self._chores = Chores()
        self._browser: asyncio.Task[Chromium] | None = None
        self._users = 0
        self._idle: asyncio.TimerHandle | None = None

    async def close(self) -> None:
        """End the browser and wait until nothing of it is left."""
        if self._idle:
            self._idle.cancel()
        self._retire()
        await self._chores.finish()

    @asynccontextmanager
    async def _in_use(self) -> AsyncIterator[None]:
        """Keep the browser, where there is one, from being ended as unused."""
        self._users += 1
        if self._idle:
            self._idle.cancel()
        try:
            yield
        finally:
            self._users -= 1
            self._retire_if_dead()
            if not self._users:
                loop = asyncio.get_running_loop()
                self._idle = loop.call_later(self._options.idle_seconds, self._retire)

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

    def _alive(self) -> Chromium | None:
        """Return the browser, None when there is none to use."""
        starting = self._browser
        if starting is None or not starting.done() or starting.cancelled() or starting.exception():
            return None
        browser = starting.result()
        return browser if browser.is_alive else None

    def _retire_if_dead(self) -> None:
        if self._browser and self._browser.done() and not self._alive():
            self._retire()

    def _retire(self) -> None:
        """Let go of the browser and have it closed."""
        if self._browser:
            self._chores.start(_close(self._browser))
            self._browser = None


async def _close(starting: asyncio.Task[Chromium]) -> None:
    starting.cancel()
    await asyncio.wait({starting})
    if not starting.cancelled() and not starting.exception():
        await starting.result().close()
