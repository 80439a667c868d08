"""One page of the browser, used for one search after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import urldefrag, urlsplit

import msgspec
from playwright.async_api import BrowserContext, Error, Response
from playwright.async_api import Page as BrowserPage

from citeseek.browser.failures import crash_error, page_crashed
from citeseek.errors import NetworkError, WebParseError, WebProviderError
from citeseek.models import REDIRECTS, Page, Request

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


async def block(page: BrowserPage) -> None:
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


# How long a page that has loaded without results may take to bring them or to go elsewhere.
GRACE_MS = 500
# Pages that scripts lead to, one after the other, before results.
MAX_HOPS = 5
# Chrome gives up after 20, not all of which are reported.
MANY_REDIRECTS = 15
# Cookies stay in the browser, the others tell of the body as it was sent.
NOT_PASSED_ON = frozenset({"set-cookie", "content-length", "content-encoding", "transfer-encoding"})
# How long one that has begun to go elsewhere is not taken for what was looked for.
AWAY_MS = 2000
EMPTY = "about:blank"

_SETTLE = Path(__file__).with_name("settle.js").read_text(encoding="utf-8")
_READ = Path(__file__).with_name("read.js").read_text(encoding="utf-8")


class Tab:
    """A page whose load is stopped as soon as it holds what the request calls enough."""

    def __init__(self, page: BrowserPage) -> None:
        self._page = page
        self._watched_for: tuple[str, int] | None = None
        self._watching = AsyncExitStack()
        self._headers: Mapping[str, str] = {}
        self._documents: list[Response] = []
        self._left = ""
        self._is_restless = False
        self._crashed = False
        page.on("crash", self._note_crash)
        page.on("response", self._note_response)

    @classmethod
    async def open(cls, context: BrowserContext) -> Self:
        """Open a page in ``context``. Raise NetworkError when the browser is gone."""
        with crashes():
            page = await context.new_page()
            tab = cls(page)
            await page.expose_function("citeseekLeaving", tab._note_leaving)
            await block(page)
            return tab

    async def read(self, request: Request, max_bytes: int) -> Page:
        """Go where ``request`` says and return the document once it has settled.

        Raise NetworkError when there is no connection or the browser crashed, WebParseError when
        what came is no document or one larger than ``max_bytes``.
        """
        if request.method != "GET":
            raise WebProviderError("A browser engine can only go to an address, not post to it.")
        url = request.address
        self._documents.clear()
        self._left = ""
        with crashes():
            await self._watch_for(request.settled, request.enough)
            if request.headers != self._headers:
                await self._page.set_extra_http_headers(dict(request.headers))
                self._headers = request.headers
        if (redirect := await self._go(url)) is not None:
            return redirect
        html = await self._html(url, max_bytes)
        body = html.encode(errors="replace") if html is not None else None
        if body is None or len(body) > max_bytes:
            raise WebParseError(
                f"The page is larger than {max_bytes:,} bytes.",
                detail_code="too_large",
                values={"case": "browser", "most": f"{max_bytes:,}"},
            )
        status, headers = self._answer()
        return Page(url=self._page.url, status=status, headers=headers, body=body)

    async def rest(self) -> None:
        """Leave the document that was read: it does nothing more and takes no memory.

        Raise NetworkError when that cannot be: the tab is to be closed.
        """
        if self._is_restless:
            raise crash_error()
        with crashes():
            await self._page.goto(EMPTY, wait_until="commit", timeout=0)

    async def close(self) -> None:
        """Close the page, whatever it is doing."""
        with crashes():
            await self._page.close()

    async def _watch_for(self, selector: str, enough: int) -> None:
        """Have every document from now on watched for so many elements."""
        if self._watched_for != (selector, enough):
            await self._watching.aclose()
            arguments = msgspec.json.encode((selector, enough, GRACE_MS, AWAY_MS)).decode()
            script = f"({_SETTLE.strip().removesuffix(';')})(...{arguments})"
            await self._watching.enter_async_context(await self._page.add_init_script(script))
            self._watched_for = selector, enough

    async def _go(self, url: str) -> Page | None:
        """Go to ``url``; return the redirect when one leads to where nobody answers."""
        try:
            await self._page.goto(url, wait_until="commit", timeout=0)
        except Error:
            failure = await self._failure(url)
            if isinstance(failure, Page):
                return failure
            # Without the cause: it names the address.
            raise failure from None
        return None

    async def _html(self, url: str, max_bytes: int) -> str | None:
        """Return the first document that stays, or the last of many that lead to another."""
        for _ in range(MAX_HOPS):
            try:
                html: str | None = await self._page.evaluate(_READ, max_bytes)
            except Error:
                if loss := await self._loss():
                    raise loss from None
                # The document has given way to the next one.
            else:
                if self._page.url.startswith("chrome-error:"):
                    raise _no_connection(url)
                return html
        self._is_restless = True
        if not self._left:
            raise WebParseError(
                "The page leads from one to the next.",
                detail_code="redirect",
                values={"case": "browser_chain"},
            )
        return self._left

    async def _failure(self, url: str) -> NetworkError | WebParseError | Page:
        """Return what a document that did not come means, by what had come before it."""
        if loss := await self._loss():
            return loss
        statuses = [response.status for response in self._documents]
        if len(statuses) >= MANY_REDIRECTS:
            return WebParseError(
                "The site redirects in a circle.",
                detail_code="redirect",
                values={"case": "browser_circle"},
            )
        if not statuses:
            return _no_connection(url)
        if statuses[-1] not in REDIRECTS:
            return WebParseError(
                "What came is no page.", detail_code="broken_body", values={"case": "browser"}
            )
        last = self._documents[-1]
        return Page(url=last.url, status=last.status, headers=_pass_on(last))

    async def _loss(self) -> NetworkError | None:
        """Return what crashed, None when all lives; a living browser knows its cookies."""
        try:
            await self._page.context.cookies()
        except Error:
            return crash_error()
        # Told while we asked: a page's crash is reported after the calls that it ends.
        if self._crashed:
            return page_crashed()
        return crash_error() if self._page.is_closed() else None

    def _answer(self) -> tuple[int, dict[str, str]]:
        """Return status and headers of the document that is shown."""
        shown = urldefrag(self._page.url).url
        known = [r for r in self._documents if r.url == shown] or self._documents
        if not known:
            return 200, {}
        headers = {**_pass_on(known[-1]), "content-type": "text/html; charset=utf-8"}
        return known[-1].status, headers

    def _note_leaving(self, html: str) -> None:
        self._left = html

    def _note_crash(self, _: BrowserPage) -> None:
        self._crashed = True

    def _note_response(self, response: Response) -> None:
        # For responses without a frame; the error would come out of Playwright's next call.
        with suppress(Error):
            is_own = response.frame == self._page.main_frame
            if is_own and response.request.is_navigation_request():
                self._documents.append(response)


@contextmanager
def crashes() -> Iterator[None]:
    """Raise NetworkError where Playwright fails at what only a browser that is gone cannot do."""
    try:
        yield
    except Error:
        raise crash_error() from None


def _pass_on(response: Response) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name not in NOT_PASSED_ON}


def _no_connection(url: str) -> NetworkError:
    host = urlsplit(url).netloc.rpartition("@")[2]
    return NetworkError(
        f"No connection to {host}, or it was cut.", values={"case": "direct", "host": host}
    )
