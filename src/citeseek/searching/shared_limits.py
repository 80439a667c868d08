"""Rate limits and breakers that all processes at one Valkey keep together.

The rules are those of :class:`Limits`. What it knows of an upstream is read with the server's
clock, changed here, and written back where nobody else has changed it meanwhile; else the step is
taken anew.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
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

    async def admit(
        self, upstream: str, per_minute: int | None, *, alone: bool = False, retry: bool = False
    ) -> float:
        """Return the seconds to wait, 0.0 for now; raise the breaker's refusal."""
        if per_minute is None and self._is_quiet(upstream):
            return 0.0
        try:
            await self._valkey.count_processes()
            return await self._change(
                upstream,
                lambda limits: limits.admit(upstream, per_minute, alone=alone, retry=retry),
            )
        except Gone:
            share = per_minute and math.ceil(per_minute / self._valkey.processes)
            return self.own.admit(upstream, share, alone=alone, retry=retry)

    async def record(
        self,
        upstream: str,
        error: SearchFailed | None,
        *,
        began: float | None = None,
        in_full: bool = True,
    ) -> None:
        """Learn from a call that was admitted."""
        if error is None and self._is_quiet(upstream):
            return
        await self._tell(
            upstream, lambda limits: limits.record(upstream, error, began=began, in_full=in_full)
        )

    async def give_back(self, upstream: str, *, began: float) -> None:
        """Forget a call that was admitted."""
        if not self._is_quiet(upstream):
            await self._tell(upstream, lambda limits: limits.give_back(upstream, began=began))

    async def close(self, upstream: str) -> None:
        """Let calls through at once."""
        await self._tell(upstream, lambda limits: limits.close(upstream))

    def _is_quiet(self, upstream: str) -> bool:
        """Return whether nothing was wrong with ``upstream`` a moment ago, nor is now known to."""
        known_at = self._known_at.get(upstream, -math.inf)
        if time.monotonic() > known_at + BELIEVED_SECONDS:
            return False
        breaker = self.own.record_of(upstream).breaker
        return breaker.cause is None and not breaker.in_a_row and not breaker.cool_downs

    async def _tell(self, upstream: str, step: Callable[[Limits], None]) -> None:
        try:
            await self._change(upstream, step)
        except Gone:
            step(self.own)

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
