"""Pictures of results, fetched for whoever reads: no site hears of a reader."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, MutableMapping

from citeseek import observing
from citeseek.concurrency.clock import Deadline
from citeseek.concurrency.single_flight import SingleFlight
from citeseek.errors import Timeout, WebParseError
from citeseek.fetching.options import FetchOptions
from citeseek.fetching.page_reader import status_refusal
from citeseek.fetching.picture_bytes import Picture, clean
from citeseek.fetching.politeness import Politeness
from citeseek.fetching.redirects import Journey, check_road, next_target
from citeseek.fetching.robots import KnownRules, Permissions
from citeseek.guard import Guard, Target, read
from citeseek.http.page_transport import PageTransport
from citeseek.models import Page
from citeseek.sandbox import Sandbox

MAX_BYTES = 3_000_000
SECONDS = 8.0
# Of all that are kept; the one that was not asked for longest goes first.
KEPT_BYTES = 32_000_000
_AROUND = 500
# Vector graphics may hold scripts; they are refused, and not asked for.
ACCEPT = "image/webp,image/png,image/jpeg,image/gif"


class Pictures:
    """Fetches pictures by ``options``, checked by ``guard`` and cleaned in ``sandbox``.

    A host is asked for several at once: those of one page come from one host.
    """

    def __init__(
        self,
        options: FetchOptions,
        pages: Callable[[str | None], PageTransport],
        sandbox: Sandbox,
        guard: Guard,
    ) -> None:
        from cachetools import TTLCache  # noqa: PLC0415 - not for every command

        self._journey = Journey(options, guard, pages, Politeness(0), accept=ACCEPT)
        self._permissions = (
            Permissions(self._journey, KnownRules()) if options.obeys_robots else None
        )
        self._sandbox = sandbox
        self._flights: SingleFlight[Picture] = SingleFlight()
        self._kept: MutableMapping[str, Picture] = TTLCache(
            KEPT_BYTES,
            options.ttl_minutes * 60,
            getsizeof=lambda picture: len(picture.body) + _AROUND,
        )
        self._lock = threading.Lock()

    async def fetch(self, url: str) -> Picture:
        """Return the picture at ``url``; raise InvalidInput or SearchFailed."""
        target = read(url)
        with self._lock:
            kept = self._kept.get(target.url)
        return kept or await self._flights.run(target.url, lambda: self._in_time(target))

    def clear(self) -> None:
        """Forget the kept pictures."""
        with self._lock:
            self._kept.clear()

    async def _in_time(self, target: Target) -> Picture:
        try:
            async with asyncio.timeout(SECONDS):
                page = await self._ask(target, Deadline.after(SECONDS))
                if page.truncated:
                    raise WebParseError(
                        f"The picture is larger than {MAX_BYTES:,} bytes.", detail_code="too_large"
                    )
                picture = await self._sandbox.run(clean, body=page.body)
        except (TimeoutError, Timeout):
            raise Timeout(
                f"No complete picture within {SECONDS:g} s.",
                hint="Try again.",
                values={"case": "picture", "seconds": f"{SECONDS:g}"},
            ) from None
        with self._lock:
            self._kept[target.url] = picture
        return picture

    async def _ask(self, target: Target, deadline: Deadline) -> Page:
        road = [target]
        while True:
            if self._permissions:
                await self._permissions.check(road[-1], deadline)
            page = await self._journey.ask(road[-1], deadline, max_bytes=MAX_BYTES, politely=False)
            ahead = next_target(page)
            if ahead is None:
                break
            check_road(road, ahead)
            observing.follow_redirect(road[-1].url, ahead.url)
            road.append(ahead)
        if refusal := status_refusal(page):
            raise refusal
        return page
