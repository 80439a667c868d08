"""Pages that scripts build: which of them are rendered in a browser, and what is read then."""

from __future__ import annotations

import logging
import time
from typing import Protocol

import msgspec
from msgspec import structs

from citeseek.browser import BrowserOptions, find_chrome
from citeseek.browser.dialing import Way
from citeseek.browser.failures import MISSING, NOT_STARTED
from citeseek.concurrency.deadline import Deadline
from citeseek.errors import SearchFailed, WebBlocked
from citeseek.extraction import Document
from citeseek.extraction.markup import letters
from citeseek.extraction.shell import SHELL
from citeseek.extras import CHROME, Fault, fault
from citeseek.fetching.options import FetchOptions, Form
from citeseek.fetching.page_reader import Reader
from citeseek.guard import Guard
from citeseek.models import REDIRECTS, Page

log = logging.getLogger(__name__)

# Of one page. What its scripts have not done by then is not waited for.
SECONDS = 10.0
# Of the time that is left, so much is for reading what was rendered.
_FOR_READING = 0.2
# A browser that did not start is left alone for so long.
RETRY_SECONDS = 60.0
# What stands in front of a page until its scripts run; a proof that somebody is no robot is none.
_BEFORE_SCRIPTS = frozenset({"javascript_required", "consent_required"})
_CAME = range(200, 300)
# A rendered text that is so many times shorter is a message that something failed.
_MUCH_LESS = 2


class Renders(Protocol):
    """Renders a page; see :meth:`citeseek.browser.renderer.Renderer.render`."""

    async def __call__(self, page: Page, way: Way, *, seconds: float, max_bytes: int) -> Page:
        """Return ``page`` as its scripts leave it, a redirect where they leave it."""
        ...


class FetchedPage(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of ``page``; None when a script leads from there to another page.

    ``fault`` is why it was not rendered though it should have been.
    """

    page: Page
    document: Document | None = None
    is_rendered: bool = False
    fault: Fault | None = None


class ScriptRendering:
    """Renders, with ``render``, what ``options.render`` says, and reads it.

    What scripts ask for is checked by ``guard`` and goes through the proxies of ``options``.
    """

    def __init__(
        self, options: FetchOptions, browser: BrowserOptions, render: Renders, guard: Guard
    ) -> None:
        self._options = options
        self._browser = browser
        self._render = render
        self._guard = guard
        self._failure: Fault | None = None
        self._failed_at = 0.0

    async def read(self, page: Page, form: Form, deadline: Deadline, reader: Reader) -> FetchedPage:
        """Return the reading of ``page``, rendered where it awaits that.

        Raise SearchFailed: what the page is or what stands in front of it, never what is wrong
        with a browser.
        """
        first: Document | WebBlocked
        try:
            first = await reader.read(page, form, deadline, max_bytes=self._options.max_bytes)
        except WebBlocked as error:
            if error.detail_code not in _BEFORE_SCRIPTS:
                raise
            first = error
        if not self._is_wanted(page, first):
            return _settled(page, first)
        rendered = await self._rendered(page, deadline)
        if isinstance(rendered, Fault):
            return _settled(page, first, rendered)
        if rendered.status in REDIRECTS:
            return FetchedPage(page=rendered, is_rendered=True)
        try:
            second = await reader.text(rendered, form)
        except SearchFailed as error:
            if isinstance(first, Document) and first.text:
                return FetchedPage(page=page, document=first)
            error.page = rendered
            raise
        if not _is_better(second, first):
            return _settled(page, first)
        return FetchedPage(
            page=structs.replace(page, truncated=rendered.truncated),
            document=_with_dates(second, first),
            is_rendered=True,
        )

    def absence(self) -> Fault | None:
        """Return what is missing of a browser; nothing is started."""
        wrong = fault("playwright", imports=False)
        if wrong and wrong.state != "old":
            return wrong
        try:
            find_chrome(self._browser.executable)
        except SearchFailed:
            return Fault(CHROME, "missing")
        return None

    def _is_wanted(self, page: Page, first: Document | WebBlocked) -> bool:
        if self._options.render == "off" or page.truncated or page.status not in _CAME:
            return False
        if isinstance(first, WebBlocked):
            return True
        is_html = first.media_type in ("text/html", "application/xhtml+xml")
        return is_html and (first.awaits_scripts or self._options.render == "always")

    async def _rendered(self, page: Page, deadline: Deadline) -> Page | Fault:
        """Return ``page`` rendered, or why it is not; a browser that fails to start is left."""
        if missed := self.absence() or self._recent_failure():
            return missed
        try:
            return await self._render(
                page,
                Way(self._guard, self._options.proxies.for_url),
                seconds=min(SECONDS, deadline.left() * (1 - _FOR_READING)),
                max_bytes=self._options.max_bytes,
            )
        except SearchFailed as error:
            log.info("not rendered: %s %s", error.error_code, error)
            found = Fault(CHROME, "broken", error.detail_code or error.error_code)
            if error.detail_code in (MISSING, NOT_STARTED):
                self._failure, self._failed_at = found, time.monotonic()
            return found

    def _recent_failure(self) -> Fault | None:
        if self._failure and time.monotonic() - self._failed_at < RETRY_SECONDS:
            return self._failure
        return None


def _settled(page: Page, first: Document | WebBlocked, missed: Fault | None = None) -> FetchedPage:
    """Return the reading of a page that was not rendered, or raise what stood before it."""
    if isinstance(first, Document):
        return FetchedPage(page=page, document=first, fault=missed)
    if missed and first.detail_code == "javascript_required":
        first.values = {"case": "not_rendered", "problem": str(missed)}
        first.hint = f"It was not rendered: {missed}. Look at: {missed.repair}"
    raise first


def _is_better(rendered: Document, first: Document | WebBlocked) -> bool:
    said = letters(rendered.text)
    before = letters(first.text) if isinstance(first, Document) else 0
    return said > before or (said >= SHELL and said >= before / _MUCH_LESS)


def _with_dates(rendered: Document, first: Document | WebBlocked) -> Document:
    """Return ``rendered`` with the dates that its scripts took away."""
    if isinstance(first, WebBlocked) or rendered.published_at or rendered.updated_at:
        return rendered
    return structs.replace(
        rendered,
        published_at=first.published_at,
        published_in=first.published_in,
        updated_at=first.updated_at,
        updated_in=first.updated_in,
    )
