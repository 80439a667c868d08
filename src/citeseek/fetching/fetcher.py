"""Fetches a page: kept ones first, equal calls once, within a deadline."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from functools import cache, partial

from msgspec import structs

from citeseek import observing, trace
from citeseek.concurrency.deadline import Deadline
from citeseek.concurrency.single_flight import SingleFlight
from citeseek.errors import SearchFailed, Timeout, WebBlocked, WebParseError
from citeseek.extraction import Document, extract, legible
from citeseek.extras import Fault
from citeseek.fetching import statuses
from citeseek.fetching.options import FetchFields, FetchOptions, Form, Wish
from citeseek.fetching.page_cache import Shelf
from citeseek.fetching.politeness import Pace
from citeseek.fetching.redirects import Journey, check_road, next_target
from citeseek.fetching.response import FetchResponse
from citeseek.fetching.robots import Permissions
from citeseek.guard import Guard, Target, read
from citeseek.http.pages import PageTransport
from citeseek.models import Page
from citeseek.sandbox import Sandbox
from citeseek.text import encodable, plain_line
from citeseek.urls import is_web, without_tracking, without_user

# A challenge may come with a status of failure: it is looked for there as well.
_MAYBE_CHALLENGE = frozenset({401, 403, 429, 503})

log = logging.getLogger(__name__)


class Fetcher:
    """Fetches pages by ``options`` over the transports that ``pages`` gives.

    They are read in ``sandbox``, which is its owner's to close.
    """

    def __init__(
        self,
        options: FetchOptions,
        pages: Callable[[str | None], PageTransport],
        *,
        sandbox: Sandbox | None = None,
        guard: Guard | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._options = options
        self._sandbox = sandbox or Sandbox()
        self._journey = Journey(
            options, guard or Guard(options.allowed), pages, Pace(options.delay_seconds)
        )
        self._permissions = Permissions(self._journey) if options.obeys_robots else None
        self._shelf = Shelf(options.ttl_minutes * 60, clock=clock)
        self._flights: SingleFlight[FetchResponse] = SingleFlight()

    def close(self) -> None:
        """Forget the kept pages."""
        self._shelf.clear()

    async def fetch(self, url: str, asked: FetchFields) -> FetchResponse:
        """Return the page at ``url``; raise InvalidInput or SearchFailed."""
        wish = Wish.of(asked, self._options)
        began = time.perf_counter()
        target = read(url)
        try:
            page = await self._found(target, wish)
        except SearchFailed as error:
            # No traceback: the sentence tells the failure in full.
            log.info("fetch failed: %s %s", error.error_code, error)
            raise
        spent = trace.measured("took_ms", round((time.perf_counter() - began) * 1000))
        took_ms = 0 if page.cache_hit else spent
        if operation := observing.current():
            operation.is_cached = page.cache_hit
        return structs.replace(page, url=url.strip(), took_ms=took_ms).cut(wish.max_chars)

    async def _found(self, target: Target, wish: Wish) -> FetchResponse:
        key = without_tracking(target.url)
        if not wish.fresh and (kept := self._kept(key, wish.form)):
            return kept
        flight = (key, wish.form, wish.seconds, wish.fresh)
        return await trace.shared(
            lambda work: self._flights.run(flight, work),
            lambda: self._in_time(target, wish),
            FetchResponse,
        )

    async def _in_time(self, target: Target, wish: Wish) -> FetchResponse:
        seconds = trace.deadline(wish.seconds)
        try:
            async with asyncio.timeout(seconds):
                return await self._fetched(target, wish, Deadline.after(seconds or math.inf))
        except (TimeoutError, Timeout):
            observing.ran_out_of_time()
            raise Timeout(
                f"No complete page within {wish.seconds:g} s (读取超时).",
                hint="Try again, or set a longer timeout.",
            ) from None

    async def _fetched(self, target: Target, wish: Wish, deadline: Deadline) -> FetchResponse:
        # While the page is on its way.
        self._sandbox.warm(legible.read)
        road = [target]
        while True:
            page = await self._asked(road, deadline)
            ahead = next_target(page)
            if ahead is None:
                break
            check_road(road, ahead)
            road.append(ahead)
            kept = None if wish.fresh else self._kept(without_tracking(ahead.url), wish.form)
            if kept:
                redirects = (*_redirects(road), *kept.redirects)
                found = structs.replace(kept, url=target.url, redirects=redirects)
                self._keep(wish.form, found)
                return found
        found = await self._read(page, road, wish.form, deadline)
        self._keep(wish.form, found)
        return found

    async def _asked(self, road: list[Target], deadline: Deadline) -> Page:
        """Ask for the last of ``road``; only the first page of a host waits its turn."""
        target = road[-1]
        is_new = all(target.host != seen.host for seen in road[:-1])
        if self._permissions:
            await self._permissions.check(target, deadline)
        return await self._journey.ask(
            target, deadline, max_bytes=self._options.max_bytes, politely=is_new
        )

    async def _read(
        self, page: Page, road: list[Target], form: Form, deadline: Deadline
    ) -> FetchResponse:
        """Make text of the page, in a process of its own: no page holds anybody else up."""
        if refusal := statuses.refusal(page):
            if page.status in _MAYBE_CHALLENGE:
                looked = partial(self._challenge, page, deadline.left() / 2)
                refusal = await trace.waited("looked_at", looked) or refusal
            raise refusal
        if not page.body:
            raise WebParseError(
                f"The page is empty (没有内容, HTTP {page.status}).",
                detail_code="no_content",
                page=page,
            )
        if page.truncated and _is_whole_or_nothing(page):
            raise WebParseError(
                f"The file is larger than {self._options.max_bytes:,} bytes.",
                detail_code="too_large",
                page=page,
            )
        try:
            extracting = partial(self._sandbox.run, legible.read, page=page, form=form)
            document = await trace.waited("read", extracting)
        except SearchFailed as error:
            error.page = error.page or page
            raise
        return _response(document, page, road)

    async def _challenge(self, page: Page, seconds: float) -> WebBlocked | None:
        """Return the challenge that a page of failure shows, if any is seen within ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                await self._sandbox.run(extract, page=page)
        except WebBlocked as error:
            error.page = page
            return error
        except (SearchFailed, TimeoutError):
            return None
        return None

    def _kept(self, key: str, form: Form) -> FetchResponse | None:
        kept = trace.drawn("kept", self._shelf.get(key, form), FetchResponse | None)
        return structs.replace(kept, cache_hit=True) if kept else None

    def _keep(self, form: Form, page: FetchResponse) -> None:
        keys = map(without_tracking, (page.url, *page.redirects))
        self._shelf.put(keys, form, structs.replace(page, cache_hit=False))


