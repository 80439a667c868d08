"""The circuit breaker of one engine: it is left alone for a while when it fails.

A breaker is closed while calls go through, open while its engine cools down, and half open when one
call, the probe, finds out whether the engine answers again. Nothing here sends or sleeps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
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

    @property
    def name(self) -> str:
        """The kind in a word, as ``WebBlocked/http_429``."""
        return "/".join(filter(None, (self.error.__name__, self.detail_code)))

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


_CLASSES = {kind.error.__name__: kind.error for kind in KINDS}


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """The failure that opened a breaker: its class by name, and what it says."""

    error_code: str
    message: str
    hint: str = ""
    detail_code: str = ""
    values: Mapping[str, str] = {}


class BreakerRecord(msgspec.Struct, kw_only=True, omit_defaults=True):
    """All that a breaker knows, in seconds of its clock; ``cool_downs`` by kind."""

    cause: Cause | None = None
    since: float = 0.0
    until: float = 0.0
    asked: float = 0.0
    probing: bool = False
    is_early: bool = False
    in_a_row: int = 0
    last_failure: float = -math.inf
    cool_downs: dict[str, float] = {}


class Breaker:
    """The circuit breaker of one engine.

    The first cool-down of a failure is its kind's in ``KINDS``, or what the site asked for in
    Retry-After, up to a day. Each further one of the same kind is twice as long, up to an hour,
    until a call succeeds. For callers who have no other engine (``alone``) one lasts a minute at
    most, or what the site asked for, up to an hour.
    """

    def __init__(
        self, *, clock: Clock = time.monotonic, record: BreakerRecord | None = None
    ) -> None:
        self._clock = clock
        self.record = record or BreakerRecord()

    @property
    def state(self) -> BreakerState:
        """Where the breaker stands."""
        if self.record.cause is None:
            return "closed"
        return "half_open" if self.record.probing or not self.seconds_left else "open"

    @property
    def opened_by(self) -> str:
        """The kind of failure that opened it, as ``WebBlocked/http_429``; empty when closed."""
        cause = self.record.cause
        return "/".join(filter(None, (cause.error_code, cause.detail_code))) if cause else ""

    @property
    def seconds_left(self) -> float:
        """The seconds until the next call may go, at most; 0.0 when it may go now."""
        return self._seconds_left(alone=False)

    def refusal(self, engine: str, *, alone: bool = False) -> SearchFailed | None:
        """Return None when a call may go, else the error to raise instead of sending it.

        The error has the class, ``detail_code`` and hint of the failure that opened the breaker,
        the name ``engine``, and the whole seconds left as ``retry_after``.
        """
        cause = self.record.cause
        if cause is None or not (left := math.ceil(self._seconds_left(alone=alone))):
            return None
        refusal = _CLASSES.get(cause.error_code, WebBlocked)(
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
        record = self.record
        if record.cause is not None:
            record.is_early = self.seconds_left > 0
            record.probing = True
            record.since = self._clock()
            record.until = record.since + PROBE_SECONDS

    def give_back(self, began: float) -> None:
        """Forget a call that went at ``began``; if it was the probe, another may go."""
        if self.record.probing and began >= self.record.since:
            self.record.probing = False
            self.record.until = self._clock()

    def close(self) -> None:
        """Close, and forget how long the cool-downs were: the engine is well."""
        self._end()
        self.record.cool_downs.clear()

    def record_failure(self, error: SearchFailed, began: float | None = None) -> None:
        """Open when ``error``, or the row of failures that it ends, asks for it.

        ``began`` is when the call went. Calls that were under way together met the same trouble: it
        counts once.
        """
        record, now = self.record, self._clock()
        began = now if began is None else began
        is_straggler = record.cause is not None and not (record.probing and began >= record.since)
        kind = next((kind for kind in KINDS if kind.fits(error)), None)
        if kind is None:
            record.in_a_row = 0
            if record.probing and not is_straggler:
                self._end()
            return
        if began >= record.last_failure:
            record.in_a_row += 1
            record.last_failure = now
        # `max(0.0, nan)` is 0.0; keep the order.
        asked = min(max(0.0, error.retry_after or 0.0), DAY)
        is_few = record.in_a_row < kind.in_a_row and not asked
        if is_few and (record.cause is None or is_straggler):
            return
        # A probe that somebody wanted before its time says nothing about how long it takes.
        grows = not is_straggler and not record.is_early
        grown = record.cool_downs.get(kind.name, 0.0) * (2 if grows else 1)
        seconds = max(asked or kind.seconds, min(grown, HOUR))
        if is_straggler and now + seconds <= record.until:
            return
        # The error itself holds the page and, by its traceback, a whole call.
        record.cause = Cause(
            error_code=kind.error.__name__,
            message=error.message,
            hint=error.hint,
            detail_code=error.detail_code,
            values=dict(error.values),
        )
        record.since, record.until, record.asked = now, now + seconds, asked
        record.probing = record.is_early = False
        record.cool_downs[kind.name] = seconds

    def _seconds_left(self, *, alone: bool) -> float:
        record = self.record
        if record.cause is None:
            return 0.0
        until = record.until
        if alone:
            most = min(record.asked, ALONE_ASKED_SECONDS) or ALONE_SECONDS
            until = min(until, record.since + most)
        return max(0.0, until - self._clock())

    def _end(self) -> None:
        self.record.cause = None
        self.record.probing = self.record.is_early = False
        self.record.in_a_row = 0
