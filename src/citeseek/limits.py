"""Leaving engines alone when they ask for it: a limit of calls per minute and a circuit breaker.

A breaker is closed while calls go through, open while its engine cools down, and half open when one
call, the probe, finds out whether the engine answers again. Nothing here sends or sleeps.
:class:`Limits` may be shared by event loops in different threads; its parts may not.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from citeseek.errors import BadGateway, NetworkError, SearchFailed, Timeout, WebBlocked

MINUTE = 60.0
HOUR = 3600.0
DAY = 86_400.0
# A probe may be cancelled and never report; after this long another call may try.
PROBE_SECONDS = 30.0

Clock: TypeAlias = Callable[[], float]
BreakerState = Literal["closed", "open", "half_open"]


class Kind(msgspec.Struct, frozen=True):
    """A kind of failure that opens a breaker, for ``seconds`` at first.

    An empty ``detail_code`` stands for any. ``in_a_row`` failures without an answer between them
    open it, whichever of the kinds they are.
    """

    error: type[SearchFailed]
    detail_code: str
    seconds: float
    in_a_row: int = 1

    def fits(self, error: SearchFailed) -> bool:
        """Return whether ``error`` is of this kind."""
        return isinstance(error, self.error) and self.detail_code in ("", error.detail_code)


# Failures that are not here say nothing about haste: the engine answered, or nothing was sent.
KINDS = (
    Kind(WebBlocked, "captcha_required", 300.0),
    Kind(WebBlocked, "consent_required", 300.0),
    Kind(WebBlocked, "javascript_required", 300.0),
    Kind(WebBlocked, "http_403", 300.0),
    Kind(WebBlocked, "http_429", 60.0),
    Kind(Timeout, "", 10.0, in_a_row=3),
    Kind(NetworkError, "", 10.0, in_a_row=3),
    Kind(BadGateway, "", 15.0, in_a_row=3),
)


class RateLimit:
    """At most ``per_minute`` calls (1 or more) in any 60 seconds."""

    def __init__(self, per_minute: int, *, clock: Clock = time.monotonic) -> None:
        if per_minute < 1:
            raise ValueError("a rate limit allows at least one call per minute")
        self.per_minute = per_minute
        self._clock = clock
        self._calls: deque[float] = deque(maxlen=per_minute)

    def delay(self) -> float:
        """Return the seconds until the next call is allowed, 0.0 for now."""
        if len(self._calls) < self.per_minute:
            return 0.0
        return max(0.0, self._calls[0] + MINUTE - self._clock())

    def take(self) -> None:
        """Count a call that goes now."""
        self._calls.append(self._clock())


class Breaker:
    """The circuit breaker of one engine.

    The first cool-down of a failure is its kind's in ``KINDS``, or what the site asked for in
    Retry-After, up to a day. Each further one of the same kind is twice as long, up to an hour,
    until a call succeeds.
    """

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._cause: SearchFailed | None = None
        self._until = 0.0
        self._probing = False
        self._in_a_row = 0
        self._cool_downs: dict[Kind, float] = {}

    @property
    def state(self) -> BreakerState:
        """Where the breaker stands."""
        if self._cause is None:
            return "closed"
        return "half_open" if self._probing or not self.seconds_left else "open"

    @property
    def opened_by(self) -> str:
        """The kind of failure that opened it, as ``WebBlocked/http_429``; empty when closed."""
        if self._cause is None:
            return ""
        return "/".join(filter(None, (self._cause.error_code, self._cause.detail_code)))

    @property
    def seconds_left(self) -> float:
        """The seconds until the next call may go, at most; 0.0 when it may go now."""
        return 0.0 if self._cause is None else max(0.0, self._until - self._clock())

    def refusal(self, engine: str) -> SearchFailed | None:
        """Return None when a call may go, else the error to raise instead of sending it.

        The error has the class, ``detail_code`` and hint of the failure that opened the breaker,
        the name ``engine``, and the whole seconds left as ``retry_after``.
        """
        cause = self._cause
        if cause is None or not (left := math.ceil(self.seconds_left)):
            return None
        refusal = type(cause)(
            f"Cooling down (冷却中): nothing was sent, the engine is left alone for {left} s more "
            f"after this: {cause.message}",
            hint=cause.hint,
            engine=engine,
            detail_code=cause.detail_code,
            retry_after=left,
        )
        refusal.is_cooling = True
        return refusal

    def take(self) -> None:
        """Count a call that goes now, after no :meth:`refusal`: past a cool-down, the probe."""
        if self._cause is not None:
            self._probing = True
            self._until = self._clock() + PROBE_SECONDS

    def record_success(self) -> None:
        """Close, and forget how long the cool-downs were."""
        self._close()
        self._cool_downs.clear()

    def record_failure(self, error: SearchFailed) -> None:
        """Open when ``error``, or the row of failures that it ends, asks for it."""
        kind = next((kind for kind in KINDS if kind.fits(error)), None)
        if kind is None:
            self._in_a_row = 0
            if self._probing:
                self._close()
            return
        self._in_a_row += 1
        # In this order a NaN is no wait at all.
        asked = min(max(0.0, error.retry_after or 0.0), DAY)
        if self._in_a_row < kind.in_a_row and not asked and not self._probing:
            return
        # Calls that were under way when it opened report the same trouble: it counts once.
        straggler = self._cause is not None and not self._probing
        grown = self._cool_downs.get(kind, 0.0) * (1 if straggler else 2)
        seconds = max(asked or kind.seconds, min(grown, HOUR))
        until = self._clock() + seconds
        if straggler and until <= self._until:
            return
        # A copy: the error itself holds the page and, by its traceback, a whole call.
        self._cause = kind.error(error.message, hint=error.hint, detail_code=error.detail_code)
        self._until = until
        self._probing = False
        self._cool_downs[kind] = seconds

    def _close(self) -> None:
        self._cause = None
        self._probing = False
        self._in_a_row = 0


class EngineState(msgspec.Struct, frozen=True):
    """How an engine stands: see the properties of :class:`Breaker`."""

    state: BreakerState
    opened_by: str
    seconds_left: float


class Limits:
    """The rate limit and the breaker of every engine, by engine id.

    Each method is one step for all threads: two calls never take the same slot or the same probe.
    """

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._rates: dict[str, RateLimit] = {}
        self._breakers: dict[str, Breaker] = {}
        self._lock = threading.Lock()

    def admit(self, name: str, per_minute: int | None) -> float:
        """Return 0.0 and count the call when it may be sent now, else the seconds to wait.

        Whoever waits asks again: another call may have been quicker. ``per_minute`` is the rate
        limit (1 or more), None for no limit; a changed one starts to count afresh. Raise the
        breaker's refusal while the engine is left alone.
        """
        with self._lock:
            breaker = self._breaker(name)
            if refusal := breaker.refusal(name):
                raise refusal
            if per_minute is not None:
                rate = self._rate(name, per_minute)
                if wait := rate.delay():
                    return wait
                rate.take()
            breaker.take()
            return 0.0

    def record(self, name: str, error: SearchFailed | None) -> None:
        """Learn from a call that was admitted: its ``error``, or None when it succeeded."""
        with self._lock:
            if error is None:
                self._breaker(name).record_success()
            else:
                self._breaker(name).record_failure(error)

    def state(self) -> dict[str, EngineState]:
        """Return how each engine that was asked so far stands."""
        with self._lock:
            return {
                name: EngineState(breaker.state, breaker.opened_by, breaker.seconds_left)
                for name, breaker in self._breakers.items()
            }

    def _breaker(self, name: str) -> Breaker:
        breaker = self._breakers.get(name)
        if breaker is None:
            breaker = self._breakers[name] = Breaker(clock=self._clock)
        return breaker

    def _rate(self, name: str, per_minute: int) -> RateLimit:
        rate = self._rates.get(name)
        if rate is None or rate.per_minute != per_minute:
            rate = self._rates[name] = RateLimit(per_minute, clock=self._clock)
        return rate


def too_many(name: str, per_minute: int, wait: float) -> WebBlocked:
    """Return the error of a call that cannot wait the ``wait`` seconds that its limit asks for."""
    seconds = math.ceil(wait)
    return WebBlocked(
        f"The limit of {per_minute} searches per minute is reached (搜索过于频繁): nothing was "
        f"sent, the next may go in {seconds} s.",
        hint=f"Wait, or raise engines.{name}.rate_per_minute.",
        engine=name,
        detail_code="rate_limited_here",
        retry_after=seconds,
    )
