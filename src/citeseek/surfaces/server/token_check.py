"""Who makes a request, by a token in a header or by a proxy, and how often one may be guessed."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import suppress
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.concurrency.admission import SlidingWindows
from citeseek.person import acting_as
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.surfaces.server.connections import source_of
from citeseek.surfaces.server.login_cookie import Clock, place_of
from citeseek.surfaces.server.refusal import refusal
from citeseek.surfaces.server.rules import Rules, TokenHolder, Visitor

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="citeseek"'}
MOST = 10
# Sources beyond these are forgotten, the one that was quiet for longest first.
MAX_SOURCES = 10_000
# A guess too many is answered so late, as long as not too many are waiting.
DELAY_SECONDS = 1.0
MAX_DELAYED = 64


class Tries:
    """Wrong tries: of each address 10 a minute, and beyond them late ones.

    The right token is never asked about here, so that nobody is kept out by what others guess, not
    even from the same address: behind a proxy all have one. All servers at a ``valkey`` count
    together.
    """

    def __init__(self, now: Clock = time.monotonic, valkey: Valkey | None = None) -> None:
        self._valkey = valkey
        self._failed = SlidingWindows(MOST, MAX_SOURCES, clock=now)
        self._delayed = 0

    async def fail(self, address: str) -> int:
        """Count a wrong try; return 0, or after a while the seconds in which there were too many.

        ``address`` is where it came from.
        """
        wait = await self._count_for_all(address)
        if wait and self._delayed < MAX_DELAYED:
            self._delayed += 1
            try:
                await asyncio.sleep(DELAY_SECONDS)
            finally:
                self._delayed -= 1
        return wait

    async def _count_for_all(self, address: str) -> int:
        if self._valkey is not None:
            with suppress(Gone):
                return await self._valkey.take_turn("tries", source_of(address), MOST)
        return self.count(address)

    def count(self, address: str) -> int:
        """Count a wrong try; return 0, or the seconds until the next one is answered as such."""
        return math.ceil(self._failed.take(source_of(address)))


class Tokens:
    """What programs let in by: tokens in a header, and what a proxy says.

    ``tries`` counts tokens that let nobody in.
    """

    def __init__(self, rules: Rules, tries: Tries) -> None:
        self._holders = rules.holders
        self._tokens = [each.token for each in rules.holders]
        self._proxy = rules.proxy
        self._tries = tries

    def find(self, given: str) -> TokenHolder | None:
        """Return whose token ``given`` is, None when it is nobody's."""
        place = place_of(given, self._tokens)
        return None if place is None else self._holders[place]

    def visitor(self, scope: Scope) -> Visitor | None:
        """Return who makes the request, None for whoever brings nothing that lets in."""
        given = read_token(scope)
        if given is not None and (holder := self.find(given)):
            return holder.visitor
        person = self._proxy.find(scope) if self._proxy else None
        return Visitor.of(person) if person else None

    async def refusal(self, scope: Scope) -> Response | None:
        """Return an answer to a request that brings a wrong token where there were too many.

        It is to be asked about those that bring none of the tokens.
        """
        if read_token(scope) is None or not (wait := await self._tries.fail(address_of(scope))):
            return None
        return refusal(
            scope,
            HTTPStatus.TOO_MANY_REQUESTS,
            "wrong_tokens",
            code="RATE_LIMITED",
            headers=CHALLENGE,
            retry_after=wait,
            most=MOST,
        )


def address_of(scope: Scope) -> str:
    """Return the address that a request comes from."""
    return str((scope.get("client") or ("",))[0])


def read_token(scope: Scope) -> str | None:
    """Return the token that a request brings in its header, None without one."""
    scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else None


def pass_on(app: ASGIApp, visitor: Visitor) -> ASGIApp:
    """Return ``app`` for a request that ``visitor`` makes."""

    async def passed(scope: Scope, receive: Receive, send: Send) -> None:
        state = scope.setdefault("state", {})
        state["caller"], state["person"] = visitor.caller, visitor.person
        with acting_as(visitor.person):
            await app(scope, receive, send)

    return passed
