"""The guard around the application: one door for every request, in one order."""

from __future__ import annotations

import time

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.observing.metrics import PATHS as METRICS
from citeseek.surfaces.searxng.root import SearxngRoot
from citeseek.surfaces.server.body_limit import BodyLimit
from citeseek.surfaces.server.failures import Failures
from citeseek.surfaces.server.headers import SafeHeaders
from citeseek.surfaces.server.hosts import HostCheck
from citeseek.surfaces.server.login import Login
from citeseek.surfaces.server.login_cookie import Clock
from citeseek.surfaces.server.origins import LOGIN, LOGOUT, OriginCheck
from citeseek.surfaces.server.rate_limit import RequestRate
from citeseek.surfaces.server.requests import Counting, Requests
from citeseek.surfaces.server.rules import Rules


def guarded(
    app: ASGIApp, *, rules: Rules, now: Clock = time.time, meters: Counting | None = None
) -> ASGIApp:
    """Return ``app`` behind its guard.

    Of the requests that arrive it gets those that mean this server, were not made on behalf of
    another site, have a small body, bring the token if there is one, and are not too many.
    ``now`` gives the seconds since 1970, for the end of a login; ``meters`` count requests, refused
    ones as well.
    """
    paced = RequestRate(app, rules.per_minute) if rules.per_minute else app
    login = Login(paced, rules.tokens, now) if rules.tokens else _without_login(paced)
    opened = _past(login, paced) if rules.open_metrics else login
    inner = BodyLimit(opened, rules)
    # The guard is to see what it is that is asked for.
    http = SearxngRoot(
        Requests(SafeHeaders(Failures(HostCheck(OriginCheck(inner), rules))), meters)
    )

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await http(scope, receive, send)
            case "lifespan":
                await app(scope, receive, send)
            case _:
                # There is nothing here that a WebSocket could speak to.
                await send({"type": "websocket.close", "code": 1008})

    return guard


def _past(login: ASGIApp, app: ASGIApp) -> ASGIApp:
    """Return ``login``, past which everybody gets to the metrics of ``app``."""

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if scope["path"] in METRICS else login)(scope, receive, send)

    return door


def _without_login(app: ASGIApp) -> ASGIApp:
    """Return ``app`` with a login that everybody has passed."""

    async def open_door(scope: Scope, receive: Receive, send: Send) -> None:
        is_login = scope["path"] in (LOGIN, LOGOUT)
        await (RedirectResponse("/", 303) if is_login else app)(scope, receive, send)

    return open_door
