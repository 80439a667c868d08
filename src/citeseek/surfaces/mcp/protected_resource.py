"""The MCP server as a protected resource (RFC 9728): who issues tokens for it, and who has one."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.routes import build_resource_metadata_url, cors_middleware
from pydantic import AnyHttpUrl
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.errors import CiteseekError, InvalidInput
from citeseek.settings import Settings
from citeseek.surfaces.server.refusal import refusal, refuse
from citeseek.surfaces.server.rules import Visitor
from citeseek.surfaces.server.token_check import pass_on, read_token
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.issuer_documents import is_safe

# What the tokens of our own authorization server are said to be for, unless a setting says it.
USUAL_SCOPE = "mcp"
# Where hosts find us; an authorization server of our own is at the root of the same address.
PATH = "/mcp"
_RETRY_SECONDS = 30


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """This server as one for which tokens are issued: its ``url``, and the ``scope`` they need.

    ``is_own`` says that ``issuer`` is this server as well.
    """

    url: str
    issuer: str
    scope: str | None = None
    is_own: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Resource | None:
        """Return that of ``settings``, None when nobody issues tokens for it.

        Raise InvalidInput for addresses that cannot be relied on, for two authorization servers,
        and without any other way in.
        """
        issuer, url = settings.mcp.issuer, settings.mcp.url
        is_own = settings.mcp.authorization == "on"
        if issuer is None and not is_own:
            return None
        if is_own and issuer is not None:
            raise InvalidInput(
                "Two authorization servers are set: mcp.authorization and mcp.issuer.",
                hint="Leave out CITESEEK_MCP_AUTHORIZATION or CITESEEK_MCP_ISSUER.",
                values={"case": "two_issuers"},
            )
        who = "CITESEEK_MCP_AUTHORIZATION" if is_own else "CITESEEK_MCP_ISSUER"
        if url is None:
            raise InvalidInput(
                f"An issuer of access tokens is named ({who}), but not for what.",
                hint="Set CITESEEK_MCP_URL to the address under which hosts reach this server.",
                values={"case": "issuer_without_url", "setting": who},
            )
        if not _has_door(settings):
            raise InvalidInput(
                f"An issuer of access tokens is named ({who}), but anybody would come in without "
                "one.",
                hint="Set CITESEEK_TOKEN as well, which is your own way in.",
                values={"case": "issuer_without_door", "setting": who},
            )
        for address in filter(None, (issuer, url)):
            if not is_safe(address):
                raise InvalidInput(
                    f"{address} has to be an https address.",
                    values={"case": "not_https", "address": address},
                )
        parts = urlsplit(url)
        if issuer is not None:
            return cls(url=url, issuer=issuer, scope=settings.mcp.scope)
        if parts.path != PATH:
            raise InvalidInput(
                f"{url} has to end in {PATH} behind the name of the host.",
                hint="Let a proxy pass all of a host on: what hosts look for is at its root.",
                values={"case": "mcp_path", "address": url, "path": PATH},
            )
        return cls(
            url=url,
            issuer=f"{parts.scheme}://{parts.netloc}",
            scope=settings.mcp.scope or USUAL_SCOPE,
            is_own=True,
        )

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
        path = urlsplit(self.metadata_url).path
        root = path.removesuffix(urlsplit(self.url).path)
        return [published(each, told) for each in dict.fromkeys((path, root))]

    def challenge(self, code: str = "") -> Mapping[str, str]:
        """Return the header that says where a token is to be had, and what is wrong with one."""
        said = {
            "realm": "citeseek",
            "error": code,
            "scope": self.scope or "",
            "resource_metadata": self.metadata_url,
        }
        told = ", ".join(f'{name}="{value}"' for name, value in said.items() if value)
        return {"WWW-Authenticate": f"Bearer {told}"}


def published(path: str, told: Mapping[str, Any]) -> Route:
    """Return the route of a document that says to everybody what a server is."""

    def tell(_: Request) -> Response:
        return JSONResponse(told, headers={"Cache-Control": "public, max-age=3600"})

    methods = ["GET", "OPTIONS"]
    return Route(path, cors_middleware(tell, methods), methods=methods)


def _has_door(settings: Settings) -> bool:
    return settings.server.token is not None or settings.server.people is not None


class TokenBearer(msgspec.Struct, frozen=True):
    """What an access token says, and who comes in by it."""

    access: AccessToken
    visitor: Visitor


class NotThisOne(Exception):
    """A token of the issuer that does not let in: ``code`` is OAuth's, ``case`` of a refusal."""

    def __init__(self, status: HTTPStatus, code: str, case: str, **values: Any) -> None:
        super().__init__(case)
        self.status, self.code, self.case, self.values = status, code, case, values


def no_longer(case: str) -> NotThisOne:
    """Return the refusal of a token that was good."""
    return NotThisOne(HTTPStatus.UNAUTHORIZED, "invalid_token", case)


class AccessTokens(Protocol):
    """Knows the access tokens of an issuer."""

    async def read(self, token: str) -> TokenBearer | None:
        """Return who comes in by ``token``; None when it is not one of the issuer's for us.

        Raise NotThisOne for one that is over or lacks the scope, and CiteseekError where that
        cannot be known at the moment.
        """
        ...


class AccessDoor:
    """Lets requests through to ``app`` that bring one of ``tokens`` for ``resource``.

    All others go to ``door``, which has tokens of its own; where it refuses one, it is told who
    issues tokens. A token that was good and is over is no guess, and is answered here.
    """

    def __init__(
        self, app: ASGIApp, *, door: ASGIApp, resource: Resource, tokens: AccessTokens
    ) -> None:
        self._app = app
        self._door = door
        self._resource = resource
        self._tokens = tokens
        self._open = frozenset(route.path for route in resource.routes())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or say what its token lacks."""
        if scope["path"] in self._open:
            await self._app(scope, receive, send)
            return
        given = read_token(scope)
        try:
            admitted = await self._tokens.read(given) if given else None
        except NotThisOne as no:
            headers = self._resource.challenge(no.code)
            answer = refusal(scope, no.status, no.case, headers=headers, **no.values)
            await answer(scope, receive, send)
        except CiteseekError as error:
            said = words_for(Request(scope)).explain(error)
            status = HTTPStatus.SERVICE_UNAVAILABLE
            unavailable = refuse(scope, status, *said, retry_after=_RETRY_SECONDS)
            await unavailable(scope, receive, send)
        else:
            if admitted is None:
                await self._door(scope, receive, self._naming_issuer(send))
                return
            # The library keeps the sessions of each apart by it.
            scope["user"] = AuthenticatedUser(admitted.access)
            await pass_on(self._app, admitted.visitor)(scope, receive, send)

    def _naming_issuer(self, send: Send) -> Send:
        """Return ``send`` that adds to a challenge where it is told who issues tokens."""
        (name, value), *_ = self._resource.challenge().items()
        challenge = (name.lower().encode(), value.encode())

        async def seen(message: Message) -> None:
            if message.get("status") == HTTPStatus.UNAUTHORIZED:
                kept = [pair for pair in message["headers"] if pair[0].lower() != challenge[0]]
                message = {**message, "headers": [*kept, challenge]}
            await send(message)

        return seen
