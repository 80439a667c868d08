"""What a program asks for at ``/authorize``, read strictly (OAuth 2.1, section 4.1.1)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, urlsplit

import msgspec

from citeseek.conversations.oauth_clients import ClientRecord
from citeseek.surfaces.mcp.client_documents import UnreadableDocument, is_document_address
from citeseek.surfaces.mcp.protected_resource import Resource
from citeseek.surfaces.mcp.redirect_addresses import (
    add_answer,
    fits_registered,
    scheme_of_program,
)
from citeseek.text import plain_line, shorten

FindClient: TypeAlias = Callable[[str], Awaitable[ClientRecord | None]]
Unusable: TypeAlias = Literal["unreadable", "no_client", "no_document", "no_redirect"]

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_MAX_STATE = 2_000
_MAX_PARAMETERS = 40
_NAME_CHARACTERS = 80


class UnusableRequest(Exception):
    """A request that cannot be answered to its program: nobody knows where that is."""

    def __init__(self, reason: Unusable) -> None:
        super().__init__(reason)
        self.reason = reason


class RefusedRequest(Exception):
    """A request that is refused; ``address`` tells its program."""

    def __init__(self, address: str, error: str) -> None:
        super().__init__(error)
        self.address, self.error = address, error


class AuthorizationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request that may be put to a person."""

    client_id: str
    client: ClientRecord
    redirect_uri: str
    is_implied: bool
    challenge: str
    state: str
    issuer: str

    @property
    def host(self) -> str:
        """Where the browser is sent back to: a host, or ``scheme://`` for a program's own."""
        scheme = scheme_of_program(self.redirect_uri)
        return f"{scheme}://" if scheme else urlsplit(self.redirect_uri).hostname or ""

    @property
    def described_at(self) -> str:
        """The host of the document in which the program describes itself, empty without one."""
        is_described = is_document_address(self.client_id)
        return urlsplit(self.client_id).netloc if is_described else ""

    @property
    def name(self) -> str:
        """What the program calls itself, in one short line."""
        return shorten(plain_line(self.client.name), _NAME_CHARACTERS) or self.host

    def answer(self, **told: str) -> str:
        """Return where the browser is sent with an answer, which says whose it is (RFC 9207)."""
        return add_answer(self.redirect_uri, **told, state=self.state, iss=self.issuer)


async def read_request(
    query: str, resource: Resource, find_client: FindClient
) -> AuthorizationRequest:
    """Return what ``query`` asks for; raise UnusableRequest or RefusedRequest.

    Only S256 is taken as a challenge, and none is plain: a request without a method means that.
    """
    asked = _parameters(query)
    client_id = asked.get("client_id", "")
    try:
        client = await find_client(client_id) if client_id else None
    except UnreadableDocument:
        raise UnusableRequest("no_document") from None
    if client is None:
        raise UnusableRequest("no_client")
    named = asked.get("redirect_uri")
    if named is None and len(client.redirect_uris) != 1:
        raise UnusableRequest("no_redirect")
    redirect_uri = client.redirect_uris[0] if named is None else named
    if not fits_registered(redirect_uri, client.redirect_uris):
        raise UnusableRequest("no_redirect")
    request = AuthorizationRequest(
        client_id=client_id,
        client=client,
        redirect_uri=redirect_uri,
        is_implied=named is None,
        challenge=asked.get("code_challenge", ""),
        state=asked.get("state", "")[:_MAX_STATE],
        issuer=resource.issuer,
    )
    if error := _fault(asked, resource):
        code, reason = error
        raise RefusedRequest(request.answer(error=code, error_description=reason), code)
    return request


def _fault(asked: Mapping[str, str], resource: Resource) -> tuple[str, str] | None:
    """Return the code of what is wrong with a request, and the sentence for its program."""
    if len(asked.get("state", "")) > _MAX_STATE:
        return "invalid_request", "state is too long"
    if asked.get("response_type") != "code":
        return "unsupported_response_type", "response_type must be code"
    if asked.get("code_challenge_method") != "S256":
        return "invalid_request", "code_challenge_method must be S256"
    if _CHALLENGE.fullmatch(asked.get("code_challenge", "")) is None:
        return "invalid_request", "code_challenge must be 43 characters of base64url"
    if not means(asked.get("resource"), resource):
        return "invalid_target", f"resource must be {resource.url}"
    return None


def means(named: str | None, resource: Resource) -> bool:
    """Whether a resource indicator (RFC 8707) names this server; there is no other without one."""
    return named is None or named.rstrip("/") == resource.url


def _parameters(query: str) -> dict[str, str]:
    """Return the parameters, each of which may stand there once; raise UnusableRequest."""
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, max_num_fields=_MAX_PARAMETERS, errors="strict"
        )
    except ValueError:
        raise UnusableRequest("unreadable") from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise UnusableRequest("unreadable")
    return found
