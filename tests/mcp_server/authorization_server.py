"""An authorization server of somebody else: the MCP library's own routes, over keys of this test.

It registers clients, checks PKCE and lets everybody in as whoever ``subject`` names.
"""

from __future__ import annotations

import json
import random
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.routes import build_metadata, create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from tests.serving.running import running

SCOPE = "search"
SECONDS = 600


def new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65_537, key_size=2_048)


def unused_port() -> int:
    """Return a port that nothing listens at, of those that the system gives to nobody."""
    while True:
        port = random.randrange(20_000, 32_000)  # noqa: S311 - no secret
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Issuer:
    """What the server at ``url`` knows; tests change it while it runs."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.subject = "alice"
        self.keys = {"first": new_key()}
        self.signs_with = "first"
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        # How often each document was asked for.
        self.asked: list[str] = []

    def token(self, audience: str, *, key: Any = None, **claims: Any) -> str:
        """Return an access token for ``audience``; None among ``claims`` leaves one out."""
        now = int(time.time())
        usual = {
            "iss": self.url,
            "sub": self.subject,
            "aud": audience,
            "iat": now,
            "exp": now + SECONDS,
            "scope": SCOPE,
            "client_id": "a host",
        }
        told = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        head = {"kid": self.signs_with, "typ": "at+jwt"}
        return jwt.encode(told, key or self.keys[self.signs_with], "RS256", headers=head)

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[str(client_info.client_id)] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32),
            client_id=str(client.client_id),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        code = self.codes.get(authorization_code)
        return code if code and code.client_id == client.client_id else None

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        token = self.token(
            str(authorization_code.resource),
            scope=" ".join(authorization_code.scopes),
            client_id=client.client_id,
        )
        return OAuthToken(access_token=token, expires_in=SECONDS)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return None

    async def load_access_token(self, token: str) -> AccessToken | None:
        return None

    async def metadata(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        told = build_metadata(
            AnyHttpUrl(self.url),
            None,
            ClientRegistrationOptions(enabled=True, valid_scopes=[SCOPE]),
            RevocationOptions(),
        )
        told.issuer = AnyHttpUrl(self.url)
        said = told.model_dump(mode="json", exclude_none=True)
        return JSONResponse({**said, "issuer": self.url, "jwks_uri": f"{self.url}/keys"})

    async def key_set(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        published = [
            {**json.loads(RSAAlgorithm.to_jwk(key.public_key())), "kid": name, "use": "sig"}
            for name, key in self.keys.items()
        ]
        # What is no key for signatures is passed over.
        return JSONResponse(
            {"keys": [{"kty": "oct", "kid": "shared", "k": "c2VjcmV0"}, *published]}
        )


@contextmanager
def issuing() -> Iterator[Issuer]:
    """Serve an authorization server until the block ends."""
    port = unused_port()
    issuer = Issuer(f"http://127.0.0.1:{port}")
    routes = create_auth_routes(
        issuer,  # type: ignore[arg-type]
        AnyHttpUrl(issuer.url),
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=[SCOPE], default_scopes=[SCOPE]
        ),
    )
    own = [
        Route("/.well-known/oauth-authorization-server", issuer.metadata),
        Route("/keys", issuer.key_set),
    ]
    with running(Starlette(routes=[*own, *routes]), port=urlsplit(issuer.url).port or 0):
        yield issuer
