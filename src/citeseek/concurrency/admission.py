"""How much of a kind may be under way at a time, and how often something may happen in a minute."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from citeseek.errors import Busy
from citeseek.text import how_many

RETRY_SECONDS = 5.0
# Who waits until nothing is under way looks so often.
_LOOK_SECONDS = 0.05


class Places:
    """Room for ``most`` things of a kind at the same time, each of which is a ``report``, say.

    ``setting`` is the name of the setting that ``most`` comes from; ``hint`` says what else those
    can do who find no room.
    """

    def __init__(self, most: int, kind: str, setting: str, *, hint: str = "") -> None:
        self.most = most
        self._kind = kind
        self._setting = setting
        self._hint = hint or f"Try again in a moment, or raise {setting}."
        self._is_closed = False
        self.taken = 0

    def take(self) -> None:
        """Take a place; raise Busy when there is none, or none is given any more."""
        self.check_open()
        if self.taken >= self.most:
            raise Busy(
                f"No more than {how_many(self.most, self._kind)} at a time.",
                hint=self._hint,
                detail_code=f"too_many_{self._kind}s",
                retry_after=RETRY_SECONDS,
                values={"case": "at_a_time", "most": str(self.most), "setting": self._setting},
            )
        self.taken += 1

    def leave(self) -> None:
        """Give the place to somebody else."""
        self.taken -= 1

    def check_open(self) -> None:
        """Raise Busy where no place is given any more."""
        if self._is_closed:
            raise Busy(
                "The server is about to stop.",
                hint="Try again when it runs again.",
                detail_code="stopping",
                retry_after=RETRY_SECONDS,
                values={"case": "about_to_stop"},
            )

    def close(self) -> None:
        """Give no place any more; those that are taken stay so."""
        self._is_closed = True

    async def all_left(self) -> None:
        """Return when no place is taken."""
        while self.taken:  # noqa: ASYNC110 - some are left in other threads than the event loop's
            await asyncio.sleep(_LOOK_SECONDS)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Hold a place; raise Busy when there is none."""
        self.take()
        try:
            yield
        finally:
            self.leave()


MINUTE = 60.0


class SlidingWindow:
    """At most ``most`` events (1 or more) in any 60 seconds.

    What takes a while, such as a call, may tell its :meth:`end`: somewhere between its beginning
    and its end it arrived, so that others count it from where it ended.
    """

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
        """When the last ``most`` events were, or ended; they ascend."""
        return tuple(self._events)

    def delay(self) -> float:
        """Return the seconds until the next event is allowed, 0.0 for now."""
        if len(self._events) < self.most:
            return 0.0
        return max(0.0, self._events[0] + MINUTE - self._clock())

    def take(self) -> None:
        """Count an event that happens now."""
        self._events.append(self._clock())

    def end(self, began: float) -> None:
        """Count an event that was taken at ``began``, or a little before, as one that is now."""
        under_way = bisect_right(self._events, began) - 1
        if under_way >= 0:
            del self._events[under_way]
            self._events.append(self._clock())


class SlidingWindows:
    """At most ``most`` events in any 60 seconds for each key.

    Of more than ``max_keys`` keys the one that was quiet for longest is forgotten.
    """

    def __init__(
        self, most: int, max_keys: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._max_keys, self._clock = most, max_keys, clock
        self._windows: OrderedDict[str, SlidingWindow] = OrderedDict()

    def take(self, key: str) -> float:
        """Count an event of ``key``, or return the seconds until one is allowed; 0.0: counted."""
        window = self._windows.pop(key, None) or SlidingWindow(self._most, clock=self._clock)
        self._windows[key] = window
        if len(self._windows) > self._max_keys:
            self._windows.popitem(last=False)
        if wait := window.delay():
            return wait
        window.take()
        return 0.0
