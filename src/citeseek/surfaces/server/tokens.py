"""Tokens that programs bring in a header, and what those are told that guess."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from citeseek.surfaces.server.failed_logins import MOST, Tries
from citeseek.surfaces.server.login_cookie import place_of
from citeseek.surfaces.server.refusal import refusal

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="citeseek"'}


class Tokens:
    """The tokens that let in. ``tries`` counts those that do not."""

    def __init__(self, tokens: Sequence[str], tries: Tries) -> None:
        self._tokens = tokens
        self._tries = tries

    def place(self, scope: Scope) -> int | None:
        """Return which of the tokens the request brings, None without any."""
        given = _given(scope)
        return None if given is None else place_of(given, self._tokens)

    async def refusal(self, scope: Scope) -> Response | None:
        """Return an answer to a request that brings a wrong token where there were too many.

        It is to be asked about those that bring none of the tokens.
        """
        if _given(scope) is None or not (wait := await self._tries.fail(address_of(scope))):
            return None
        return refusal(
            scope,
            HTTPStatus.TOO_MANY_REQUESTS,
            f"More than {MOST} requests a minute came with a wrong token.",
            hint="The right one is taken at any time.",
            code="RATE_LIMITED",
            headers=CHALLENGE,
            retry_after=wait,
        )


def address_of(scope: Scope) -> str:
    """Return the address that a request comes from."""
    return str((scope.get("client") or ("",))[0])


def _given(scope: Scope) -> str | None:
    scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else None
