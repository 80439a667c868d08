"""The requests that came, readable and awaitable from any thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .signals import Signal

if TYPE_CHECKING:
    from .messages import Request


class RequestLog(list["Request"]):
    """A list of :class:`Request` in the order of arrival.

    Read it like any list, ``clear()`` it between steps, and wait for arrivals with
    ``requests.reach(2).wait()`` or ``await requests.reach(2)``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._waiting: list[tuple[int, Signal]] = []

    def record(self, request: Request) -> None:
        """Append ``request`` and wake who waits for it."""
        with self._lock:
            self.append(request)
            for count, signal in self._waiting:
                if len(self) >= count:
                    signal.set()

    def reach(self, count: int) -> Signal:
        """Return a signal that is set once there are ``count`` requests."""
        signal = Signal()
        with self._lock:
            if len(self) >= count:
                signal.set()
            else:
                self._waiting.append((count, signal))
        return signal
