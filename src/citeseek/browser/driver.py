"""Playwright's driver: the process that starts Chrome and ends with it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from playwright.async_api import Error, Playwright, async_playwright

if TYPE_CHECKING:
    # What follows is not offered in public; a driver that hangs can be killed in no other way.
    from playwright._impl.transport import PipeTransport

# A driver that takes longer to end is killed; it gives Chrome as long to close.
STOP_SECONDS = 2.0


class Driver:
    """A driver that is running."""

    def __init__(self, playwright: Playwright, transport: PipeTransport) -> None:
        self.playwright = playwright
        self._transport = transport

    @classmethod
    async def start(cls) -> Self:
        """Start a driver."""
        manager = async_playwright()
        playwright = await manager.start()
        transport = manager._client._transport  # type: ignore[union-attr]  # noqa: SLF001 - see above
        # The driver's end is noticed by the calls that fail; asyncio would report it once more,
        # with a traceback, when this is not looked at.
        transport.on_error_future.add_done_callback(lambda end: end.cancelled() or end.exception())
        return cls(playwright, transport)

    async def stop(self) -> None:
        """End the driver, which ends the browser; return when nothing of it is left."""
        with suppress(TimeoutError, Error, OSError):
            async with asyncio.timeout(STOP_SECONDS):
                await self.playwright.stop()
        with suppress(ProcessLookupError):
            self._transport._proc.kill()  # noqa: SLF001 - see above
        await self._transport.wait_until_stopped()
