"""Caches of answers behind one interface.

L1 lives as long as a session and holds 20 answers; L2 lives in the process and forgets answers
after a time to live. Only successful answers are stored.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Protocol

from citeseek.models import SearchResponse

SESSION_ENTRIES = 20
PROCESS_ENTRIES = 256


class Cache(Protocol):
    """Somewhere to keep answers."""

    async def get(self, key: Hashable) -> SearchResponse | None:
        """Return the answer stored under ``key`` while it is valid, else None."""
        ...

    async def put(self, key: Hashable, response: SearchResponse) -> None:
        """Store ``response`` under ``key``."""
        ...

    async def once(
        self, key: Hashable, how: Hashable, search: Callable[[], Awaitable[SearchResponse]]
    ) -> SearchResponse:
        """Return what ``search`` gives, or what another process with this cache gets.

        ``search`` stores under ``key``; only those who search alike, which ``how`` says, share one.
        """
        ...

    def close(self) -> None:
        """Give back what the cache holds open."""
        ...


class CacheOfOneProcess:
    """Lets every search be made."""

    async def once(
        self, key: Hashable, how: Hashable, search: Callable[[], Awaitable[SearchResponse]]
    ) -> SearchResponse:
        """Return what ``search`` gives: no other process has this cache."""
        del key, how
        return await search()


class NoCache(CacheOfOneProcess):
    """Keeps nothing."""

    async def get(self, key: Hashable) -> None:
        """Return None."""

    async def put(self, key: Hashable, response: SearchResponse) -> None:
        """Forget ``response``."""

    def close(self) -> None:
        """Do nothing: nothing is open."""


class MemoryCache(CacheOfOneProcess):
    """Least recently used out first, and with ``ttl`` (seconds) also by age.

    Event loops in different threads may share one.
    """

    def __init__(
        self,
        entries: int,
        *,
        ttl: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._entries = entries
        self._ttl = ttl
        self._clock = clock
        # Each answer with the time when it is too old, least recently used first.
        self._answers: OrderedDict[Hashable, tuple[float, SearchResponse]] = OrderedDict()
        # Even reading changes the order of use. Nobody awaits while holding it.
        self._lock = threading.Lock()

    async def get(self, key: Hashable) -> SearchResponse | None:
        """Return the answer under ``key`` and count it as used."""
        with self._lock:
            until, response = self._answers.get(key, (0.0, None))
            if response is not None and until <= self._clock():
                del self._answers[key]
                return None
            if response is not None:
                self._answers.move_to_end(key)
            return response

    async def put(self, key: Hashable, response: SearchResponse) -> None:
        """Store ``response``, pushing out the least recently used answer when full."""
        until = math.inf if self._ttl is None else self._clock() + self._ttl
        with self._lock:
            self._answers[key] = (until, response)
            self._answers.move_to_end(key)
            if len(self._answers) > self._entries:
                self._answers.popitem(last=False)

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._answers.clear()

    def __len__(self) -> int:
        with self._lock:
            return len(self._answers)


def session_cache() -> MemoryCache:
    """Return an L1 cache: no time limit, the 20 most recently used answers."""
    return MemoryCache(SESSION_ENTRIES)
