"""One browser of a kind: started by its first use, ended when it is unused for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from citeseek.browser.browser_options import BrowserOptions, BrowserUse, find_chrome
from citeseek.browser.failures import crash_error, playwright_missing
from citeseek.browser.machine_places import MachinePlaces
from citeseek.concurrency.background import Chores

if TYPE_CHECKING:
    from citeseek.browser.chromium import Chromium

# Whoever started a browser has it so long, though others wait for its place.
TURN_SECONDS = 2.0


class BrowserLifecycle:
    """A browser that belongs to the event loop of its first use.

    After :meth:`close`, or when it was unused for ``idle_seconds`` or has crashed, the next use
    starts a new one. It is let go of as well when it is worn, and when another process waits for
    its place on the machine: whoever uses it ends, and who comes then waits for the next.
    """

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self._options = options or BrowserOptions()
        self._chores = Chores()
        self._browser: asyncio.Task[Chromium] | None = None
        self._users = 0
        # Those who have the browser, and not only wait for it.
        self._using: set[object] = set()
        self._is_leaving = False
        self._has_left = asyncio.Event()
        self._places: MachinePlaces | None = None
        most = self._options.max_browsers
        if most is not None and not self._options.cdp_url:
            self._places = MachinePlaces(most, self._options.scope)
        self._idle: asyncio.TimerHandle | None = None

    @property
    def use(self) -> BrowserUse:
        """How it is used at the moment, for whichever thread."""
        return BrowserUse(
            running=int(self._alive() is not None),
            pages=self._users,
            most=self._options.max_pages,
        )

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
            self._using.discard(asyncio.current_task())
            self._retire_if_dead()
            self._leave_if_asked()
            if not self._users:
                loop = asyncio.get_running_loop()
                self._idle = loop.call_later(self._options.idle_seconds, self._retire)

    async def _running(self) -> Chromium:
        """Return the browser, started if need be, once for all who wait for it."""
        self._retire_if_dead()
        while self._is_leaving:
            await self._has_left.wait()
        task = self._browser = self._browser or self._chores.start(self._start())
        await asyncio.wait({task})
        if task.cancelled():
            raise crash_error()
        browser = task.result()
        self._using.add(asyncio.current_task())
        browser.uses += 1
        if await browser.is_worn():
            self._ask_to_leave(browser)
        return browser

    async def _start(self) -> Chromium:
        if self._places is None:
            return await self._launch()
        place = await self._places.take()
        try:
            browser = await self._launch()
        except BaseException:
            if place is not None:
                place.leave()
            raise
        if place is not None:
            browser.place = place
            loop = asyncio.get_running_loop()
            turn = loop.time() + TURN_SECONDS

            def leave_behind_turn() -> None:
                loop.call_at(max(turn, loop.time()), self._ask_to_leave, browser)

            place.on_wanted = leave_behind_turn
            if place.is_wanted:
                leave_behind_turn()
        return browser

    def _ask_to_leave(self, browser: Chromium) -> None:
        """End ``browser`` as soon as nobody uses it, if it is still there."""
        if self._alive() is browser:
            self._is_leaving = True
            self._has_left.clear()
            self._leave_if_asked()

    def _leave_if_asked(self) -> None:
        if self._is_leaving and not self._using:
            self._retire()

    async def _launch(self) -> Chromium:
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
        self._is_leaving = False
        self._has_left.set()
        if self._browser:
            self._chores.start(_close(self._browser))
            self._browser = None


async def _close(starting: asyncio.Task[Chromium]) -> None:
    starting.cancel()
    await asyncio.wait({starting})
    if not starting.cancelled() and not starting.exception():
        await starting.result().close()
