"""The page on which a person lets a program in, or does not (``/authorize``)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from citeseek.conversations.oauth_clients import RegisteredClients
from citeseek.conversations.oauth_grants import Consent, Grants
from citeseek.person import current_person
from citeseek.surfaces.mcp.authorization_request import (
    AuthorizationRequest,
    FindClient,
    RefusedRequest,
    Unusable,
    UnusableRequest,
    read_request,
)
from citeseek.surfaces.mcp.protected_resource import Resource
from citeseek.surfaces.mcp.redirect_addresses import is_loopback_redirect, scheme_of_program
from citeseek.surfaces.mcp.token_endpoint import may_give_access
from citeseek.surfaces.server.form_pages import FormPages, read_fields
from citeseek.surfaces.server.rules import Rules

ALLOW = "allow"


class ConsentPage:
    """Asks people whether a program that ``find_client`` knows may come in as they do.

    One that describes itself in a document is kept in ``clients`` once somebody let it in: who
    redeems a code is no reason to fetch an address.

    The browser is sent back by a page that leads on, and not by a redirect: what a form leads to is
    held to this server by our Content-Security-Policy, in every step, and hosts go on from theirs.
    """

    def __init__(
        self,
        resource: Resource,
        grants: Grants,
        find_client: FindClient,
        clients: RegisteredClients,
        *,
        pages: FormPages,
        rules: Rules,
    ) -> None:
        self._resource = resource
        self._grants = grants
        self._find_client = find_client
        self._clients = clients
        self._pages = pages
        self._rules = rules

    async def ask(self, request: Request) -> Response:
        """Return the page for GET, and what follows from its buttons for POST."""
        fields = await read_fields(request) if request.method == "POST" else {}
        query = fields.get("query", "") if fields else request.url.query
        try:
            wanted = await read_request(query, self._resource, self._find_client)
        except UnusableRequest as unusable:
            return self._refuse(request, unusable.reason)
        except RefusedRequest as refused:
            return self._lead_on(request, refused.address)
        return await self._answer(request, wanted, query, fields)

    async def _answer(
        self,
        request: Request,
        wanted: AuthorizationRequest,
        query: str,
        fields: Mapping[str, str],
    ) -> Response:
        if request.method != "POST":
            return self._show(request, wanted, query)
        if not self._pages.is_own_form(request, fields, about=query):
            return self._show(request, wanted, query, HTTPStatus.FORBIDDEN)
        if fields.get("answer") != ALLOW:
            return self._lead_on(request, wanted.answer(error="access_denied"))
        if self._hindrance():
            return self._show(request, wanted, query, HTTPStatus.FORBIDDEN)
        is_kept = (
            await self._clients.keep(wanted.client_id, wanted.client)
            if wanted.described_at
            else True
        )
        if not is_kept:
            return self._lead_on(request, wanted.answer(error="temporarily_unavailable"))
        code = await self._grants.begin(self._consent(wanted))
        return self._lead_on(request, wanted.answer(code=code))

    def _consent(self, wanted: AuthorizationRequest) -> Consent:
        return Consent(
            client=wanted.client_id,
            name=wanted.name,
            host=wanted.host,
            resource=self._resource.url,
            scope=self._resource.scope or "",
            redirect_uri=wanted.redirect_uri,
            challenge=wanted.challenge,
            is_implied=wanted.is_implied,
        )

    def _show(
        self,
        request: Request,
        wanted: AuthorizationRequest,
        query: str,
        status: HTTPStatus = HTTPStatus.OK,
    ) -> Response:
        person = current_person()
        return self._pages.render(
            request,
            "consent.html",
            status=status,
            about=query,
            query=query,
            program=wanted.name,
            host=wanted.host,
            where=self._where(wanted.redirect_uri),
            described_at=wanted.described_at,
            person=person.name,
            hindrance=self._hindrance(),
            is_again=status is HTTPStatus.FORBIDDEN and not self._hindrance(),
        )

    @staticmethod
    def _where(address: str) -> str:
        """Return the key of what is said of an address that is on no site, empty for others."""
        if scheme_of_program(address):
            return "consent.app"
        return "consent.here" if is_loopback_redirect(address) else ""

    def _hindrance(self) -> str:
        """Return the key of why the person lets nobody in, empty for whoever may."""
        person = current_person()
        if person.is_guest:
            return "consent.guest"
        return "" if may_give_access(self._rules, person.name) else "consent.not_named"

    def _refuse(self, request: Request, reason: Unusable) -> Response:
        bad = HTTPStatus.BAD_REQUEST
        return self._pages.render(request, "no_consent.html", status=bad, reason=reason)

    def _lead_on(self, request: Request, address: str) -> Response:
        return self._pages.render(request, "lead_on.html", address=address)


def is_from_elsewhere(scope: Scope) -> bool:
    """Whether another site led a browser here, which then keeps the cookie of the login back."""
    site = Headers(scope=scope).get("sec-fetch-site", "none")
    return scope["method"] == "GET" and site not in ("same-origin", "none")
