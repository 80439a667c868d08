"""One deadline for everything that a call does."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec


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
