"""The faces: what the users of one search service see differently, as values.

A face owns its default engine, its rule for the number of results, its deadline, its cache and what
it does with an engine name that nobody knows. No face changes another's behaviour.
"""

from __future__ import annotations

import logging
from typing import Literal

import msgspec

from citeseek.query import whole_number

AUTO = "auto"

log = logging.getLogger(__name__)


class CountRule(msgspec.Struct, frozen=True, kw_only=True):
    """How many results a caller may ask for, and what happens to any other number.

    ``error`` raises InvalidInput, ``clamp`` takes the nearest allowed number, ``default`` takes the
    face's own number; the last two log a warning.
    """

    low: int
    high: int
    otherwise: Literal["error", "clamp", "default"]

    def apply(self, wanted: object, default: int) -> int:
        """Return the number of results to ask for; None means ``default``."""
        if wanted is None:
            return default
        number = wanted if isinstance(wanted, int) and not isinstance(wanted, bool) else None
        if number is not None and self.low <= number <= self.high:
            return number
        if self.otherwise == "error":
            return whole_number("count", wanted, self.low, self.high)
        if number is not None and self.otherwise == "clamp":
            used = min(max(number, self.low), self.high)
        else:
            used = default
        log.warning(
            "count %.60r is not from %d to %d: %d is used", wanted, self.low, self.high, used
        )
        return used


class Face(msgspec.Struct, frozen=True, kw_only=True):
    """One way to see the service.

    ``engine`` is the default engine's name, ``count`` the default number of results, ``seconds``
    the deadline of a whole call, ``ttl_minutes`` how long the process cache keeps an answer (0: not
    at all), ``cache`` the layer in use. ``unknown_engine`` says what an unknown name becomes. With
    ``fill`` further pages are read when the first one is short.
    """

    id: str
    label: str
    engine: str
    count: int
    counts: CountRule
    seconds: float
    cache: Literal["session", "process", "none"]
    ttl_minutes: float = 0
    unknown_engine: Literal["default", "stub", "error"]
    fill: bool = False


CHAT = Face(
    id="chat",
    label="Chat app (Chat and Agent mode)",
    engine="searxng",
    count=5,
    counts=CountRule(low=3, high=5, otherwise="default"),
    seconds=5,
    cache="session",
    unknown_engine="default",
)
AGENT = Face(
    id="agent",
    label="Configured agent tool (web_search)",
    engine="duck-duck-scrape",
    count=5,
    counts=CountRule(low=1, high=10, otherwise="clamp"),
    seconds=15,
    cache="process",
    ttl_minutes=5,
    unknown_engine="default",
)
CONTRACT = Face(
    id="contract",
    label="Tool contract (web.search)",
    engine="stub",
    count=5,
    counts=CountRule(low=1, high=10, otherwise="error"),
    seconds=15,
    cache="none",
    unknown_engine="stub",
)
BROWSER = Face(
    id="browser",
    label="Browser search (JSON results)",
    engine="google",
    count=10,
    counts=CountRule(low=10, high=10, otherwise="default"),
    seconds=5,
    cache="none",
    unknown_engine="error",
    fill=True,
)
OPEN = Face(
    id="open",
    label="Library and command line",
    engine=AUTO,
    count=10,
    counts=CountRule(low=1, high=50, otherwise="error"),
    seconds=10,
    cache="process",
    ttl_minutes=5,
    unknown_engine="error",
)

FACES: tuple[Face, ...] = (CHAT, AGENT, CONTRACT, BROWSER, OPEN)
