"""Whether an engine may be asked now, as the service asks it."""

from __future__ import annotations

from citeseek.errors import SearchFailed
from citeseek.searching.limits import EngineState, Limits


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
        return self.own.admit(upstream, per_minute, alone=alone, retry=retry)

    async def record(
        self,
        upstream: str,
        error: SearchFailed | None,
        *,
        began: float | None = None,
        in_full: bool = True,
    ) -> None:
        """Learn from a call that was admitted."""
        self.own.record(upstream, error, began=began, in_full=in_full)

    async def give_back(self, upstream: str, *, began: float) -> None:
        """Forget a call that was admitted."""
        self.own.give_back(upstream, began=began)

    async def close(self, upstream: str) -> None:
        """Let calls through at once."""
        self.own.close(upstream)

    def state(self) -> dict[str, EngineState]:
        """Return how each upstream that this process asked stood when it last heard of it."""
        return self.own.state()
