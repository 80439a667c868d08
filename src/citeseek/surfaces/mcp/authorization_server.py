"""An authorization server of our own (OAuth 2.1), for MCP over HTTP and over the people there are.

A program finds it (RFC 8414), registers, sends the browser of a person to the consent page, and
gets tokens that count at ``/mcp`` alone. All is kept where conversations are: any process may
be asked.
"""

from __future__ import annotations

from http import HTTPStatus

from mcp.server.auth.provider import AccessToken
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.oauth_clients import ClientRecord, RegisteredClients
from citeseek.conversations.oauth_grants import ACCESS_PREFIX, Grants
from citeseek.person import OPERATOR, STRANGER
from citeseek.shared_state.valkey import Valkey
from citeseek.surfaces.mcp.client_documents import (
    ClientDocuments,
    FetchDocument,
    is_document_address,
)
from citeseek.surfaces.mcp.client_registration import PER_MINUTE, ClientRegistration
from citeseek.surfaces.mcp.consent import ConsentPage, is_from_elsewhere
from citeseek.surfaces.mcp.protected_resource import (
    AccessDoor,
    Resource,
    TokenBearer,
    no_longer,
    published,
)
from citeseek.surfaces.mcp.token_endpoint import GRANT_TYPES, TokenEndpoint, may_give_access
from citeseek.surfaces.page import static_files
from citeseek.surfaces.server.form_pages import FormPages
from citeseek.surfaces.server.headers import STATIC
from citeseek.surfaces.server.login import Login
from citeseek.surfaces.server.login_page import HOME
from citeseek.surfaces.server.origins import (
    AUTHORIZE,
    LOGIN,
    LOGOUT,
    PROGRAMS,
    REGISTER,
    REVOKE,
    TOKEN,
)
from citeseek.surfaces.server.programs_page import programs_routes
from citeseek.surfaces.server.rate_limit import RequestRate
from citeseek.surfaces.server.refusal import refusal
from citeseek.surfaces.server.rules import Rules, Visitor
from citeseek.surfaces.server.token_check import Tries, pass_on
from citeseek.surfaces.sign_in.registration import BACK, START
from citeseek.surfaces.sign_in.sign_in import SignIn

METADATA = "/.well-known/oauth-authorization-server"
_OF_PEOPLE = frozenset({AUTHORIZE, PROGRAMS, LOGIN, LOGOUT, START, BACK, HOME})


