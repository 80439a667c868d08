"""How many requests may be made that cost something: so many a minute by each token or address."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.surfaces.server.cost import is_free
from citeseek.surfaces.server.login_cookie import Clock
from citeseek.surfaces.server.refusal import refusal

# Callers beyond these are forgotten, the one that was quiet for longest first.
MAX_CALLERS = 10_000
_MINUTE = 60.0


class RequestRate:
    """Lets through ``per_minute`` requests a minute of each caller, at once or one by one.

    What :mod:`citeseek.surfaces.server.cost` calls free is not counted.
    """

    def __init__(self, app: ASGIApp, per_minute: int, now: Clock = time.monotonic) -> None:
        self._app = app
        self._most = per_minute
        self._now = now
        # What each caller has left, and when that was so.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it."""
        answer = self._app
        if scope["type"] == "http" and not is_free(scope):
            caller = scope.get("state", {}).get("caller") or (scope.get("client") or ("",))[0]
            if wait := self.wait(caller):
                answer = refusal(
                    scope,
                    HTTPStatus.TOO_MANY_REQUESTS,
                    f"More than {self._most:,} requests a minute.",
                    hint=f"Try again in {wait} s, or raise server.per_minute.",
                    code="RATE_LIMITED",
                    retry_after=wait,
                )
        await answer(scope, receive, send)

    def wait(self, caller: str) -> int:
        """Count a request of ``caller`` and return 0, or the seconds until it may make one."""
        now = self._now()
        left, then = self._left.pop(caller, (float(self._most), now))
        left = min(self._most, left + (now - then) * self._most / _MINUTE)
        refused = left < 1
        self._left[caller] = (left if refused else left - 1, now)
        if len(self._left) > MAX_CALLERS:
            self._left.popitem(last=False)
        return math.ceil((1 - left) * _MINUTE / self._most) if refused else 0
