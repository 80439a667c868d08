"""Pages that scripts build: which of them are rendered in a browser, and what is read then."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Protocol

import msgspec
from msgspec import structs

from citeseek import observing
from citeseek.browser import BrowserOptions, find_chrome
from citeseek.browser.dialing import Way
from citeseek.browser.failures import MISSING, NOT_STARTED, PAGE_CRASHED
from citeseek.concurrency.clock import Deadline
from citeseek.errors import SearchFailed, Timeout, WebBlocked
from citeseek.extraction import Document
from citeseek.extraction.markup import letters
from citeseek.extraction.script_shell import SHELL, is_failure, is_placeholder
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
# So many pages wait for one start before it counts as a failure.
_SLOW_STARTS = 2
# With less than this left, a browser that did not start is not started again.
_FOR_START = 1.0
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

    ``fault`` is why it was not rendered though it should have been, or why that is not read.
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
        self._slow_starts = 0

    async def read(self, page: Page, form: Form, deadline: Deadline, reader: Reader) -> FetchedPage:
        """Return the reading of ``page``, rendered where it awaits that.

        Raise SearchFailed: what the page is or what stands in front of it, never what is wrong
        with a browser.
        """
        first = await self._read_as_it_came(page, form, deadline, reader)
        if not self._is_wanted(page, first):
            if _needs_scripts(first) and self._options.render == "off":
                raise _scripts_error("render_off", page)
            return _leave(page, first)
        began = time.monotonic()
        rendered = await self._rendered(page, deadline)
        seconds = f"{self.seconds_since(began):.1f}"
        if isinstance(rendered, Fault):
            return _leave(page, first, rendered, seconds)
        self._slow_starts = 0
        if rendered.status in REDIRECTS:
            return FetchedPage(page=rendered, is_rendered=True)
        try:
            second = await reader.text(rendered, form)
        except SearchFailed as error:
            if isinstance(first, Document) and first.text:
                return _leave(page, first, _unused_fault(error.detail_code or error.error_code))
            if _needs_scripts(error):
                raise _scripts_error("rendered", rendered, seconds=seconds) from None
            error.page = rendered
            raise
        if refusal := self._refusal(second, first):
            return _leave(page, first, _unused_fault(refusal), seconds)
        return FetchedPage(
            page=structs.replace(page, truncated=rendered.truncated),
            document=_with_facts(second, first),
            is_rendered=True,
        )

    async def _read_as_it_came(
        self, page: Page, form: Form, deadline: Deadline, reader: Reader
    ) -> Document | WebBlocked:
        try:
            return await reader.read(page, form, deadline, max_bytes=self._options.max_bytes)
        except WebBlocked as error:
            if error.detail_code not in _BEFORE_SCRIPTS:
                raise
            return error

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

    def may_start_again(self, until: Deadline) -> bool:
        """Whether a browser that did not start is started once more before ``until``."""
        return until.at - until.clock() >= _FOR_START

    def seconds_since(self, began: float) -> float:
        """Return the seconds since ``began``."""
        return time.monotonic() - began

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
        until = Deadline.after(min(SECONDS, deadline.left() * (1 - _FOR_READING)))
        is_second = False
        while True:
            try:
                return await self._render(
                    page,
                    Way(
                        self._guard,
                        self._options.proxies.for_url,
                        url=page.url,
                        accounts=observing.accounts(),
                    ),
                    seconds=until.left(),
                    max_bytes=self._options.max_bytes,
                )
            except SearchFailed as error:
                log.info("not rendered: %s %s", error.error_code, error)
                if _is_by_page(error):
                    return _unused_fault(error.detail_code or error.error_code)
                found = Fault(CHROME, "broken", error.detail_code or error.error_code)
                is_slow = isinstance(error, Timeout)
                if error.detail_code == NOT_STARTED and not is_slow and not is_second:
                    is_second = True
                    if self.may_start_again(until):
                        continue
                if error.detail_code in (MISSING, NOT_STARTED):
                    self._remember(found, is_slow=is_slow)
                return found

    def _remember(self, found: Fault, *, is_slow: bool) -> None:
        """Let pages of the next time do without a browser.

        A start that ``is_slow`` goes on, and may have ended well when the next page comes.
        """
        self._slow_starts = self._slow_starts + 1 if is_slow else 0
        if self._slow_starts in (0, _SLOW_STARTS):
            self._failure, self._failed_at, self._slow_starts = found, time.monotonic(), 0

    def _refusal(self, rendered: Document, first: Document | WebBlocked) -> str:
        """Return why ``rendered`` is not read in place of ``first``, empty when it is.

        It may be the shorter one: what asks to wait is often longer than what then comes.
        """
        said = letters(rendered.text)
        if not said or is_placeholder(rendered.text):
            return "no_text"
        if self._options.render == "always":
            return ""
        if isinstance(first, WebBlocked):
            return "no_text" if is_failure(rendered.text) else ""
        before = letters(first.text)
        if before and is_failure(rendered.text):
            return "failed"
        if said >= before or before < SHELL or (said >= SHELL and said >= before / _MUCH_LESS):
            return ""
        return "shorter"

    def _recent_failure(self) -> Fault | None:
        if self._failure and time.monotonic() - self._failed_at < RETRY_SECONDS:
            return self._failure
        return None


def _leave(
    page: Page, first: Document | WebBlocked, missed: Fault | None = None, seconds: str = ""
) -> FetchedPage:
    """Return the reading of a page that was not rendered, or raise what stood before it.

    ``missed`` is why it was not, ``seconds`` how long that took.
    """
    if isinstance(first, Document):
        return FetchedPage(page=page, document=first, fault=missed)
    if missed is None or not _needs_scripts(first):
        raise first
    if missed.state != "unused":
        raise _scripts_error("not_rendered", page, problem=str(missed), repair=missed.repair)
    cases = {PAGE_CRASHED: "crashed", Timeout.__name__: "unfinished"}
    raise _scripts_error(cases.get(missed.found, "rendered"), page, seconds=seconds)


# By the ``case`` of ``javascript_required``: what happened, and what can be done.
_TOLD: Mapping[str, tuple[str, str]] = {
    "render_off": (
        "The page is empty until a browser runs its JavaScript.",
        "web.fetch.render is off; with auto, pages like this are opened in Chrome.",
    ),
    "not_rendered": (
        "The page is empty until a browser runs its JavaScript.",
        "It was not rendered: {problem}. Look at: {repair}",
    ),
    "rendered": (
        "The page's scripts ran in a browser for {seconds} s and gave no text.",
        "Another page may say the same.",
    ),
    "unfinished": (
        "The page's scripts had not finished in a browser after {seconds} s.",
        "Another page may say the same.",
    ),
    "crashed": (
        "The page's scripts made it crash in a browser.",
        "Another page may say the same.",
    ),
}


def _scripts_error(case: str, page: Page, **values: str) -> WebBlocked:
    """Return the error that says of ``page``, which needs its scripts, what became of them."""
    message, hint = _TOLD[case]
    return WebBlocked(
        message.format(**values),
        hint=hint.format(**values),
        detail_code="javascript_required",
        page=page,
        values={"case": case, **values},
    )


def _needs_scripts(found: Document | SearchFailed) -> bool:
    return isinstance(found, SearchFailed) and found.detail_code == "javascript_required"


def _unused_fault(found: str) -> Fault:
    return Fault(CHROME, "unused", found)


def _is_by_page(error: SearchFailed) -> bool:
    """Whether it is the page that could not be rendered, and nothing is wrong with the browser."""
    is_slow = isinstance(error, Timeout) and error.detail_code != NOT_STARTED
    return is_slow or error.detail_code == PAGE_CRASHED


def _with_facts(rendered: Document, first: Document | WebBlocked) -> Document:
    """Return ``rendered`` with the dates and the licence that its scripts took away."""
    if isinstance(first, WebBlocked):
        return rendered
    if first.license and not rendered.license:
        rendered = structs.replace(rendered, license=first.license, license_in=first.license_in)
    if rendered.published_at or rendered.updated_at:
        return rendered
    return structs.replace(
        rendered,
        published_at=first.published_at,
        published_in=first.published_in,
        updated_at=first.updated_at,
        updated_in=first.updated_in,
    )
