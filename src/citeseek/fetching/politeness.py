"""Politeness: pages of one host are asked for one after the other, with a pause between."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

_MANY = 1_000


class Politeness:
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
        # When each host may be asked again, and who waits for it, in the order of coming.
        self._free: dict[str, float] = {}
        self._queues: dict[str, list[object]] = {}
        self._lock = threading.Lock()

    async def turn(self, host: str) -> None:
        """Wait until ``host`` may be asked; who stops waiting leaves no gap."""
        if self._seconds <= 0:
            return
        ticket = self._enter(host)
        try:
            while (wait := self._wait(host, ticket)) > 0:
                # Those in front may leave: where one stands is looked up again at every turn.
                await self._sleep(min(wait, self._seconds))
        finally:
            self._leave(host, ticket)

    def _enter(self, host: str) -> object:
        ticket = object()
        with self._lock:
            self._queues.setdefault(host, []).append(ticket)
        return ticket

    def _leave(self, host: str, ticket: object) -> None:
        with self._lock:
            queue = self._queues[host]
            queue.remove(ticket)
            if not queue:
                del self._queues[host]

    def _wait(self, host: str, ticket: object) -> float:
        """Return how long to wait as things stand; 0 takes the turn."""
        with self._lock:
            now = self._clock()
            ahead = self._queues[host].index(ticket)
            left = self._free.get(host, now) + ahead * self._seconds - now
            if left > 0 or ahead:
                # A first one that is late in waking is waited for in small steps.
                return max(left, self._seconds / 10)
            if len(self._free) > _MANY:
                self._free = {name: at for name, at in self._free.items() if at > now}
            self._free[host] = now + self._seconds
            return 0.0