def _response(document: Document, page: Page, road: list[Target]) -> FetchResponse:
    if not document.text:
        raise WebParseError(
            "The page has no text that can be read (没有可读的文字); it may need JavaScript.",
            detail_code="no_text",
            page=page,
        )
    for library in document.degraded:
        _warn(library)
    canonical = without_user(document.canonical_url or "")
    return FetchResponse(
        url=road[0].url,
        final_url=road[-1].url,
        status_code=page.status,
        content_type=page.headers.get("content-type", ""),
        text=document.text,
        truncated=page.truncated or document.is_cut,
        title=plain_line(encodable(document.title or "")),
        site_name=plain_line(encodable(document.site_name or "")) or None,
        published_at=document.published_at,
        language=document.language,
        canonical_url=canonical if is_web(canonical) else None,
        extraction_method=document.method,
        degraded=document.degraded,
        redirects=_redirects(road),
        received_bytes=trace.measured("received_bytes", len(page.body)),
    )


def _redirects(road: list[Target]) -> tuple[str, ...]:
    return tuple(target.url for target in road[1:])


@cache
def _warn(library: Fault) -> None:
    """Say once a process that pages are read worse than they could be."""
    log.warning("pages are read without their best reading: %s. %s", library, library.repair)


def _is_whole_or_nothing(page: Page) -> bool:
    """Whether a part of the file is worth nothing."""
    return page.body.startswith((b"%PDF", b"PK\x03\x04"))
