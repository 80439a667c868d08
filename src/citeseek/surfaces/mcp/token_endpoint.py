"""Codes become tokens, tokens become others, and tokens end (``/token``, ``/revoke``).

The library of MCP checks what a program sends: its grant, PKCE and the address of the code. What it
does not ask about stands here: the resource (RFC 8707), and who is still let in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any, cast

from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.provider import (
    AuthorizationCode,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citeseek.concurrency.admission import RETRY_SECONDS
from citeseek.conversations.oauth_grants import ACCESS_SECONDS, Grants, IssuedPair
from citeseek.errors import Busy, NoProgram
from citeseek.person import Person
from citeseek.surfaces.mcp.authorization_request import FindClient, means
from citeseek.surfaces.mcp.protected_resource import Resource
from citeseek.surfaces.server.form_pages import read_fields
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.server.token_check import MOST, Tries, address_of

GRANT_TYPES = ["authorization_code", "refresh_token"]
_UNSTORED = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def may_give_access(rules: Rules, name: str) -> Person | None:
    """Return the person whose programs come in, None for a guest and for who is let in no more."""
    person = rules.find_person(name)
    return None if person is None or person.is_guest else person


class KeptGrants:
    """What the library's endpoint asks for of our grants, of people whom ``rules`` let in."""

    def __init__(self, grants: Grants, find_client: FindClient, rules: Rules) -> None:
        self._grants = grants
        self._find_client = find_client
        self._rules = rules

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return a program; none has a secret."""
        client = await self._find_client(client_id)
        if client is None:
            return None
        return OAuthClientInformationFull(
            client_id=client_id,
            redirect_uris=[AnyUrl(each) for each in client.redirect_uris],
            token_endpoint_auth_method="none",  # noqa: S106 - no password
            grant_types=GRANT_TYPES,
        )

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return a code of ``client``; one that was used ends what came of it."""
        found = await self._grants.find("code", authorization_code, client.client_id)
        if found is None or found.consent is None:
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=found.grant.scope.split(),
            expires_at=found.expires_at,
            client_id=found.grant.client,
            code_challenge=found.consent.challenge,
            redirect_uri=AnyUrl(found.consent.redirect_uri),
            redirect_uri_provided_explicitly=not found.consent.is_implied,
            resource=found.grant.resource,
            subject=found.grant.person,
        )

    async def exchange_authorization_code(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002 - the code was loaded for it
        authorization_code: AuthorizationCode,
    ) -> OAuthToken:
        """Return the first tokens of a grant."""
        self._check_person(authorization_code.subject or "")
        pair = await self._grants.redeem("code", authorization_code.code)
        return _shown(pair, authorization_code.scopes)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """Return a refresh token of ``client``; one that was used ends its grant."""
        found = await self._grants.find("refresh", refresh_token, client.client_id)
        if found is None:
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=found.grant.client,
            scopes=found.grant.scope.split(),
            expires_at=int(found.expires_at),
            resource=found.grant.resource,
            subject=found.grant.person,
        )

    async def exchange_refresh_token(
        self,
        client: OAuthClientInformationFull,  # noqa: ARG002 - the token was loaded for it
        refresh_token: RefreshToken,
        scopes: list[str],
    ) -> OAuthToken:
        """Return the next tokens of a grant."""
        self._check_person(refresh_token.subject or "")
        pair = await self._grants.redeem("refresh", refresh_token.token)
        return _shown(pair, scopes)

    def _check_person(self, name: str) -> None:
        if may_give_access(self._rules, name) is None:
            raise TokenError("invalid_grant", "whoever gave this access is not let in any longer")


def _shown(pair: IssuedPair | None, scopes: list[str]) -> OAuthToken:
    if pair is None:
        raise TokenError("invalid_grant", "it was used before")
    return OAuthToken(
        access_token=pair.access,
        refresh_token=pair.refresh,
        expires_in=ACCESS_SECONDS,
        scope=" ".join(scopes),
    )


class TokenEndpoint:
    """Answers ``/token`` and ``/revoke`` for programs that ``find_client`` knows.

    What is wrong is counted as a guess of its address in ``tries``; what is right is always taken.
    """

    def __init__(
        self,
        resource: Resource,
        grants: Grants,
        find_client: FindClient,
        *,
        rules: Rules,
        tries: Tries,
    ) -> None:
        self._resource = resource
        self._grants = grants
        self._find_client = find_client
        self._tries = tries
        kept = KeptGrants(grants, find_client, rules)
        # Of all that a provider may have, these two ask for what stands above.
        provider = cast("OAuthAuthorizationServerProvider[Any, Any, Any]", kept)
        self._handler = TokenHandler(provider, ClientAuthenticator(provider))

    async def issue(self, request: Request) -> Response:
        """Return tokens for a code or a refresh token."""
        return await self._count(request, self._issue)

    async def revoke(self, request: Request) -> Response:
        """End the grant of a token (RFC 7009); one that is unknown has ended already."""
        return await self._count(request, self._revoke)

    async def _issue(self, request: Request) -> Response:
        fields = await read_fields(request)
        if not means(fields.get("resource"), self._resource):
            return _fault("invalid_target", f"resource must be {self._resource.url}")
        answer: Response = await self._handler.handle(request)
        return answer

    async def _revoke(self, request: Request) -> Response:
        fields = await read_fields(request)
        client_id, token = fields.get("client_id", ""), fields.get("token", "")
        if not token:
            return _fault("invalid_request", "token is missing")
        if not client_id or await self._find_client(client_id) is None:
            return _fault("invalid_client", "client_id is unknown", HTTPStatus.UNAUTHORIZED)
        for kind in ("access", "refresh"):
            if found := await self._grants.find(kind, token, client_id):
                # Another may have ended it meanwhile.
                with suppress(NoProgram):
                    await self._grants.end(found.grant.id)
        return Response(headers=_UNSTORED)

    async def _count(
        self, request: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        try:
            answered = await answer(request)
        except Busy as error:
            said = {"error": "temporarily_unavailable", "error_description": error.message}
            headers = {**_UNSTORED, "Retry-After": str(error.retry_after or RETRY_SECONDS)}
            return JSONResponse(said, HTTPStatus.SERVICE_UNAVAILABLE, headers)
        if answered.status_code < HTTPStatus.BAD_REQUEST:
            return answered
        wait = await self._tries.fail(address_of(request.scope))
        if not wait:
            return answered
        said = {"error": "invalid_request", "error_description": f"More than {MOST} a minute"}
        headers = {**_UNSTORED, "Retry-After": str(wait)}
        return JSONResponse(said, HTTPStatus.TOO_MANY_REQUESTS, headers)


def _fault(code: str, reason: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> Response:
    return JSONResponse({"error": code, "error_description": reason}, status, _UNSTORED)
