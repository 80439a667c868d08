"""The clock of a call: how long things take, and when everything must be over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import msgspec


class Clock:
    """Counts seconds that only grow, and waits."""

    def now(self) -> float:
        """Return the seconds since some moment."""
        return time.perf_counter()

    def seconds_since(self, began: float) -> float:
        """Return the seconds since ``began``."""
        return self.now() - began

    def took_ms(self, began: float) -> int:
        """Return the milliseconds since ``began``, for people to read."""
        return self.in_ms(self.now() - began)

    def in_ms(self, seconds: float) -> int:
        """Return ``seconds`` that were measured, in milliseconds."""
        return round(seconds * 1000)

    def time(self) -> float:
        """Return the time of day, as Unix seconds."""
        return time.time()

    def limit(self, seconds: float | None) -> float | None:
        """Return how long a call may take that has ``seconds``; None is as long as it likes."""
        return seconds

    async def sleep(self, seconds: float) -> None:
        """Wait for ``seconds``."""
        await asyncio.sleep(seconds)


class Deadline(msgspec.Struct, frozen=True):
    """When a call must be over: ``at`` by ``clock``, which is monotonic and counts seconds."""

    at: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Deadline:
        """Return the deadline in ``seconds`` from now."""
        return cls(clock() + seconds, clock)

    def left(self) -> float:
        """Return the seconds that are left; raise TimeoutError when there are none."""
        left = self.at - self.clock()
        if left <= 0:
            raise TimeoutError
        return left
