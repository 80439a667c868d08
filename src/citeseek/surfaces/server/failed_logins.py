"""How often a token may be guessed."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict

from citeseek.concurrency.sliding_window import SlidingWindow
from citeseek.surfaces.server.connections import source_of
from citeseek.surfaces.server.login_cookie import Clock

MOST = 10
# Sources beyond these are forgotten, the one that was quiet for longest first.
MAX_SOURCES = 10_000
# A guess too many is answered so late, as long as not too many are waiting.
DELAY_SECONDS = 1.0
MAX_DELAYED = 64


class Tries:
    """Wrong tries: of each address 10 a minute, and beyond them late ones.

    The right token is never asked about here, so that nobody is kept out by what others guess, not
    even from the same address: behind a proxy all have one.
    """

    def __init__(self, now: Clock = time.monotonic) -> None:
        self._now = now
        self._failed: OrderedDict[str, SlidingWindow] = OrderedDict()
        self._delayed = 0

    async def fail(self, address: str) -> int:
        """Count a wrong try; return 0, or after a while the seconds in which there were too many.

        ``address`` is where it came from.
        """
        wait = self.count(address)
        if wait and self._delayed < MAX_DELAYED:
            self._delayed += 1
            try:
                await asyncio.sleep(DELAY_SECONDS)
            finally:
                self._delayed -= 1
        return wait

    def count(self, address: str) -> int:
        """Count a wrong try; return 0, or the seconds until the next one is answered as such."""
        source = source_of(address)
        failed = self._failed.pop(source, None) or SlidingWindow(MOST, clock=self._now)
        self._failed[source] = failed
        if len(self._failed) > MAX_SOURCES:
            self._failed.popitem(last=False)
        if wait := failed.delay():
            return math.ceil(wait)
        failed.take()
        return 0
