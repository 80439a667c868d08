"""Where one page is rendered: a context of its own, behind a proxy of its own, used once."""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import urldefrag

import msgspec
from playwright.async_api import Browser, BrowserContext, CDPSession, Error
from playwright.async_api import Page as BrowserPage

from citeseek.browser.browser_options import TRAFFIC, BrowserOptions
from citeseek.browser.dialing import Way
from citeseek.browser.guarded_proxy import GuardedProxy
from citeseek.browser.tab import KINDS, NOT_PASSED_ON, TRACKERS, crashes
from citeseek.models import Page

# Beside what search pages do without: nothing of these is read.
UNREAD = (*KINDS, "CSPViolationReport")
PATTERNS = [
    {"urlPattern": "*", "resourceType": "Document"},
    *({"urlPattern": "*", "resourceType": kind} for kind in UNREAD),
    *({"urlPattern": f"*://{dot}{host}/*"} for host in TRACKERS for dot in ("", "*.")),
]
# What would make a download, or another page, of the document that is given.
NOT_GIVEN = NOT_PASSED_ON | {"content-disposition", "refresh"}
# Tall, so that lists which load what is seen load more of it at once.
VIEWPORT = {"width": 1280, "height": 3000}
LOOK_SECONDS = 0.04
# A document is settled when it has a text and was quiet for so long with nothing under way,
QUIET_MS = 120
ENOUGH = 200
# or when its text has not grown for so long, whatever else goes on.
PATIENCE_SECONDS = 1.5
# Rounds to the end of a page that grows as it is scrolled.
MAX_ROUNDS = 3

_WATCH = Path(__file__).with_name("watch.js").read_text(encoding="utf-8")
_LOOK = "() => window[Symbol.for('citeseek.look')]()"
_SCROLL = "() => window[Symbol.for('citeseek.scroll')]()"
_GOES_ON = "() => window[Symbol.for('citeseek.goesOn')]()"
_SERIALIZE = Path(__file__).with_name("serialize.js").read_text(encoding="utf-8")


class PageLook(msgspec.Struct, frozen=True):
    """A look at a document: how much text it shows, and how long nothing has changed.

    ``waits`` tells that placeholders stand where more is to come.
    """

    letters: int
    quiet_ms: float
    is_loaded: bool
    waits: bool


class Stage:
    """A page of a browser, for one document."""

    def __init__(
        self, context: BrowserContext, page: BrowserPage, devtools: CDPSession, proxy: GuardedProxy
    ) -> None:
        self._context = context
        self._page = page
        self._devtools = devtools
        self._proxy = proxy
        self._frame = ""
        self._document: Page | None = None
        self._was_given = False
        self._ahead = ""
        self._under_way = 0

    @classmethod
    async def open(cls, browser: Browser, proxy: GuardedProxy, options: BrowserOptions) -> Self:
        """Make a context in ``browser`` that has ``proxy`` alone. Raise NetworkError."""
        server = await proxy.open()
        try:
            with crashes():
                context = await browser.new_context(
                    # Without the second, loopback would be reached past it.
                    proxy={"server": server, "bypass": "<-loopback>"},
                    user_agent=options.user_agent,
                    locale=options.language,
                    viewport=VIEWPORT,  # type: ignore[arg-type]  # a TypedDict
                    accept_downloads=False,
                    service_workers="block",
                )
                page = await context.new_page()
                stage = cls(context, page, await context.new_cdp_session(page), proxy)
                await stage._prepare()
        except BaseException:
            await proxy.close()
            raise
        return stage

    async def show(self, document: Page, way: Way, *, until: float, max_bytes: int) -> Page:
        """Return ``document`` as its scripts leave it; a redirect where they leave it.

        At ``until``, by the clock of the loop, it is read as it is then. Raise NetworkError.
        """
        self._document = document
        most = TRAFFIC * max_bytes
        left = most if way.max_bytes is None else min(most, way.max_bytes)
        self._proxy.admit(way, max_bytes=left)
        with crashes():
            await self._page.goto(document.url, wait_until="commit", timeout=0)
            await self._settle(until)
            for _ in range(MAX_ROUNDS):
                if self._ahead or asyncio.get_running_loop().time() >= until:
                    break
                if not await self._page.evaluate(_SCROLL) and self._under_way <= 0:
                    break
                await self._settle(until)
            if self._ahead:
                return Page(url=document.url, status=303, headers={"location": self._ahead})
            goes_on: bool = await self._page.evaluate(_GOES_ON)
            html: str = await self._page.evaluate(_SERIALIZE, max_bytes)
        body = html.encode(errors="replace")
        kept = {name: value for name, value in document.headers.items() if name == "date"}
        return Page(
            url=document.url,
            status=document.status,
            headers={**kept, "content-type": "text/html; charset=utf-8"},
            body=body[:max_bytes],
            truncated=goes_on or len(html) >= max_bytes or len(body) > max_bytes,
        )

    async def close(self) -> None:
        """End the page, whatever its scripts are doing, and every connection of it."""
        await self._proxy.close()
        with suppress(Error):
            await self._context.close()

    async def _prepare(self) -> None:
        tree = await self._devtools.send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        self._devtools.on("Fetch.requestPaused", self._decide)
        await self._devtools.send("Fetch.enable", {"patterns": PATTERNS})
        await self._page.add_init_script(_WATCH)
        self._context.on("page", _close_window)
        for event, step in (("request", 1), ("requestfinished", -1), ("requestfailed", -1)):
            self._page.on(event, self._count(step))  # type: ignore[call-overload]  # each by name

    def _count(self, step: int) -> Any:
        def count(_: object) -> None:
            self._under_way += step

        return count

    async def _decide(self, event: dict[str, Any]) -> None:
        """Give the browser the document that was fetched, and nothing else of what is paused."""
        request = event["request"]
        is_own = event["resourceType"] == "Document" and event.get("frameId") == self._frame
        # A browser that is told of a block shows that in place of the page.
        reason = "Aborted" if is_own else "BlockedByClient"
        document = self._document
        with suppress(Error):
            if is_own and document and not self._was_given:
                self._was_given = True
                await self._devtools.send(
                    "Fetch.fulfillRequest", _answer(event["requestId"], document)
                )
                return
            if is_own and document and request["method"] == "GET":
                url = request["url"]
                if url.startswith(("http://", "https://")) and url != urldefrag(document.url).url:
                    self._ahead = self._ahead or url
            await self._devtools.send(
                "Fetch.failRequest", {"requestId": event["requestId"], "errorReason": reason}
            )

    async def _settle(self, until: float) -> None:
        """Wait until the document is quiet, or for its text to grow no more."""
        loop = asyncio.get_running_loop()
        said, since = -1, loop.time()
        while not self._ahead and loop.time() < until:
            look = msgspec.convert(await self._page.evaluate(_LOOK), PageLook)
            if look.letters != said:
                said, since = look.letters, loop.time()
            is_whole = look.is_loaded and look.letters >= ENOUGH and not look.waits
            if is_whole and look.quiet_ms >= QUIET_MS and self._under_way <= 0:
                return
            if loop.time() - since >= PATIENCE_SECONDS:
                return
            await asyncio.sleep(LOOK_SECONDS)


def _answer(request_id: str, document: Page) -> dict[str, Any]:
    headers = [
        {"name": name, "value": value}
        for name, value in document.headers.items()
        if name not in NOT_GIVEN
    ]
    return {
        "requestId": request_id,
        "responseCode": document.status,
        "responseHeaders": headers,
        "body": base64.b64encode(document.body).decode(),
    }


async def _close_window(window: BrowserPage) -> None:
    with suppress(Error):
        await window.close()
