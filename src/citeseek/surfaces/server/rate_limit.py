"""So many requests a minute by each token or address, of those that cost something."""

from __future__ import annotations

import math
import re
import time
from collections import OrderedDict
from http import HTTPStatus

from starlette.datastructures import QueryParams
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.person import current_person
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.surfaces.server.login_cookie import Clock
from citeseek.surfaces.server.refusal import refusal

# Callers beyond these are forgotten, the one that was quiet for longest first.
MAX_CALLERS = 10_000
_MINUTE = 60.0
# Whatever is not named below counts: a new route does until somebody says that it is free.
_READ = frozenset({"GET", "HEAD"})
# What the server knows already: its pages, their files, and what happens in a conversation.
# Pictures are fetched at addresses that the server signed itself, of results that were counted.
_PAGES = re.compile(
    r"/|/c/[^/]+(/events)?|/reports(/[^/]+){0,2}|/guide|(/api/v1)?/status|/authorize|/programs|/s/[^/]+|/static/.+|/api/v1/image"
)
# The end of a session gives something back.
_MCP = "/mcp"
# What is wrong there is counted as a guess, and what is right asks for nothing.
_OF_TOKENS = frozenset({"/token", "/revoke"})
# A look at the search service is kept for so long; how old a look may be where nobody says it.
_KEPT_SECONDS = 60.0
_LOOKS = {"/api/v1/health": _KEPT_SECONDS, "/report": 0.0}


class RequestRate:
    """Lets through ``per_minute`` requests a minute of each caller, at once or one by one.

    0 is any number. Of guests it lets through ``guest_per_minute``, where that is less. What
    :func:`is_free` knows is not counted. With a ``valkey`` all processes at it count together;
    while it is gone each has its share.
    """

    def __init__(
        self,
        app: ASGIApp,
        per_minute: int,
        now: Clock = time.monotonic,
        *,
        guest_per_minute: int = 0,
        valkey: Valkey | None = None,
    ) -> None:
        self._app = app
        self._most = per_minute
        self._most_of_guests = min(filter(None, (per_minute, guest_per_minute)), default=0)
        self._now = now
        self._valkey = valkey
        # What each caller has left, and when that was so.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it."""
        answer = self._app
        most = self._most_of_guests if current_person().is_guest else self._most
        if most and scope["type"] == "http" and not is_free(scope):
            caller = scope.get("state", {}).get("caller") or (scope.get("client") or ("",))[0]
            if wait := await self.turn(caller, most):
                answer = refusal(
                    scope,
                    HTTPStatus.TOO_MANY_REQUESTS,
                    "requests_per_minute",
                    code="RATE_LIMITED",
                    retry_after=wait,
                    most=f"{most:,}",
                    wait=wait,
                )
        await answer(scope, receive, send)

    async def turn(self, caller: str, most: int) -> int:
        """Count a request of ``caller`` and return 0, or the seconds until it may make one.

        It may make ``most`` a minute.
        """
        if self._valkey is None:
            return self.wait(caller, most)
        try:
            await self._valkey.count_processes()
            return await self._valkey.take_turn("rate", caller, most)
        except Gone:
            return self.wait(caller, math.ceil(most / self._valkey.processes))

    def wait(self, caller: str, most: int) -> int:
        """Do the same by what this process counts, of which ``most`` may be made a minute."""
        now = self._now()
        left, then = self._left.pop(caller, (float(most), now))
        left = min(most, left + (now - then) * most / _MINUTE)
        refused = left < 1
        self._left[caller] = (left if refused else left - 1, now)
        if len(self._left) > MAX_CALLERS:
            self._left.popitem(last=False)
        return math.ceil((1 - left) * _MINUTE / most) if refused else 0


def is_free(scope: Scope) -> bool:
    """Whether a request asks nothing of an engine, a model or a site."""
    method, path = scope["method"], scope["path"]
    if path == _MCP:
        return bool(method == "DELETE")
    if path in _OF_TOKENS:
        return True
    if method not in _READ:
        return False
    if path in _LOOKS:
        return _max_age(scope, _LOOKS[path]) >= _KEPT_SECONDS
    return path == "/healthz" or _PAGES.fullmatch(path) is not None


def _max_age(scope: Scope, usual: float) -> float:
    named = QueryParams(scope["query_string"]).getlist("max_age")
    try:
        return min((float(each) for each in named), default=usual)
    except ValueError:
        return 0.0
