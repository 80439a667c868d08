"""Programs register themselves (``/register``, RFC 7591)."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citeseek.conversations.oauth_clients import ClientRecord, RegisteredClients
from citeseek.surfaces.mcp.redirect_addresses import is_redirect
from citeseek.surfaces.mcp.token_endpoint import GRANT_TYPES

# So many a minute from one address.
PER_MINUTE = 10
_UNSTORED = {"Cache-Control": "no-store", "Pragma": "no-cache"}


class ClientMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """What a program says of itself; what else it says is not kept."""

    redirect_uris: Annotated[list[str], Meta(min_length=1, max_length=10)]
    client_name: Annotated[str, Meta(max_length=200)] | None = None
    grant_types: list[str] = msgspec.field(default_factory=lambda: ["authorization_code"])
    response_types: list[str] = msgspec.field(default_factory=lambda: ["code"])

    def record(self) -> ClientRecord | str:
        """Return what is kept of it, or the code of what is wrong (RFC 7591, section 3.2.2)."""
        if not all(map(is_redirect, self.redirect_uris)):
            return "invalid_redirect_uri"
        if "authorization_code" not in self.grant_types or "code" not in self.response_types:
            return "invalid_client_metadata"
        return ClientRecord(name=self.client_name or "", redirect_uris=tuple(self.redirect_uris))


_REASONS = {
    "invalid_redirect_uri": "redirect_uris must be https, http on loopback, or of a private scheme",
    "invalid_client_metadata": "it must be a JSON object with redirect_uris, for the code flow",
}


class ClientRegistration:
    """Registers programs at ``clients``, with ``scope`` and without a secret.

    A program that asked for a secret is told that it has none, as the standard allows.
    """

    def __init__(self, clients: RegisteredClients, scope: str) -> None:
        self._clients = clients
        self._scope = scope

    async def register(self, request: Request) -> Response:
        """Return what was registered, or why nothing was."""
        try:
            told = msgspec.json.decode(await request.body(), type=ClientMetadata)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return _refuse("invalid_client_metadata")
        record = told.record()
        if isinstance(record, str):
            return _refuse(record)
        client_id = await self._clients.register(record)
        if client_id is None:
            said = {"error": "temporarily_unavailable", "error_description": "too many programs"}
            return JSONResponse(said, HTTPStatus.SERVICE_UNAVAILABLE, _UNSTORED)
        shown: dict[str, Any] = {
            "client_id": client_id,
            "client_id_issued_at": int(time.time()),
            "redirect_uris": list(record.redirect_uris),
            "grant_types": GRANT_TYPES,
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": self._scope,
        }
        if record.name:
            shown["client_name"] = record.name
        return JSONResponse(shown, HTTPStatus.CREATED, _UNSTORED)


def _refuse(code: str) -> Response:
    said = {"error": code, "error_description": _REASONS[code]}
    return JSONResponse(said, HTTPStatus.BAD_REQUEST, _UNSTORED)
