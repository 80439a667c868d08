"""Whether an engine may be asked now: a limit of calls per minute and a circuit breaker."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from citeseek.concurrency.admission import SlidingWindow
from citeseek.errors import SearchFailed, Timeout, WebBlocked
from citeseek.searching.breaker import Breaker, BreakerRecord, BreakerState, Clock

T = TypeVar("T")


class EngineLimits:
    """The rate limits and breakers of all upstreams, by what this process knows of them.

    See :class:`Limits` for what each method does; :class:`SharedLimits` asks other processes.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.own = limits or Limits()

    def clock(self) -> float:
        """Return the seconds by which calls are told to have begun."""
        return self.own.clock()

    async def admit(
        self, upstream: str, per_minute: int | None, *, alone: bool = False, retry: bool = False
    ) -> float:
        """Return the seconds to wait, 0.0 for now; raise the breaker's refusal."""
        return await self._admit(
            upstream,
            lambda limits: limits.admit(upstream, per_minute, alone=alone, retry=retry),
            changes_nothing=per_minute is None,
        )

    async def record(
        self,
        upstream: str,
        error: SearchFailed | None,
        *,
        began: float | None = None,
        in_full: bool = True,
    ) -> None:
        """Learn from a call that was admitted."""
        await self._take(
            upstream,
            lambda limits: limits.record(upstream, error, began=began, in_full=in_full),
            changes_nothing=error is None,
        )

    async def give_back(self, upstream: str, *, began: float) -> None:
        """Forget a call that was admitted."""
        await self._take(
            upstream, lambda limits: limits.give_back(upstream, began=began), changes_nothing=True
        )

    async def close(self, upstream: str) -> None:
        """Let calls through at once."""
        await self._take(upstream, lambda limits: limits.close(upstream))

    async def refresh(self, upstreams: Sequence[str]) -> None:
        """Learn how upstreams stand for all: this process knows of no other."""

    def state(self) -> dict[str, EngineState]:
        """Return how each upstream that this process asked stood when it last heard of it."""
        return self.own.state()

    async def _admit(
        self, upstream: str, step: Callable[[Limits], float], *, changes_nothing: bool
    ) -> float:
        return await self._take(upstream, step, changes_nothing=changes_nothing) or 0.0

    async def _take(
        self,
        upstream: str,  # noqa: ARG002 - who shares it reads what others know of it
        step: Callable[[Limits], T],
        *,
        changes_nothing: bool = False,  # noqa: ARG002 - likewise
    ) -> T | None:
        """Take ``step`` and return its result.

        Where it ``changes_nothing`` of an engine that is well and has no limit, it may be left out.
        """
        return step(self.own)


# Whoever searches with keys of others has an entry for each.
MAX_UPSTREAMS = 1_024
# Errors of calls that were not sent.
NOT_SENT = frozenset({"key_missing", "rate_limited_here", "budget_requests", "budget_bytes"})


class EngineState(msgspec.Struct, frozen=True):
    """How an engine stands: see the properties of :class:`Breaker`."""

    state: BreakerState
    opened_by: str
    seconds_left: float


class UpstreamRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of one upstream: its breaker, the limit a minute, and when calls went."""

    breaker: BreakerRecord = msgspec.field(default_factory=BreakerRecord)
    most: int | None = None
    events: tuple[float, ...] = ()


class Limits:
    """The rate limit and the breaker of every upstream: an engine at an address, with an account.

    Each method is one step for all threads: two calls never take the same slot or the same probe.
    """

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        # Of so many processes that ask without knowing of each other each has its share.
        self.processes = 1
        # Least recently used first.
        self._upstreams: OrderedDict[str, _Upstream] = OrderedDict()
        self._lock = threading.Lock()

    def admit(
        self,
        upstream: str,
        per_minute: int | None,
        *,
        alone: bool = False,
        retry: bool = False,
    ) -> float:
        """Return 0.0 and count the call when it may be sent now, else the seconds to wait.

        Whoever waits asks again: another call may have been quicker. ``per_minute`` is the rate
        limit (1 or more), None for no limit; a changed one starts to count afresh. A call counts
        until a minute after its end, so that the engine never gets more of them in a minute,
        however long each is under way. Raise the breaker's refusal while the engine is left alone;
        for less time where it is asked ``alone``.
        A ``retry`` that a person asks for always goes.
        """
        with self._lock:
            standing = self._standing(upstream)
            breaker = standing.breaker
            if not retry and (refusal := breaker.refusal(upstream, alone=alone)):
                raise refusal
            if per_minute is not None:
                per_minute = math.ceil(per_minute / self.processes)
                rate = standing.rate
                if rate is None or rate.most != per_minute:
                    rate = standing.rate = SlidingWindow(per_minute, clock=self.clock)
                if not retry and (wait := rate.delay()):
                    return wait
                rate.take()
            breaker.take()
            return 0.0

    def record(
        self,
        upstream: str,
        error: SearchFailed | None,
        *,
        began: float | None = None,
        in_full: bool = True,
    ) -> None:
        """Learn from a call that was admitted: its ``error``, or None when it succeeded.

        ``began`` is when it was admitted, by :attr:`clock`. A call that had less than the usual
        time was not ``in_full``: that its time ran out tells nothing.
        """
        with self._lock:
            standing = self._standing(upstream)
            breaker = standing.breaker
            standing.end(began)
            if error is None:
                breaker.close()
            elif _says_nothing(error, in_full=in_full):
                breaker.give_back(self.clock() if began is None else began)
            else:
                breaker.record_failure(error, began)

    def give_back(self, upstream: str, *, began: float) -> None:
        """Learn nothing from a call that was admitted at ``began``: nobody will tell of it."""
        with self._lock:
            standing = self._standing(upstream)
            standing.end(began)
            standing.breaker.give_back(began)

    def close(self, upstream: str) -> None:
        """Let calls through at once: somebody found the engine well."""
        with self._lock:
            self._standing(upstream).breaker.close()

    def record_of(self, upstream: str) -> UpstreamRecord:
        """Return all that is known of ``upstream``, for another's :meth:`restore`."""
        with self._lock:
            standing = self._standing(upstream)
            rate = standing.rate
            return UpstreamRecord(
                breaker=standing.breaker.record,
                most=rate.most if rate else None,
                events=rate.events if rate else (),
            )

    def restore(self, upstream: str, record: UpstreamRecord) -> None:
        """Know of ``upstream`` what ``record`` says."""
        with self._lock:
            standing = self._standing(upstream)
            standing.breaker.record = record.breaker
            standing.rate = None
            if record.most:
                standing.rate = SlidingWindow(record.most, clock=self.clock, events=record.events)

    def state(self) -> dict[str, EngineState]:
        """Return how each upstream that was asked so far stands."""
        with self._lock:
            return {
                name: EngineState(breaker.state, breaker.opened_by, breaker.seconds_left)
                for name, breaker in (
                    (name, standing.breaker) for name, standing in self._upstreams.items()
                )
            }

    def _standing(self, upstream: str) -> _Upstream:
        standing = self._upstreams.get(upstream)
        if standing is None:
            standing = self._upstreams[upstream] = _Upstream(Breaker(clock=self.clock))
            if len(self._upstreams) > MAX_UPSTREAMS:
                self._upstreams.popitem(last=False)
        else:
            self._upstreams.move_to_end(upstream)
        return standing


class _Upstream(msgspec.Struct):
    breaker: Breaker
    rate: SlidingWindow | None = None

    def end(self, began: float | None) -> None:
        """Count a call that was admitted at ``began`` from now on."""
        if self.rate is not None and began is not None:
            self.rate.end(began)


def _says_nothing(error: SearchFailed, *, in_full: bool) -> bool:
    """Whether a failure is the caller's or ours: it ran out of little time, or nothing was sent."""
    if error.is_cooling or error.detail_code in NOT_SENT:
        return True
    return isinstance(error, Timeout) and not in_full


def too_many(name: str, per_minute: int, wait: float) -> WebBlocked:
    """Return the error of a call that cannot wait the ``wait`` seconds that its limit asks for."""
    seconds = math.ceil(wait)
    return WebBlocked(
        f"The limit of {per_minute} searches per minute is reached: nothing was sent, the next may "
        f"go in {seconds} s.",
        hint=f"Wait, or raise engines.{name}.rate_per_minute.",
        engine=name,
        detail_code="rate_limited_here",
        retry_after=seconds,
        values={
            "case": "limit",
            "limit": str(per_minute),
            "seconds": str(seconds),
            "engine": name,
        },
    )
