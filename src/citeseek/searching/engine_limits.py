"""Whether an engine may be asked now, by what this process knows or by what all of them know."""

from __future__ import annotations

from typing import Protocol

from citeseek.errors import SearchFailed
from citeseek.searching.limits import EngineState, Limits


class EngineLimits(Protocol):
    """The rate limits and breakers of all upstreams; see :class:`Limits` for each method."""

    def clock(self) -> float:
        """Return the seconds by which calls are told to have begun."""
        ...

    async def admit(
        self,
        upstream: str,
        per_minute: int | None,
        *,
        alone: bool = False,
        retry: bool = False,
    ) -> float:
        """Return the seconds to wait, 0.0 for now; raise the breaker's refusal."""
        ...

    async def record(
        self,
        upstream: str,
        error: SearchFailed | None,
        *,
        began: float | None = None,
        in_full: bool = True,
    ) -> None:
        """Learn from a call that was admitted."""
        ...

    async def give_back(self, upstream: str, *, began: float) -> None:
        """Forget a call that was admitted."""
        ...

    async def close(self, upstream: str) -> None:
        """Let calls through at once."""
        ...

    def state(self) -> dict[str, EngineState]:
        """Return how each upstream that this process asked so far stands."""
        ...


class OwnLimits:
    """The limits of one process."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def clock(self) -> float:
        """Return the seconds of the limits' clock."""
        return self._limits.clock()

    async def admit(
        self, upstream: str, per_minute: int | None, *, alone: bool = False, retry: bool = False
    ) -> float:
        """Return the seconds to wait, 0.0 for now; raise the breaker's refusal."""
        return self._limits.admit(upstream, per_minute, alone=alone, retry=retry)

    async def record(
        self,
        upstream: str,
        error: SearchFailed | None,
        *,
        began: float | None = None,
        in_full: bool = True,
    ) -> None:
        """Learn from a call that was admitted."""
        self._limits.record(upstream, error, began=began, in_full=in_full)

    async def give_back(self, upstream: str, *, began: float) -> None:
        """Forget a call that was admitted."""
        self._limits.give_back(upstream, began=began)

    async def close(self, upstream: str) -> None:
        """Let calls through at once."""
        self._limits.close(upstream)

    def state(self) -> dict[str, EngineState]:
        """Return how each upstream that was asked so far stands."""
        return self._limits.state()
