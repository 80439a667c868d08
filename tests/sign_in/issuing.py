"""An issuer of somebody else: Authlib's own server side, over keys of this test.

It speaks OpenID Connect, and beside it what GitHub speaks. Everybody is let in as whoever
``account`` says; tests change what it knows while it runs.
"""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from authlib.oauth2 import OAuth2Request
from authlib.oauth2.rfc6749 import AuthorizationServer, ClientMixin, grants
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import AuthorizationCodeMixin
from authlib.oidc.core.grants import OpenIDCode
from authlib.oidc.rpinitiated import EndSessionEndpoint
from joserfc import jwt
from joserfc.jwk import ECKey, Key, KeySet
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from tests.mcp_server.authorization_server import unused_port
from tests.serving.running import running

CLIENT, SECRET = "citeseek-at-issuer", "marked-client-secret-4f2a77"
ALICE = {"sub": "248289761001", "email": "Alice@Example.org", "email_verified": True}
CONSENT = '<!doctype html><form method="post" action="{}"><button>Allow</button></form>'


class _Client(ClientMixin):
    """This server, as the issuer knows it."""

    id_token_signed_response_alg = "ES256"

    def __init__(self, auth_methods: list[str]) -> None:
        self.redirect_uris: list[str] = []
        self.secret = SECRET
        self.auth_methods = auth_methods
        self.client_metadata = {"post_logout_redirect_uris": []}

    def get_client_id(self) -> str:
        return CLIENT

    def get_default_redirect_uri(self) -> str:
        return self.redirect_uris[0]

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self.redirect_uris

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == self.secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in self.auth_methods

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


class _Code(AuthorizationCodeMixin):
    def __init__(self, code: str, request: OAuth2Request) -> None:
        told = request.payload.data
        self.code, self.user = code, request.user
        self.redirect_uri, self.scope = told["redirect_uri"], told["scope"]
        self.nonce = told.get("nonce")
        self.code_challenge = told.get("code_challenge")
        self.code_challenge_method = told.get("code_challenge_method")

    def get_redirect_uri(self) -> str:
        return str(self.redirect_uri)

    def get_scope(self) -> str:
        return str(self.scope)

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


class _Asked(OAuth2Request):
    """A request of Starlette's, with its form read. Authlib takes http for nothing but tests."""

    def __init__(self, request: Request, form: dict[str, str]) -> None:
        uri = str(request.url.replace(scheme="https"))
        super().__init__(request.method, uri, headers=request.headers)
        self._told = form
        self.payload = BasicOAuth2Payload({**request.query_params, **form})

    @property
    def form(self) -> dict[str, str]:
        return self._told


