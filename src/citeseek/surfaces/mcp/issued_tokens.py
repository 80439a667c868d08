"""Access tokens that an authorization server of others issued for this server (OAuth 2.1).

This server is a protected resource (RFC 9728): it says who issues tokens for it, and takes the JWTs
(RFC 9068) that are for it and for nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import jwt
import msgspec
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.routes import build_resource_metadata_url, cors_middleware
from pydantic import AnyHttpUrl
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.errors import BadGateway, InvalidInput
from citeseek.person import Person
from citeseek.settings import Settings
from citeseek.settings.known_people import name_subject
from citeseek.surfaces.mcp.token_issuer import TokenIssuer
from citeseek.surfaces.server.refusal import refusal
from citeseek.surfaces.server.rules import Visitor
from citeseek.surfaces.server.token_check import pass_on, read_token
from citeseek.surfaces.web.issuer_documents import is_safe

# How far the clocks of two machines may be apart.
LEEWAY_SECONDS = 60
_CLAIMS = ("exp", "iss", "aud", "sub")
_RETRY_SECONDS = 30


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """This server as one for which tokens are issued: its ``url``, and the ``scope`` they need."""

    url: str
    issuer: str
    scope: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> Resource | None:
        """Return that of ``settings``, None when they name no issuer.

        Raise InvalidInput for addresses that cannot be relied on, and without any other way in.
        """
        issuer, url = settings.mcp.issuer, settings.mcp.url
        if issuer is None:
            return None
        if url is None:
            raise InvalidInput(
                "An issuer of access tokens is named (CITESEEK_MCP_ISSUER), but not for what.",
                hint="Set CITESEEK_MCP_URL to the address under which hosts reach this server.",
            )
        if settings.server.token is None and settings.server.people is None:
            raise InvalidInput(
                "An issuer of access tokens is named (CITESEEK_MCP_ISSUER), but anybody would come "
                "in without one.",
                hint="Set CITESEEK_TOKEN as well, which is your own way in.",
            )
        for address in (issuer, url):
            if not is_safe(address):
                raise InvalidInput(f"{address} has to be an https address.")
        return cls(url=url, issuer=issuer, scope=settings.mcp.scope)

    @property
    def metadata_url(self) -> str:
        """Where it is told who issues tokens for it."""
        return str(build_resource_metadata_url(AnyHttpUrl(self.url)))

    def routes(self) -> list[Route]:
        """Return the routes of this: behind the path of the resource, and without any path."""
        told: dict[str, Any] = {
            "resource": self.url,
            # As it is written: the library's own type adds a slash, and hosts compare letters.
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Citeseek",
        }
        if self.scope:
            told["scopes_supported"] = [self.scope]

        def tell(_: Request) -> Response:
            return JSONResponse(told, headers={"Cache-Control": "public, max-age=3600"})

        path = urlsplit(self.metadata_url).path
        root = path.removesuffix(urlsplit(self.url).path)
        methods = ["GET", "OPTIONS"]
        return [
            Route(each, cors_middleware(tell, methods), methods=methods)
            for each in dict.fromkeys((path, root))
        ]


class IssuedTokens:
    """Lets requests through to ``app`` that bring a token of ``issuer`` for ``resource``.

    All others go to ``door``, which has tokens of its own; where it refuses one, it is told who
    issues tokens. A token that was good and is over is no guess, and is answered here.
    """

    def __init__(
        self, app: ASGIApp, *, door: ASGIApp, resource: Resource, issuer: TokenIssuer
    ) -> None:
        self._app = app
        self._door = door
        self._resource = resource
        self._issuer = issuer
        self._open = frozenset(route.path for route in resource.routes())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or say what its token lacks."""
        if scope["path"] in self._open:
            await self._app(scope, receive, send)
            return
        try:
            access = await self._read(read_token(scope) or "")
        except _NotThisOne as no:
            answer = refusal(
                scope, no.status, no.detail, headers=self._challenge(no.code), code=no.status.name
            )
            await answer(scope, receive, send)
        except BadGateway as error:
            unavailable = refusal(
                scope,
                HTTPStatus.SERVICE_UNAVAILABLE,
                error.message,
                hint=error.hint,
                retry_after=_RETRY_SECONDS,
            )
            await unavailable(scope, receive, send)
        else:
            if access is None:
                await self._door(scope, receive, self._naming_issuer(send))
                return
            # The library keeps the sessions of each apart by it.
            scope["user"] = AuthenticatedUser(access)
            visitor = Visitor(person_of(access.subject or ""), f"subject {access.subject}")
            await pass_on(self._app, visitor)(scope, receive, send)

    async def _read(self, token: str) -> AccessToken | None:
        """Return what ``token`` says; None when it is not one of the issuer's for this server.

        Raise _NotThisOne for one that is over or lacks the scope, BadGateway without any keys.
        """
        try:
            head = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            return None
        key = await self._issuer.find_key(str(head.get("kid", "")))
        if key is None:
            return None
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key.key,
                algorithms=list(key.algorithms),
                audience=self._resource.url,
                issuer=self._issuer.name,
                leeway=LEEWAY_SECONDS,
                options={"require": list(_CLAIMS)},
            )
        except jwt.ExpiredSignatureError:
            raise _NotThisOne(
                HTTPStatus.UNAUTHORIZED, "invalid_token", "The access token is over."
            ) from None
        except jwt.PyJWTError:
            return None
        scopes = _scopes(claims)
        if self._resource.scope and self._resource.scope not in scopes:
            detail = f"The access token lacks the scope {self._resource.scope}."
            raise _NotThisOne(HTTPStatus.FORBIDDEN, "insufficient_scope", detail)
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or ""),
            scopes=scopes,
            expires_at=int(claims["exp"]),
            resource=self._resource.url,
            subject=str(claims["sub"]),
            claims=claims,
        )

    def _challenge(self, code: str = "") -> Mapping[str, str]:
        said = {
            "realm": "citeseek",
            "error": code,
            "scope": self._resource.scope or "",
            "resource_metadata": self._resource.metadata_url,
        }
        told = ", ".join(f'{name}="{value}"' for name, value in said.items() if value)
        return {"WWW-Authenticate": f"Bearer {told}"}

    def _naming_issuer(self, send: Send) -> Send:
        """Return ``send`` that adds to a challenge where it is told who issues tokens."""
        (name, value), *_ = self._challenge().items()
        challenge = (name.lower().encode(), value.encode())

        async def seen(message: Message) -> None:
            if message.get("status") == HTTPStatus.UNAUTHORIZED:
                kept = [pair for pair in message["headers"] if pair[0].lower() != challenge[0]]
                message = {**message, "headers": [*kept, challenge]}
            await send(message)

        return seen


def person_of(subject: str) -> Person:
    """Return the person that an issuer calls ``subject``.

    Their name is that of nobody who comes in another way.
    """
    return Person(name_subject(subject), "member")


class _NotThisOne(Exception):
    """A token of the issuer that does not let in, and why."""

    def __init__(self, status: HTTPStatus, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """Return the scopes of a token: ``scope`` as RFC 9068 has it, ``scp`` as others write it."""
    told = claims.get("scope", claims.get("scp", ""))
    if isinstance(told, str):
        return told.split()
    return [str(each) for each in told] if isinstance(told, list) else []
