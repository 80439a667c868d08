"""HTML of our own printed as PDF by a browser of this machine, which reaches nothing meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec import structs

from citeseek.browser.browser_options import BrowserOptions
from citeseek.browser.failures import crash_error, slow_start
from citeseek.browser.lifecycle import BrowserLifecycle
from citeseek.concurrency.portal import KEEPER
from citeseek.errors import Timeout

if TYPE_CHECKING:
    from playwright._impl._api_structures import PdfMargins
    from playwright.async_api import Browser

# On a busy machine a start takes longer than anybody waits for a page.
START_SECONDS = 30.0
PRINT_SECONDS = 60.0
_MARGIN: PdfMargins = {"top": "18mm", "bottom": "20mm", "left": "18mm", "right": "18mm"}
# Chrome fills in both numbers; its own style for this line has letters of no size.
_FOOTER = (
    '<div style="width: 100%; font: 8px sans-serif; color: #595d64; text-align: center">'
    '<span class="pageNumber"></span> / <span class="totalPages"></span></div>'
)


class PdfPrinter(BrowserLifecycle):
    """Prints on A4, with links, an outline of the headings, and page numbers.

    ``options`` name the browser; one that runs elsewhere is not used, it may belong to others.
    """

    def __init__(self, options: BrowserOptions | None = None) -> None:
        own = structs.replace(options or BrowserOptions(), cdp_url=None, is_guarded=True)
        own = structs.replace(own, start_seconds=max(own.start_seconds, START_SECONDS))
        super().__init__(own)
        self._room = asyncio.Semaphore(own.max_pages)

    async def print(self, html: str) -> bytes:
        """Return ``html``, which is whole and runs no script, as PDF.

        Raise WebProviderError with the detail code ``browser_missing`` where there is no browser,
        and Timeout and NetworkError when it does not answer.
        """
        is_started = False
        async with self._in_use():
            try:
                async with asyncio.timeout(START_SECONDS + PRINT_SECONDS), self._room:
                    browser = await self._running()
                    is_started = True
                    return await _print(browser.browser, html)
            except TimeoutError:
                if not is_started:
                    raise slow_start(START_SECONDS) from None
                raise Timeout(
                    f"Nothing was printed within {PRINT_SECONDS:g} s.",
                    values={"case": "print", "seconds": f"{PRINT_SECONDS:g}"},
                ) from None


async def _print(browser: Browser, html: str) -> bytes:
    from playwright.async_api import Error  # noqa: PLC0415 - with the extra, and it is loaded

    try:
        context = await browser.new_context(java_script_enabled=False, offline=True)
        try:
            page = await context.new_page()
            await page.set_content(html, wait_until="load", timeout=PRINT_SECONDS * 1000)
            return await page.pdf(
                format="A4",
                margin=_MARGIN,
                print_background=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template=_FOOTER,
                tagged=True,
                outline=True,
            )
        finally:
            await context.close()
    except Error:
        raise crash_error() from None


class ResidentPdfPrinter:
    """A :class:`PdfPrinter` that is used, and closed, from whichever loop."""

    def __init__(self, options: BrowserOptions | None = None) -> None:
        self._printer = PdfPrinter(options)

    async def print(self, html: str) -> bytes:
        """Do what :meth:`PdfPrinter.print` does."""
        return await KEEPER.reach(self._printer.print(html))

    async def close(self) -> None:
        """Do what :meth:`PdfPrinter.close` does."""
        await KEEPER.reach(self._printer.close())
