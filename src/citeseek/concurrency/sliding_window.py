"""How often something may happen within a while."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable

MINUTE = 60.0


class SlidingWindow:
    """At most ``most`` events (1 or more) in any 60 seconds."""

    def __init__(
        self,
        most: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        events: Iterable[float] = (),
    ) -> None:
        if most < 1:
            raise ValueError("a window has room for at least one event")
        self.most = most
        self._clock = clock
        self._events: deque[float] = deque(events, maxlen=most)

    @property
    def events(self) -> tuple[float, ...]:
        """When the last ``most`` events were."""
        return tuple(self._events)

    def delay(self) -> float:
        """Return the seconds until the next event is allowed, 0.0 for now."""
        if len(self._events) < self.most:
            return 0.0
        return max(0.0, self._events[0] + MINUTE - self._clock())

    def take(self) -> None:
        """Count an event that happens now."""
        self._events.append(self._clock())
