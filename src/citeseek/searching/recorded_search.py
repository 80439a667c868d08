"""What a search gets from outside of it, as a trace writes it down and gives it back.

Each class is the real one, which a client installs once; where nothing is recorded it costs a look.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import TypeVar

import msgspec

from citeseek import trace
from citeseek.concurrency.clock import Clock
from citeseek.concurrency.single_flight import SingleFlight
from citeseek.engine import SearchEngine
from citeseek.models import Hit, SearchResponse
from citeseek.observing.receipt import EgressReceipt, Ledger
from citeseek.query import Query
from citeseek.searching import plain_engine
from citeseek.searching.cache import Cache
from citeseek.searching.engine_limits import EngineLimits, Limits

T = TypeVar("T")


class RecordedCache(msgspec.Struct, frozen=True):
    """The cache ``inner``."""

    inner: Cache

    async def get(self, key: Hashable) -> SearchResponse | None:
        """Return what is kept under ``key``, or was then."""
        return trace.draw("cached", await self.inner.get(key), SearchResponse | None)

    async def put(self, key: Hashable, response: SearchResponse) -> None:
        """Keep ``response``."""
        await self.inner.put(key, response)

    async def once(
        self, key: Hashable, how: Hashable, search: Callable[[], Awaitable[SearchResponse]]
    ) -> SearchResponse:
        """Return what ``search`` gives, or what another process got then."""
        return await trace.share(partial(self.inner.once, key, how), search, SearchResponse)

    def close(self) -> None:
        """Close ``inner``."""
        self.inner.close()


class RecordedLimits(EngineLimits):
    """Limits whose refusals and waits are those of then."""

    async def _admit(
        self, upstream: str, step: Callable[[Limits], float], *, changes_nothing: bool
    ) -> float:
        admit = partial(super()._admit, upstream, step, changes_nothing=changes_nothing)
        return await trace.ask("admitted", admit, float)


class RecordedFlights(SingleFlight[T]):
    """Flights whose answers are of the type ``kind``; what others had begun is written down."""

    def __init__(self, kind: type[T]) -> None:
        super().__init__()
        self._kind = kind

    async def run(self, key: Hashable, search: Callable[[], Awaitable[T]]) -> T:
        """Return the result of ``search``, or that of an equal search."""
        return await trace.share(partial(super().run, key), search, self._kind)


class RecordedClock(Clock):
    """A clock that shows what it showed then; at a replay nobody waits."""

    def seconds_since(self, began: float) -> float:
        """Return the seconds that were spent."""
        return trace.draw("seconds_spent", super().seconds_since(began), float)

    def took_ms(self, began: float) -> int:
        """Return the milliseconds that it took."""
        return trace.measure("took_ms", super().took_ms(began))

    def limit(self, seconds: float | None) -> float | None:
        """Return the limit; at a replay time runs out only where it did."""
        return trace.deadline(seconds)

    async def sleep(self, seconds: float) -> None:
        """Wait for a turn."""
        await trace.sleep("turn", partial(super().sleep, seconds))


async def ask(engine: SearchEngine, query: Query, *, name: str, key: str | None) -> list[Hit]:
    """Ask a plain engine, which nobody need have at a replay."""
    asked = partial(plain_engine.ask, engine, query, name=name, key=key)
    return await trace.ask("hits", asked, list[Hit])


class RecordedLedger(Ledger):
    """A ledger whose receipt is the one of then."""

    def receipt(self) -> EgressReceipt:
        """Return what was added up until now, or was then."""
        return trace.draw("egress", super().receipt(), EgressReceipt)
