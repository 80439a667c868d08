"""Which pages a site's robots.txt leaves to programs, asked for once an hour."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from citeseek import trace
from citeseek.errors import SearchFailed, WebBlocked
from citeseek.fetching.journey import MAX_REDIRECTS, Deadline, Journey, next_target
from citeseek.fetching.robots import EVERYTHING, MAX_BYTES, NOTHING, Robots, parse
from citeseek.guard import Target, read
from citeseek.http.pages import Answer
from citeseek.judge import SERVER_ERRORS

SECONDS = 3600.0
# What could not be had is tried again sooner.
FAILED_SECONDS = 60.0
_MANY = 1_000
_OK = range(200, 300)


class Permissions:
    """Rules by origin; without an answer of the site everything is closed (RFC 9309)."""

    def __init__(self, journey: Journey, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._journey = journey
        self._clock = clock
        self._known: dict[str, tuple[float, Robots]] = {}
        self._lock = threading.Lock()

    async def check(self, target: Target, deadline: Deadline) -> None:
        """Raise WebBlocked (``robots_txt``) when ``target`` is closed to programs."""
        origin = f"{target.scheme}://{target.host}:{target.port}"
        with self._lock:
            until, rules = self._known.get(origin, (0.0, EVERYTHING))
        known = trace.drawn("robots", rules if until > self._clock() else None, Robots | None)
        if known is not None:
            rules = known
        else:
            rules, seconds = await self._asked(origin, deadline)
            with self._lock:
                if len(self._known) >= _MANY:
                    self._known.clear()
                self._known[origin] = (self._clock() + seconds, rules)
        if not rules.allow(target.url):
            raise WebBlocked(
                "The site's robots.txt closes this page to programs.",
                hint="web.fetch.robots decides whether it is asked.",
                detail_code="robots_txt",
            )

    async def _asked(self, origin: str, deadline: Deadline) -> tuple[Robots, float]:
        try:
            answer = await self._arrived(read(f"{origin}/robots.txt"), deadline)
        except SearchFailed as error:
            if error.detail_code == "ssrf_blocked":
                raise
            return NOTHING, FAILED_SECONDS
        if answer.page.status in SERVER_ERRORS:
            return NOTHING, FAILED_SECONDS
        if answer.page.status not in _OK:
            return EVERYTHING, SECONDS
        return parse(answer.page.body), SECONDS

    async def _arrived(self, target: Target, deadline: Deadline) -> Answer:
        for _ in range(MAX_REDIRECTS):
            answer = await self._journey.ask(target, deadline, max_bytes=MAX_BYTES, politely=False)
            ahead = next_target(answer)
            if ahead is None:
                return answer
            target = ahead
        return answer
