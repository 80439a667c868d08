"""How engines and models answered this process within the last hour."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

import msgspec

from citeseek.observing.operation import Kind, Operation

MINUTES = 60
# Models are named by people: there would be no end of them.
MAX_NAMES = 256
_WATCHED: frozenset[Kind] = frozenset({"engine", "model"})


class CallsOfHour(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of the last hour and how many of them failed, and how it went last, at any time.

    Times are seconds since 1970, 0.0 for never. ``failure`` is the kind of the last failure, such
    as ``WebBlocked/http_429``. Calls that were not sent, since the engine cools down, and those
    that were given up count neither way.
    """

    calls: int = 0
    failures: int = 0
    succeeded_at: float = 0.0
    failed_at: float = 0.0
    failure: str = ""


class RecentCalls:
    """A watcher that counts calls of engines and models by minutes, for all threads.

    ``now`` gives the seconds since 1970.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        # Least recently asked first.
        self._rows: OrderedDict[tuple[Kind, str], _Row] = OrderedDict()
        self._lock = threading.Lock()

    def began(self, operation: Operation) -> None:
        """Do nothing: what counts is known at the end."""

    def ended(self, operation: Operation) -> None:
        """Count ``operation``, if it is a call."""
        if operation.kind not in _WATCHED or operation.was_stopped or operation.is_cooling:
            return
        key = operation.kind, operation.name
        with self._lock:
            row = self._rows.setdefault(key, _Row())
            self._rows.move_to_end(key)
            if len(self._rows) > MAX_NAMES:
                self._rows.popitem(last=False)
            row.count(operation, self._now())

    def of(self, kind: Kind) -> Mapping[str, CallsOfHour]:
        """Return the calls of each engine, or of each model, by its name."""
        now = self._now()
        with self._lock:
            return {name: row.told(now) for (of, name), row in self._rows.items() if of == kind}


class _Row:
    def __init__(self) -> None:
        # By the minute: calls and failures.
        self._minutes: OrderedDict[int, list[int]] = OrderedDict()
        self._succeeded_at = self._failed_at = 0.0
        self._failure = ""

    def count(self, operation: Operation, now: float) -> None:
        self._forget(now)
        minute = self._minutes.setdefault(int(now // 60), [0, 0])
        minute[0] += 1
        if operation.code:
            minute[1] += 1
            self._failed_at = now
            self._failure = "/".join(filter(None, (operation.code, operation.detail_code)))
        else:
            self._succeeded_at = now

    def told(self, now: float) -> CallsOfHour:
        self._forget(now)
        return CallsOfHour(
            calls=sum(calls for calls, _ in self._minutes.values()),
            failures=sum(failures for _, failures in self._minutes.values()),
            succeeded_at=self._succeeded_at,
            failed_at=self._failed_at,
            failure=self._failure,
        )

    def _forget(self, now: float) -> None:
        oldest = int(now // 60) - MINUTES
        while self._minutes and next(iter(self._minutes)) <= oldest:
            self._minutes.popitem(last=False)
