"""What a search gets from outside of it, as a trace writes it down and gives it back.

Each class is the real one, which a client installs once; where nothing is recorded it costs a look.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec

from citeseek import trace
from citeseek.concurrency.clock import Clock
from citeseek.concurrency.single_flight import SingleFlight
from citeseek.engine import SearchEngine
from citeseek.errors import SearchFailed
from citeseek.models import Hit, SearchResponse
from citeseek.query import Query
from citeseek.searching import plain_engine
from citeseek.searching.cache import Cache
from citeseek.searching.engine_limits import EngineLimits, OwnLimits
from citeseek.searching.limits import EngineState

if TYPE_CHECKING:
    from citeseek.shared_state.valkey import Valkey

T = TypeVar("T")


class RecordedCache(msgspec.Struct, frozen=True):
    """The cache ``inner``."""

    inner: Cache

    async def get(self, key: Hashable) -> SearchResponse | None:
        """Return what is kept under ``key``, or was then."""
        return trace.drawn("cached", await self.inner.get(key), SearchResponse | None)

    async def put(self, key: Hashable, response: SearchResponse) -> None:
        """Keep ``response``."""
        await self.inner.put(key, response)

    async def once(
        self, key: Hashable, search: Callable[[], Awaitable[SearchResponse]]
    ) -> SearchResponse:
        """Return what ``search`` gives, or what another process got then."""
        return await trace.shared(partial(self.inner.once, key), search, SearchResponse)

    def close(self) -> None:
        """Close ``inner``."""
        self.inner.close()


class RecordedLimits(msgspec.Struct, frozen=True):
    """The limits ``inner``, whose refusals and waits are those of then."""

    inner: EngineLimits

    def clock(self) -> float:
        """Return the seconds of the limits' clock."""
        return self.inner.clock()

    async def admit(
        self, upstream: str, per_minute: int | None, *, alone: bool = False, retry: bool = False
    ) -> float:
        """Return the seconds to wait; raise the breaker's refusal."""
        admit = partial(self.inner.admit, upstream, per_minute, alone=alone, retry=retry)
        return await trace.answered("admitted", admit, float)

    async def record(
        self,
        upstream: str,
        error: SearchFailed | None,
        *,
        began: float | None = None,
        in_full: bool = True,
    ) -> None:
        """Learn from a call that was admitted."""
        await self.inner.record(upstream, error, began=began, in_full=in_full)

    async def give_back(self, upstream: str, *, began: float) -> None:
        """Forget a call that was admitted."""
        await self.inner.give_back(upstream, began=began)

    async def close(self, upstream: str) -> None:
        """Let calls through at once."""
        await self.inner.close(upstream)

    def state(self) -> dict[str, EngineState]:
        """Return how each upstream that was asked so far stands."""
        return self.inner.state()


def limits_of(valkey: Valkey | None) -> RecordedLimits:
    """Return the limits of all processes at ``valkey``, or without one those of this process."""
    if valkey is None:
        return RecordedLimits(OwnLimits())
    from citeseek.searching.shared_limits import SharedLimits  # noqa: PLC0415 - few share anything

    return RecordedLimits(SharedLimits(valkey))


class RecordedFlights(SingleFlight[T]):
    """Flights whose answers are of the type ``kind``; what others had begun is written down."""

    def __init__(self, kind: type[T]) -> None:
        super().__init__()
        self._kind = kind

    async def run(self, key: Hashable, search: Callable[[], Awaitable[T]]) -> T:
        """Return the result of ``search``, or that of an equal search."""
        return await trace.shared(partial(super().run, key), search, self._kind)


class RecordedClock(Clock):
    """A clock that shows what it showed then; at a replay nobody waits."""

    def spent(self, began: float) -> float:
        """Return the seconds that were spent."""
        return trace.drawn("seconds_spent", super().spent(began), float)

    def took_ms(self, began: float) -> int:
        """Return the milliseconds that it took."""
        return trace.measured("took_ms", super().took_ms(began))

    def limit(self, seconds: float | None) -> float | None:
        """Return the limit; at a replay time runs out only where it did."""
        return trace.deadline(seconds)

    async def sleep(self, seconds: float) -> None:
        """Wait for a turn."""
        await trace.slept("turn", partial(super().sleep, seconds))


async def ask(engine: SearchEngine, query: Query, *, name: str, key: str | None) -> list[Hit]:
    """Ask a plain engine, which nobody need have at a replay."""
    asked = partial(plain_engine.ask, engine, query, name=name, key=key)
    return await trace.answered("hits", asked, list[Hit])
