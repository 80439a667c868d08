"""GitHub, which speaks OAuth 2.0 and has an API of its own for who somebody is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from citeseek.surfaces.sign_in.authorization_code import (
    access_token_of,
    ask_for_code,
    redeem_code,
)
from citeseek.surfaces.sign_in.provider import SignInFailed
from citeseek.surfaces.sign_in.registration import Registration
from citeseek.surfaces.sign_in.sign_in_attempt import SignInAttempt
from citeseek.surfaces.web.issuer_documents import Ask, read_json, read_page


class _User(msgspec.Struct):
    id: int
    login: str
    name: str | None = None


class _Email(msgspec.Struct):
    email: str
    primary: bool = False
    verified: bool = False


class _Organization(msgspec.Struct):
    login: str


class GitHubProvider:
    """GitHub, or a server of GitHub's that somebody runs themselves, as ``registration`` says."""

    def __init__(self, registration: Registration, ask: Ask) -> None:
        self._registration = registration
        self._ask = ask
        self._site = registration.issuer.rstrip("/")
        self._api = api_of(self._site)

    async def authorization_address(self, attempt: SignInAttempt) -> str:
        """Return where a browser is sent to."""
        endpoint = f"{self._site}/login/oauth/authorize"
        return ask_for_code(endpoint, self._registration, attempt)

    async def find_claims(
        self,
        attempt: SignInAttempt,
        code: str,
        told: Mapping[str, str],  # noqa: ARG002 - GitHub brings nothing else back
    ) -> Mapping[str, Any]:
        """Return what GitHub says of somebody, by the names that OpenID Connect has for it.

        The subject is the number of the account, which stays when its login is changed. The address
        is the primary one, and only when it is verified.
        """
        endpoint = f"{self._site}/login/oauth/access_token"
        tokens = await redeem_code(self._ask, endpoint, self._registration, attempt, code)
        bearer = access_token_of(tokens)
        if not bearer:
            raise SignInFailed("untrue", "the issuer gave no access token")
        user = read_json(await read_page(self._ask, f"{self._api}/user", bearer=bearer), _User)
        claims: dict[str, Any] = {
            "sub": str(user.id),
            "preferred_username": user.login,
            "name": user.name or user.login,
        }
        page = await read_page(self._ask, f"{self._api}/user/emails", bearer=bearer)
        for each in read_json(page, list[_Email]):
            if each.primary:
                claims |= {"email": each.email, "email_verified": each.verified}
        if self._registration.admission.roles:
            address = f"{self._api}/user/orgs?per_page=100"
            page = await read_page(self._ask, address, bearer=bearer)
            claims[self._registration.groups_claim] = [
                each.login for each in read_json(page, list[_Organization])
            ]
        return claims

    async def end_session_address(self) -> None:
        """Return None: GitHub has no such thing."""


def api_of(site: str) -> str:
    """Return the address of the API of a ``site`` of GitHub's."""
    parts = urlsplit(site)
    host = parts.hostname or ""
    if host == "github.com" or host.endswith(".ghe.com"):
        return f"{parts.scheme}://api.{parts.netloc}"
    return f"{site}/api/v3"