class AuthorizationServer:
    """Issues tokens for ``resource`` over ``store`` to programs of the people of ``rules``.

    With ``sign_in`` people log in with an account elsewhere as well. ``fetch`` reads what programs
    say of themselves at addresses of theirs.
    """

    def __init__(
        self,
        resource: Resource,
        store: DatabaseStore,
        rules: Rules,
        *,
        fetch: FetchDocument,
        sign_in: SignIn | None = None,
        valkey: Valkey | None = None,
    ) -> None:
        self._resource = resource
        self._store = store
        self._rules = rules
        self._sign_in = sign_in
        self._valkey = valkey
        self._pages = FormPages(rules.language)
        self._clients = RegisteredClients(store)
        self._documents = ClientDocuments(fetch)
        self._grants = Grants(store)
        self.tokens = OwnTokens(resource, self._grants, rules)

    def routes(self) -> list[Route]:
        """Return the routes of programs and of people."""
        resource = self._resource
        consent = ConsentPage(
            *(resource, self._grants, self._find, self._clients),
            pages=self._pages,
            rules=self._rules,
        )
        tokens = TokenEndpoint(
            *(resource, self._grants, self._clients.find),
            rules=self._rules,
            tries=Tries(valkey=self._valkey),
        )
        registration = ClientRegistration(self._clients, resource.scope or "")
        issuer = resource.issuer
        told = {
            "issuer": issuer,
            "authorization_endpoint": issuer + AUTHORIZE,
            "token_endpoint": issuer + TOKEN,
            "registration_endpoint": issuer + REGISTER,
            "revocation_endpoint": issuer + REVOKE,
            "scopes_supported": [resource.scope],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": GRANT_TYPES,
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
        }

        async def static(request: Request) -> Response:
            name = request.path_params["name"]
            missing = refusal(request.scope, HTTPStatus.NOT_FOUND, "no_file")
            return static_files.respond(request, name) or missing

        async def home(_: Request) -> Response:
            return RedirectResponse(PROGRAMS, HTTPStatus.SEE_OTHER)

        return [
            published(METADATA, told),
            Route(AUTHORIZE, consent.ask, methods=["GET", "POST"]),
            Route(TOKEN, tokens.issue, methods=["POST"]),
            Route(REVOKE, tokens.revoke, methods=["POST"]),
            Route(REGISTER, registration.register, methods=["POST"]),
            *programs_routes(self._grants, self._pages),
            Route(STATIC + "{name:path}", static),
            Route(HOME, home),
        ]

    async def _find(self, client_id: str) -> ClientRecord | None:
        """Return a program as it is now; raise UnreadableDocument."""
        if is_document_address(client_id):
            return await self._documents.find(client_id)
        return await self._clients.find(client_id)

    def door(self, app: ASGIApp, door: ASGIApp) -> ASGIApp:
        """Return ``app`` as it is reached: by programs with a token of ours, else by ``door``.

        Pages are behind the login, and what programs need before they have a token behind nothing.
        """
        people = Login(app, self._rules, valkey=self._valkey, sign_in=self._sign_in)
        programs = AccessDoor(app, door=door, resource=self._resource, tokens=self.tokens)
        strangers = pass_on(app, Visitor(STRANGER, ""))
        registering = RequestRate(strangers, PER_MINUTE, valkey=self._valkey)

        async def entrance(scope: Scope, receive: Receive, send: Send) -> None:
            path = scope["path"]
            way: ASGIApp = programs
            if path in (METADATA, TOKEN, REVOKE):
                way = strangers
            elif path == REGISTER:
                way = registering
            elif path == AUTHORIZE and is_from_elsewhere(scope):
                way = self._from_here
            elif path in _OF_PEOPLE or path.startswith(STATIC):
                way = people
            await way(scope, receive, send)

        return entrance

    async def _from_here(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the browser ask once more as a page of ours, with the cookie of the login."""
        request = Request(scope, receive)
        address = f"{AUTHORIZE}?{request.url.query}"
        page = self._pages.render(request, "lead_on.html", address=address)
        await page(scope, receive, send)

    async def close(self) -> None:
        """Close the store."""
        await self._store.close()


class OwnTokens:
    """The access tokens that we issued for ``resource``."""

    def __init__(self, resource: Resource, grants: Grants, rules: Rules) -> None:
        self._resource = resource
        self._grants = grants
        self._rules = rules

    async def read(self, token: str) -> TokenBearer | None:
        """Return who comes in by ``token``; None when it is not one of ours for this address.

        Raise NotThisOne for one that is over, and for a person who is not let in any longer; Busy
        or CiteseekError where the store cannot be read.
        """
        if not token.startswith(ACCESS_PREFIX):
            return None
        found = await self._grants.find("access", token)
        if found is None or found.grant.resource != self._resource.url:
            return None
        if self._grants.is_over(found):
            raise no_longer("token_over")
        grant = found.grant
        person = may_give_access(self._rules, grant.person)
        if person is None:
            raise no_longer("giver_gone")
        access = AccessToken(
            token=token,
            client_id=grant.client,
            scopes=grant.scope.split(),
            expires_at=int(found.expires_at),
            resource=grant.resource,
            subject=person.name or "operator",
            claims={"iss": self._resource.issuer},
        )
        # Whoever runs the server has a count for each token, and for each program.
        is_operator = person == OPERATOR
        visitor = Visitor(person, f"program {grant.id}") if is_operator else Visitor.of(person)
        return TokenBearer(access, visitor)
