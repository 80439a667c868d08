"""What a page is not allowed to load: nothing that a result's text does not need."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from playwright.async_api import Error, Page

# "Ping" is how pages report on their readers.
KINDS = ("Image", "Font", "Media", "Ping")
TRACKERS = (
    "bat.bing.com",
    "clarity.ms",
    "connect.facebook.net",
    "doubleclick.net",
    "google-analytics.com",
    "googleadservices.com",
    "googlesyndication.com",
    "googletagmanager.com",
    "hm.baidu.com",
    "hotjar.com",
    "scorecardresearch.com",
)
PATTERNS = [
    *({"urlPattern": "*", "resourceType": kind} for kind in KINDS),
    *({"urlPattern": f"*://{dot}{host}/*"} for host in TRACKERS for dot in ("", "*.")),
]


async def block(page: Page) -> None:
    """Have the browser refuse these requests of ``page``; all others pass without a detour.

    Playwright's own routing would stop every request for a decision and turn the cache off.
    """
    devtools = await page.context.new_cdp_session(page)

    async def refuse(event: dict[str, Any]) -> None:
        # The page may have been stopped or closed in the meantime, which also ends the request.
        with suppress(Error):
            await devtools.send(
                "Fetch.failRequest",
                {"requestId": event["requestId"], "errorReason": "BlockedByClient"},
            )

    devtools.on("Fetch.requestPaused", refuse)
    await devtools.send("Fetch.enable", {"patterns": PATTERNS})
