"""The circuit breaker of one engine: it is left alone for a while when it fails.

A breaker is closed while calls go through, open while its engine cools down, and half open when one
call, the probe, finds out whether the engine answers again. Nothing here sends or sleeps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from citeseek.errors import BadGateway, NetworkError, SearchFailed, Timeout, WebBlocked

HOUR = 3600.0
DAY = 86_400.0
# A probe may be cancelled and never report; after this long another call may try.
PROBE_SECONDS = 30.0
# Nobody else can answer in place of the only engine that is asked: the longest cool-down of one
# that asked for none itself, and of one that did.
ALONE_SECONDS, ALONE_ASKED_SECONDS = 60.0, HOUR

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


class Breaker:
    """The circuit breaker of one engine.

    The first cool-down of a failure is its kind's in ``KINDS``, or what the site asked for in
    Retry-After, up to a day. Each further one of the same kind is twice as long, up to an hour,
    until a call succeeds. For callers who have no other engine (``alone``) one lasts a minute at
    most, or what the site asked for, up to an hour.
    """

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._cause: SearchFailed | None = None
        self._since = 0.0
        self._until = 0.0
        self._asked = 0.0
        self._probing = False
        self._is_early = False
        self._in_a_row = 0
        self._last_failure = -math.inf
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
        return self._seconds_left(alone=False)

    def refusal(self, engine: str, *, alone: bool = False) -> SearchFailed | None:
        """Return None when a call may go, else the error to raise instead of sending it.

        The error has the class, ``detail_code`` and hint of the failure that opened the breaker,
        the name ``engine``, and the whole seconds left as ``retry_after``.
        """
        cause = self._cause
        if cause is None or not (left := math.ceil(self._seconds_left(alone=alone))):
            return None
        refusal = type(cause)(
            f"Cooling down: nothing was sent, the engine is left alone for {left} s more after "
            f"this: {cause.message}",
            hint=cause.hint,
            engine=engine,
            detail_code=cause.detail_code,
            retry_after=left,
            values={**cause.values, "cooling": str(left), "cause": cause.message},
        )
        refusal.is_cooling = True
        return refusal

    def take(self) -> None:
        """Count a call that goes now: while the breaker is not closed, the probe."""
        if self._cause is not None:
            self._is_early = self.seconds_left > 0
            self._probing = True
            self._since = self._clock()
            self._until = self._since + PROBE_SECONDS

    def give_back(self, began: float) -> None:
        """Forget a call that went at ``began``; if it was the probe, another may go."""
        if self._probing and began >= self._since:
            self._probing = False
            self._until = self._clock()

    def close(self) -> None:
        """Close, and forget how long the cool-downs were: the engine is well."""
        self._end()
        self._cool_downs.clear()

    def record_failure(self, error: SearchFailed, began: float | None = None) -> None:
        """Open when ``error``, or the row of failures that it ends, asks for it.

        ``began`` is when the call went. Calls that were under way together met the same trouble: it
        counts once.
        """
        now = self._clock()
        began = now if began is None else began
        is_straggler = self._cause is not None and not (self._probing and began >= self._since)
        kind = next((kind for kind in KINDS if kind.fits(error)), None)
        if kind is None:
            self._in_a_row = 0
            if self._probing and not is_straggler:
                self._end()
            return
        if began >= self._last_failure:
            self._in_a_row += 1
            self._last_failure = now
        # `max(0.0, nan)` is 0.0; keep the order.
        asked = min(max(0.0, error.retry_after or 0.0), DAY)
        if self._in_a_row < kind.in_a_row and not asked and (self._cause is None or is_straggler):
            return
        # A probe that somebody wanted before its time says nothing about how long it takes.
        grows = not is_straggler and not self._is_early
        grown = self._cool_downs.get(kind, 0.0) * (2 if grows else 1)
        seconds = max(asked or kind.seconds, min(grown, HOUR))
        if is_straggler and now + seconds <= self._until:
            return
        # A copy: the error itself holds the page and, by its traceback, a whole call.
        self._cause = kind.error(
            error.message, hint=error.hint, detail_code=error.detail_code, values=error.values
        )
        self._since, self._until, self._asked = now, now + seconds, asked
        self._probing = self._is_early = False
        self._cool_downs[kind] = seconds

    def _seconds_left(self, *, alone: bool) -> float:
        if self._cause is None:
            return 0.0
        until = self._until
        if alone:
            most = min(self._asked, ALONE_ASKED_SECONDS) or ALONE_SECONDS
            until = min(until, self._since + most)
        return max(0.0, until - self._clock())

    def _end(self) -> None:
        self._cause = None
        self._probing = self._is_early = False
        self._in_a_row = 0
