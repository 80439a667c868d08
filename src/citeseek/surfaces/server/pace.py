"""How many requests programs may make: a number a minute for each token, or each address."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.surfaces.server.refusal import is_api, refusal
from citeseek.surfaces.server.seal import Clock

# Callers beyond these are forgotten, the one that was quiet for longest first.
MAX_CALLERS = 10_000
_MINUTE = 60.0
_HEALTH = ("/api/v1/health", "/healthz")


class Pace:
    """Lets through ``per_minute`` requests a minute of each caller, at once or one by one.

    Pages are not counted, nor is the question whether the server is well.
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
        is_counted = scope["type"] == "http" and is_api(scope) and scope["path"] not in _HEALTH
        if is_counted:
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