class Issuer(AuthorizationServer):
    """What the server at ``url`` knows."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.account: dict[str, Any] = dict(ALICE)
        self.organizations: list[str] = []
        self.keys: dict[str, Key] = {"first": ECKey.generate_key("P-256")}
        self.signs_with = "first"
        # Claims that it tells when it is asked with an access token, and not in the ID token.
        self.only_told: set[str] = set()
        # Makes another ID token of the claims of one that is right.
        self.forge: Callable[[dict[str, Any]], str] | None = None
        self.is_gone = self.asks_consent = False
        self.client = _Client(["client_secret_basic", "client_secret_post"])
        self.codes: dict[str, _Code] = {}
        self.tokens: dict[str, dict[str, Any]] = {}
        # The paths that were asked for, and the accounts that were signed out.
        self.asked: list[str] = []
        self.ended: list[str] = []
        self.register_token_generator(
            "default", BearerTokenGenerator(lambda **_: secrets.token_urlsafe(24))
        )
        extensions = [_open_id(self), CodeChallenge(required=True)]
        self.register_grant(_code_grant(self), extensions)
        self.register_endpoint(_end_session(self))

    @property
    def algorithm(self) -> str:
        return "ES256" if self.keys[self.signs_with].key_type == "EC" else "RS256"

    def sign(self, claims: dict[str, Any], *, alg: str = "", key: Any = None, **head: str) -> str:
        """Return an ID token with ``claims``, by default as the issuer signs it."""
        header = {"alg": alg or self.algorithm, "kid": self.signs_with, **head}
        if header["alg"] == "none":
            parts = (json.dumps(each).encode() for each in (header, claims))
            return (
                ".".join([base64.urlsafe_b64encode(each).decode().rstrip("=") for each in parts])
                + "."
            )
        return jwt.encode(header, claims, key or self.keys[self.signs_with], [header["alg"]])

    # What Authlib asks of a framework.

    def create_oauth2_request(self, request: _Asked) -> _Asked:
        return request

    def handle_response(self, status: int, body: Any, headers: Any) -> Response:
        content = json.dumps(body) if isinstance(body, dict) else body
        return Response(content, status, dict(headers))

    def send_signal(self, name: str, *args: Any, **values: Any) -> None:
        pass

    def query_client(self, client_id: str) -> _Client | None:
        return self.client if client_id == CLIENT else None

    def save_token(self, token: dict[str, Any], request: OAuth2Request) -> None:
        self.tokens[token["access_token"]] = dict(request.user)

    # Its addresses.

    async def authorize(self, request: Request) -> Response:
        if request.method == "GET" and self.asks_consent:
            return HTMLResponse(CONSENT.format(f"?{request.url.query.replace('&', '&amp;')}"))
        asked = await _read(request)
        grant = self.get_consent_grant(asked, self.account)
        return self.create_authorization_response(asked, self.account or None, grant)

    async def redeem(self, request: Request) -> Response:
        return self.create_token_response(await _read(request))

    async def redeem_as_github(self, request: Request) -> Response:
        answer = await self.redeem(request)
        if answer.status_code == 200:
            return answer
        told = {"invalid_grant": "bad_verification_code"}
        error = json.loads(bytes(answer.body))["error"]
        return JSONResponse({"error": told.get(error, error), "error_description": "…"})

    async def end_session(self, request: Request) -> Response:
        found = self.create_endpoint_response("end_session", await _read(request))
        return found or HTMLResponse("Signed out.")

    async def metadata(self, _: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "end_session_endpoint": f"{self.url}/end",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["ES256", "RS256"],
                "token_endpoint_auth_methods_supported": self.client.auth_methods,
            }
        )

    async def key_set(self, _: Request) -> Response:
        published = [
            {**key.as_dict(private=False), "kid": name, "use": "sig"}
            for name, key in self.keys.items()
        ]
        # What is no key for signatures is passed over.
        shared = {"kty": "oct", "kid": "shared", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"}
        return JSONResponse({"keys": [shared, *published]})

    async def userinfo(self, request: Request) -> Response:
        user = self._user_of(request)
        return JSONResponse(user) if user else JSONResponse({}, 401)

    async def user(self, request: Request) -> Response:
        if (user := self._user_of(request)) is None:
            return JSONResponse({"message": "Bad credentials"}, 401)
        return JSONResponse({"id": int(user["sub"]), "login": "octo-Alice", "name": None})

    async def emails(self, request: Request) -> Response:
        user = self._user_of(request) or {}
        return JSONResponse(
            [
                {"email": "other@example.net", "primary": False, "verified": True},
                {
                    "email": user["email"],
                    "primary": True,
                    "verified": user["email_verified"],
                    "visibility": None,
                },
            ]
        )

    async def user_organizations(self, request: Request) -> Response:
        assert self._user_of(request)
        return JSONResponse([{"login": each, "id": 1} for each in self.organizations])

    def _user_of(self, request: Request) -> dict[str, Any] | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return self.tokens.get(token) if scheme == "Bearer" else None


def _code_grant(issuer: Issuer) -> type[grants.AuthorizationCodeGrant]:
    class Code(grants.AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]  # noqa: RUF012

        def save_authorization_code(self, code: str, request: OAuth2Request) -> None:
            issuer.codes[code] = _Code(code, request)

        def query_authorization_code(self, code: str, client: _Client) -> _Code | None:
            return issuer.codes.get(code)

        def delete_authorization_code(self, authorization_code: _Code) -> None:
            del issuer.codes[authorization_code.code]

        def authenticate_user(self, authorization_code: _Code) -> dict[str, Any]:
            return dict(authorization_code.user)

    return Code


def _open_id(issuer: Issuer) -> OpenIDCode:
    class OpenId(OpenIDCode):
        def exists_nonce(self, nonce: str, request: OAuth2Request) -> bool:
            return False

        def resolve_client_private_key(self, client: _Client) -> Key:
            return issuer.keys[issuer.signs_with]

        def get_encode_header(self, client: _Client) -> dict[str, str]:
            return {"alg": issuer.algorithm, "kid": issuer.signs_with}

        def get_client_algorithm(self, client: _Client) -> str:
            return issuer.algorithm

        def get_client_claims(self, client: _Client) -> dict[str, Any]:
            return {"iss": issuer.url, "aud": [CLIENT]}

        def generate_user_info(self, user: dict[str, Any], scope: str) -> dict[str, Any]:
            return {name: user[name] for name in user.keys() - issuer.only_told}

        def encode_id_token(self, token: Any, request: OAuth2Request) -> str:
            made = str(super().encode_id_token(token, request))
            if issuer.forge is None:
                return made
            return issuer.forge(json.loads(_part(made, 1)))

    return OpenId()


def _end_session(issuer: Issuer) -> type[EndSessionEndpoint]:
    class EndSession(EndSessionEndpoint):
        def get_server_jwks(self) -> KeySet:
            return KeySet(list(issuer.keys.values()))

        def end_session(self, end_session_request: Any) -> None:
            issuer.ended.append(issuer.account["sub"])

        def is_post_logout_redirect_uri_legitimate(self, *_: Any) -> bool:
            return True

    return EndSession


async def _read(request: Request) -> _Asked:
    form = {name: str(value) for name, value in (await request.form()).items()}
    return _Asked(request, form)


def _part(token: str, place: int) -> bytes:
    return base64.urlsafe_b64decode(token.split(".")[place] + "==")


@contextmanager
def issuing() -> Iterator[Issuer]:
    """Serve an issuer until the block ends."""
    port = unused_port()
    issuer = Issuer(f"http://localhost:{port}")
    both = ["GET", "POST"]
    routes = [
        Route("/.well-known/openid-configuration", issuer.metadata),
        Route("/authorize", issuer.authorize, methods=both),
        Route("/token", issuer.redeem, methods=["POST"]),
        Route("/keys", issuer.key_set),
        Route("/userinfo", issuer.userinfo),
        Route("/end", issuer.end_session, methods=both),
        Route("/login/oauth/authorize", issuer.authorize, methods=both),
        Route("/login/oauth/access_token", issuer.redeem_as_github, methods=["POST"]),
        Route("/api/v3/user", issuer.user),
        Route("/api/v3/user/emails", issuer.emails),
        Route("/api/v3/user/orgs", issuer.user_organizations),
    ]
    app = Starlette(routes=routes)

    async def counted(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            issuer.asked.append(scope["path"])
            if issuer.is_gone:
                await Response("away", 503)(scope, receive, send)
                return
        await app(scope, receive, send)

    with running(counted, port=urlsplit(issuer.url).port or 0):
        yield issuer
