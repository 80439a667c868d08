"""Rate limits and breakers that all processes at one Valkey keep together.

The rules are those of :class:`Limits`. What it knows of an upstream is read with the server's
clock, changed here, and written back where nobody else has changed it meanwhile; else the step is
taken anew.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

from citeseek.errors import SearchFailed
from citeseek.searching.breaker import DAY, HOUR
from citeseek.searching.engine_limits import EngineLimits, Limits, UpstreamRecord
from citeseek.searching.recorded_search import RecordedLimits
from citeseek.shared_state.valkey import Gone, Valkey

T = TypeVar("T")

# What is known here of a breaker is believed for so long.
BELIEVED_SECONDS = 1.0
# Longer than anything in a record counts.
KEPT_SECONDS = int(DAY + HOUR)
_MICROSECOND = 1e-6


class SharedLimits(EngineLimits):
    """The limits of all processes at ``valkey``.

    Without it each process goes on with what it knew, and with its share of the calls a minute.
    """

    def __init__(self, valkey: Valkey) -> None:
        # What this process knows counts for a moment, and while the server is gone.
        super().__init__(Limits(clock=self.clock))
        self._valkey = valkey
        self._known_at: dict[str, float] = {}
        # What must be added to the clock of this machine for that of the server.
        self._ahead = time.time() - time.monotonic()

    def clock(self) -> float:
        """Return the seconds of the server's clock, as far as they are known."""
        return time.monotonic() + self._ahead

    async def _admit(
        self, upstream: str, step: Callable[[Limits], float], *, changes_nothing: bool
    ) -> float:
        if not (changes_nothing and self._is_quiet(upstream)):
            with suppress(Gone):
                await self._valkey.count_processes()
        return await super()._admit(upstream, step, changes_nothing=changes_nothing)

    async def _take(
        self, upstream: str, step: Callable[[Limits], T], *, changes_nothing: bool = False
    ) -> T | None:
        if changes_nothing and self._is_quiet(upstream):
            return None
        try:
            return await self._change(upstream, step)
        except Gone:
            self.own.processes = self._valkey.processes
            return step(self.own)

    async def refresh(self, upstreams: Sequence[str]) -> None:
        """Learn how upstreams stand for all; without the server nothing is learnt."""
        with suppress(Gone):
            for upstream in upstreams:
                known, *_ = await self._valkey.run("read_at", f"limits:{upstream}")
                if known:
                    record = msgspec.msgpack.decode(known, type=UpstreamRecord)
                    self.own.restore(upstream, record)

    def _is_quiet(self, upstream: str) -> bool:
        """Return whether ``upstream`` was well a moment ago, as far as is known, with no limit."""
        known_at = self._known_at.get(upstream, -math.inf)
        if time.monotonic() > known_at + BELIEVED_SECONDS:
            return False
        record = self.own.record_of(upstream)
        breaker = record.breaker
        return (
            record.most is None
            and breaker.cause is None
            and not breaker.in_a_row
            and not breaker.cool_downs
        )

    async def _change(self, upstream: str, step: Callable[[Limits], T]) -> T:
        """Take ``step`` with what all processes know of ``upstream``; raise Gone, or its error."""
        key = f"limits:{upstream}"
        while True:
            before, seconds, micros = await self._valkey.run("read_at", key)
            now = int(seconds) + int(micros) * _MICROSECOND
            self._ahead = now - time.monotonic()
            limits = Limits(clock=lambda: now)  # noqa: B023 - used within the turn
            if before:
                limits.restore(upstream, msgspec.msgpack.decode(before, type=UpstreamRecord))
            try:
                result: T | None = step(limits)
                refusal = None
            except SearchFailed as error:
                result, refusal = None, error
            record = limits.record_of(upstream)
            after = msgspec.msgpack.encode(record)
            if after == before or await self._valkey.run(
                "replace", key, before or b"", after, KEPT_SECONDS
            ):
                self.own.restore(upstream, record)
                self._known_at[upstream] = time.monotonic()
                if refusal is not None:
                    raise refusal
                return result  # type: ignore[return-value]


class RecordedSharedLimits(RecordedLimits, SharedLimits):
    """Shared limits whose refusals and waits are those of then where a call is played back."""
