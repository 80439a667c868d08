"""Politeness: pages of one host are asked for one after the other, with a pause between."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

_MANY = 1_000


class Pace:
    """Hands out the moments at which a host may be asked; event loops may share one."""

    def __init__(
        self,
        seconds: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._sleep = sleep
        self._free: dict[str, float] = {}
        self._lock = threading.Lock()

    async def turn(self, host: str) -> None:
        """Wait until ``host`` may be asked."""
        if self._seconds <= 0:
            return
        wait = self._taken(host)
        if wait > 0:
            await self._sleep(wait)

    def _taken(self, host: str) -> float:
        with self._lock:
            now = self._clock()
            if len(self._free) > _MANY:
                self._free = {name: at for name, at in self._free.items() if at > now}
            at = max(now, self._free.get(host, now))
            self._free[host] = at + self._seconds
            return at - now
