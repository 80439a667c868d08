"""Fetches a page: kept ones first, equal calls once, within a deadline."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from functools import cache

from msgspec import structs

from citeseek import observing
from citeseek.concurrency.clock import Clock, Deadline
from citeseek.concurrency.single_flight import SingleFlight
from citeseek.errors import InvalidInput, SearchFailed, Timeout, WebParseError
from citeseek.extraction import join_subtitles
from citeseek.extras import Fault
from citeseek.fetching.options import FetchFields, FetchOptions, Form, ResolvedFetch
from citeseek.fetching.page_cache import PageCache
from citeseek.fetching.page_reader import Reader
from citeseek.fetching.pictures import Pictures
from citeseek.fetching.politeness import Politeness
from citeseek.fetching.redirects import Journey, check_road, next_target
from citeseek.fetching.response import FetchResponse
from citeseek.fetching.robots import KnownRules, Permissions
from citeseek.fetching.script_rendering import FetchedPage, ScriptRendering
from citeseek.guard import Guard, Target, read
from citeseek.http.page_transport import PageTransport
from citeseek.models import Page
from citeseek.observing.log_lines import for_people
from citeseek.sandbox import Sandbox
from citeseek.text import encodable, plain_line
from citeseek.urls import is_web, without_tracking, without_user

JSON = "application/json"

log = logging.getLogger(__name__)


class Fetcher:
    """Fetches pages by ``options`` over the transports that ``pages`` gives.

    They are read by ``reader``, or in a ``sandbox``, which is its owner's to close; without
    ``rendering`` no script of theirs runs. The others are what it remembers and waits by, each with
    its own where it is not given.
    """

    def __init__(
        self,
        options: FetchOptions,
        pages: Callable[[str | None], PageTransport],
        *,
        sandbox: Sandbox | None = None,
        guard: Guard | None = None,
        politeness: Politeness | None = None,
        rules: KnownRules | None = None,
        reader: Reader | None = None,
        rendering: ScriptRendering | None = None,
        cache: PageCache | None = None,
        flights: SingleFlight[FetchResponse] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._options = options
        sandbox = sandbox or Sandbox()
        self._reader = reader or Reader(sandbox)
        self._rendering = rendering
        guard = guard or Guard(options.allowed)
        self._journey = Journey(
            options, guard, pages, politeness or Politeness(options.delay_seconds)
        )
        # What a server publishes for programs: asked for when somebody waits, and by no robot.
        self._documents = Journey(options, guard, pages, Politeness(0), accept=JSON)
        self.pictures = Pictures(options, pages, sandbox, guard)
        self._permissions = Permissions(self._journey, rules) if options.obeys_robots else None
        self._cache = cache or PageCache(options.ttl_minutes * 60)
        self._flights: SingleFlight[FetchResponse] = flights or SingleFlight()
        self._clock = clock or Clock()

    def warm(self) -> None:
        """Get ready to read a page, which takes a second the first time."""
        self._reader.warm()

    def close(self) -> None:
        """Forget the kept pages and pictures."""
        self._cache.clear()
        self.pictures.clear()

    async def ask_once(self, url: str, *, seconds: float, max_bytes: int) -> Page:
        """Return the answer of ``url`` alone, as it is; raise InvalidInput or SearchFailed."""
        deadline = Deadline.after(seconds)
        return await self._documents.ask(read(url), deadline, max_bytes=max_bytes, politely=False)

    async def fetch(self, url: str, asked: FetchFields) -> FetchResponse:
        """Return the page at ``url``; raise InvalidInput or SearchFailed."""
        wish = ResolvedFetch.of(asked, self._options)
        began = self._clock.now()
        target = read(url)
        try:
            page = await self._find(target, wish)
        except SearchFailed as error:
            # No traceback: the sentence tells the failure in full.
            log.info("fetch failed: %s %s", error.error_code, error)
            raise
        spent = self._clock.took_ms(began)
        took_ms = 0 if page.cache_hit else spent
        if operation := observing.current():
            operation.is_cached = page.cache_hit
        return structs.replace(page, url=url.strip(), took_ms=took_ms).cut(wish.max_chars)

    async def _find(self, target: Target, wish: ResolvedFetch) -> FetchResponse:
        key = without_tracking(target.url)
        if not wish.fresh and (kept := self._look_up(key, wish.form)):
            return kept
        flight = (key, wish.form, wish.seconds, wish.fresh)
        return await self._flights.run(flight, lambda: self._in_time(target, wish))

    async def _in_time(self, target: Target, wish: ResolvedFetch) -> FetchResponse:
        seconds = self._clock.limit(wish.seconds)
        try:
            async with asyncio.timeout(seconds):
                return await self._fetch(target, wish, Deadline.after(seconds or math.inf))
        except (TimeoutError, Timeout):
            observing.ran_out_of_time()
            raise Timeout(
                f"No complete page within {wish.seconds:g} s.",
                hint="Try again, or set a longer timeout.",
                values={"case": "fetch", "seconds": f"{wish.seconds:g}"},
            ) from None

    async def _fetch(
        self, target: Target, wish: ResolvedFetch, deadline: Deadline
    ) -> FetchResponse:
        self._reader.warm()
        road = [target]
        while True:
            page = await self._ask(road, deadline)
            ahead = next_target(page)
            is_by_script = ahead is None
            if ahead is None:
                reading = await self._read(page, wish.form, deadline)
                # A script may lead on as well.
                ahead = next_target(reading.page) if reading.document is None else None
            if ahead is None:
                break
            check_road(road, ahead, is_by_script=is_by_script)
            road.append(ahead)
            observing.follow_redirect(road[-2].url, ahead.url)
            kept = None if wish.fresh else self._look_up(without_tracking(ahead.url), wish.form)
            if kept:
                redirects = (*_redirects(road), *kept.redirects)
                found = structs.replace(kept, url=target.url, redirects=redirects)
                self._keep(wish.form, found)
                return found
        reading = await self._with_subtitles(reading, road, wish.form, deadline)
        found = _response(reading, road, received_bytes=self._reader.size(page))
        if reading.fault is None:
            self._keep(wish.form, found)
        return found

    async def _read(self, page: Page, form: Form, deadline: Deadline) -> FetchedPage:
        if self._rendering:
            return await self._rendering.read(page, form, deadline, self._reader)
        document = await self._reader.read(page, form, deadline, max_bytes=self._options.max_bytes)
        return FetchedPage(page=page, document=document)

    async def _with_subtitles(
        self, reading: FetchedPage, road: list[Target], form: Form, deadline: Deadline
    ) -> FetchedPage:
        """Return ``reading`` with what is said in its video behind the text, if that can be had."""
        document = reading.document
        if document is None or not document.subtitles:
            return reading
        try:
            # A page is not given up for them.
            async with asyncio.timeout(deadline.left() / 2):
                track = await self._ask([*road, read(document.subtitles[0])], deadline)
                said = await self._reader.read(
                    track, form, deadline, max_bytes=self._options.max_bytes
                )
        except (SearchFailed, InvalidInput, TimeoutError) as error:
            log.info("subtitles were not read: %r", error)
            return reading
        if said.method != "subtitles":
            return reading
        return structs.replace(reading, document=join_subtitles(document, said))

    async def _ask(self, road: list[Target], deadline: Deadline) -> Page:
        """Ask for the last of ``road``; only the first page of a host waits its turn."""
        target = road[-1]
        is_new = all(target.host != seen.host for seen in road[:-1])
        if self._permissions:
            await self._permissions.check(target, deadline)
        return await self._journey.ask(
            target, deadline, max_bytes=self._options.max_bytes, politely=is_new
        )

    def _look_up(self, key: str, form: Form) -> FetchResponse | None:
        kept = self._cache.get(key, form)
        return structs.replace(kept, cache_hit=True) if kept else None

    def _keep(self, form: Form, page: FetchResponse) -> None:
        keys = map(without_tracking, (page.url, *page.redirects))
        self._cache.put(keys, form, structs.replace(page, cache_hit=False))


def _response(reading: FetchedPage, road: list[Target], *, received_bytes: int) -> FetchResponse:
    document, page = reading.document, reading.page
    if document is None or not document.text:
        raise WebParseError(
            "The page has no text that can be read; it may need JavaScript.",
            detail_code="no_text",
            page=page,
            values={"case": "page"},
        )
    degraded = (*document.degraded, *((reading.fault,) if reading.fault else ()))
    for library in degraded:
        if library.repair:
            _warn(library)
    canonical = without_user(document.canonical_url or "")
    return FetchResponse(
        url=road[0].url,
        final_url=road[-1].url,
        status_code=page.status,
        content_type=page.headers.get("content-type", ""),
        text=document.text,
        pages=document.pages,
        truncated=page.truncated or document.is_cut,
        title=plain_line(encodable(document.title or "")),
        site_name=plain_line(encodable(document.site_name or "")) or None,
        author=plain_line(encodable(document.author or "")) or None,
        published_at=document.published_at,
        published_in=document.published_in,
        updated_at=document.updated_at,
        updated_in=document.updated_in,
        license=plain_line(encodable(document.license or "")) or None,
        license_in=document.license_in,
        language=document.language,
        canonical_url=canonical if is_web(canonical) else None,
        extraction_method=document.method,
        degraded=degraded,
        rendered=reading.is_rendered,
        redirects=_redirects(road),
        received_bytes=received_bytes,
    )


def _redirects(road: list[Target]) -> tuple[str, ...]:
    return tuple(target.url for target in road[1:])


@cache
def _warn(library: Fault) -> None:
    """Say once a process that pages are read worse than they could be."""
    log.warning(
        "pages are read without their best reading: %s. %s",
        library,
        library.repair,
        extra=for_people(lambda say: say("log.reading", reason=library.explain(say))),
    )
