"""The authorization code of OAuth 2.0 (RFC 6749), with PKCE: how it is asked for and redeemed."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from authlib.oauth2.auth import ClientAuth  # type: ignore[import-untyped]
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request  # type: ignore[import-untyped]
from authlib.oauth2.rfc7636 import create_s256_code_challenge  # type: ignore[import-untyped]

from citeseek.errors import BadGateway
from citeseek.models import Request
from citeseek.surfaces.sign_in.provider import SignInFailed, readable_error
from citeseek.surfaces.sign_in.registration import Registration
from citeseek.surfaces.sign_in.sign_in_attempt import SignInAttempt
from citeseek.surfaces.web.issuer_documents import Ask, check_safe, read_json

# What an issuer says of a code that it does not take. The last is GitHub's.
_USED_CODE = ("invalid_grant", "bad_verification_code")


def ask_for_code(
    endpoint: str, registration: Registration, attempt: SignInAttempt, **more: str
) -> str:
    """Return the address at ``endpoint`` that a browser is sent to for a code, with PKCE."""
    return str(
        prepare_grant_uri(
            endpoint,
            registration.client_id,
            "code",
            redirect_uri=registration.redirect_uri,
            scope=registration.scopes,
            state=attempt.state,
            code_challenge=create_s256_code_challenge(attempt.verifier),
            code_challenge_method="S256",
            **more,
        )
    )


async def redeem_code(
    ask: Ask,
    endpoint: str,
    registration: Registration,
    attempt: SignInAttempt,
    code: str,
    *,
    auth_method: str = "client_secret_post",
) -> dict[str, Any]:
    """Return the tokens that ``endpoint`` gives for ``code``.

    Raise SignInFailed when it refuses, CiteseekError when it does not answer.
    """
    check_safe(endpoint)
    body = prepare_token_request(
        "authorization_code",
        code=code,
        redirect_uri=registration.redirect_uri,
        code_verifier=attempt.verifier,
    )
    auth = ClientAuth(registration.client_id, registration.client_secret, auth_method)
    url, headers, body = auth.prepare("POST", endpoint, {"Accept": "application/json"}, body)
    page = await ask(Request(url=url, headers=headers, form=dict(parse_qsl(body))))
    if page.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise BadGateway(f"{endpoint} answers {page.status}.")
    told = read_json(page, dict[str, Any])
    # GitHub refuses with 200.
    if page.status != HTTPStatus.OK or "error" in told:
        error = readable_error(told.get("error"))
        if error in _USED_CODE:
            raise SignInFailed("code", f"the issuer does not take the code ({error})")
        raise SignInFailed("refused", f"the issuer refuses this server ({error})", error=error)
    return told


def access_token_of(told: Mapping[str, Any]) -> str:
    """Return the access token among ``told``, empty when there is none that a header can carry."""
    token = told.get("access_token")
    return token if isinstance(token, str) and token.isascii() and token.isprintable() else ""
