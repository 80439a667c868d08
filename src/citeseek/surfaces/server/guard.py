"""The guard of the page and of the API: its door is a login."""

from __future__ import annotations

import time
from functools import partial

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.surfaces.searxng.root import SearxngRoot
from citeseek.surfaces.server.guard_chain import guard_chain
from citeseek.surfaces.server.login import Login
from citeseek.surfaces.server.login_cookie import Clock
from citeseek.surfaces.server.origins import LOGIN, LOGOUT
from citeseek.surfaces.server.requests import Counting
from citeseek.surfaces.server.rules import Rules


def guarded(
    app: ASGIApp, *, rules: Rules, now: Clock = time.time, meters: Counting | None = None
) -> ASGIApp:
    """Return ``app`` behind its guard, see :mod:`citeseek.surfaces.server.guard_chain`.

    ``now`` gives the seconds since 1970, for the end of a login; ``meters`` count requests, refused
    ones as well.
    """
    door = partial(Login, tokens=rules.tokens, now=now) if rules.tokens else _without_login
    # The guard is to see what it is that is asked for.
    return SearxngRoot(guard_chain(app, rules=rules, door=door, meters=meters))


def _without_login(app: ASGIApp) -> ASGIApp:
    """Return ``app`` with a login that everybody has passed."""

    async def open_door(scope: Scope, receive: Receive, send: Send) -> None:
        is_login = scope["path"] in (LOGIN, LOGOUT)
        await (RedirectResponse("/", 303) if is_login else app)(scope, receive, send)

    return open_door
