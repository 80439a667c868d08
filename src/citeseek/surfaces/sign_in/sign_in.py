"""The way to an issuer and back: who comes back signed in has a cookie of the login."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from citeseek.errors import CiteseekError
from citeseek.extras import needing
from citeseek.person import Person
from citeseek.surfaces.server.login_cookie import (
    Clock,
    Seal,
    id_of,
    read_cookies,
    set_login_cookie,
)
from citeseek.surfaces.server.login_page import LoginPage, local
from citeseek.surfaces.sign_in.identity import Identity, has_verified_email
from citeseek.surfaces.sign_in.provider import (
    Case,
    IdentityProvider,
    SignInFailed,
    readable_error,
)
from citeseek.surfaces.sign_in.registration import Registration
from citeseek.surfaces.sign_in.sign_in_attempt import PURPOSE, SECONDS, SignInAttempt
from citeseek.surfaces.web.issuer_documents import Ask

# Attempts of one browser at a time: in as many tabs somebody may be on the way.
MOST_ATTEMPTS = 4
# Codes that the issuer is asked about at the same time; more are refused for the moment. Nobody
# can guess one, and whoever makes some up only makes the issuer say no.
MOST_CODES = 32
_SIGNED_IN = b"citeseek sign-in"
# What an issuer may send back instead of a code, and is no fault of either side.
_CASES: Mapping[str, Case] = {
    "access_denied": "denied",
    "temporarily_unavailable": "away",
    "server_error": "away",
}
log = logging.getLogger(__name__)


class SignIn:
    """Signs people in at the issuer of ``registration``, through ``provider``.

    Nothing is kept of anybody: all that a process has to know is in the cookies, which no other
    secret makes. Who is let in is asked with each request, by the settings of now.
    """

    def __init__(
        self, registration: Registration, provider: IdentityProvider, now: Clock = time.time
    ) -> None:
        self.registration = registration
        self._provider = provider
        known = f"{registration.issuer}\n{registration.client_id}\n{registration.client_secret}"
        self.seal = Seal(known, now, purpose=_SIGNED_IN)
        self._attempts = Seal(known, now, purpose=PURPOSE)
        # A __Host- cookie is of this host alone, and of https: no neighbour can set one.
        secured = "__Host-" if registration.is_https else ""
        self._cookie = f"{secured}citeseek_sign_in_"
        self._places = asyncio.Semaphore(MOST_CODES)

    def find_person(self, value: str) -> Person | None:
        """Return who has the login cookie ``value``; None for whoever is not let in, or no more."""
        if not (text := self.seal.read(value)):
            return None
        try:
            identity = msgspec.json.decode(text, type=Identity)
        except msgspec.MsgspecError:
            # Another version made it.
            return None
        return self.registration.admission.find(identity)

    async def begin(self, request: Request) -> Response:
        """Send a browser to the issuer; raise SignInFailed when it is away."""
        attempt = SignInAttempt.begin(self._attempts, local(request.query_params.get("next", "/")))
        try:
            address = await self._provider.authorization_address(attempt)
        except CiteseekError as error:
            failed = SignInFailed("away", error.message)
            failed.next_path = attempt.next_path
            raise failed from None
        answer = RedirectResponse(address, HTTPStatus.SEE_OTHER)
        under_way = self._cookies_of(request)
        for name in under_way if len(under_way) >= MOST_ATTEMPTS else ():
            self._set(answer, name, "", 0)
        self._set(answer, self._name_of(attempt), attempt.value, SECONDS)
        return answer

    async def end(self, request: Request, page: LoginPage) -> Response:
        """Sign in whom the issuer sends back; raise SignInFailed for everybody else."""
        told = dict(request.query_params)
        cookies = self._cookies_of(request)
        attempt = SignInAttempt.find(self._attempts, cookies.values(), told.get("state", ""))
        if attempt is None:
            raise SignInFailed("lost", "no such sign-in was begun in this browser")
        try:
            identity = await self._identify(attempt, told)
        except SignInFailed as failed:
            failed.next_path = attempt.next_path
            raise
        log.info("%s signed in.", identity.name)
        # Whoever keeps a log of what is done reads it there.
        person = self.registration.admission.find(identity)
        request.scope.setdefault("state", {})["person"] = person
        person = self.registration.admission.find(identity)
        request.scope.setdefault("state", {})["person"] = person
        # A redirect would still be of the issuer's making, and the cookie is for our own alone.
        answer = page.lead(request, "signed_in", attempt.next_path)
        text = msgspec.json.encode(identity).decode()
        seconds = int(self.registration.hours * 3_600)
        set_login_cookie(
            answer,
            self.seal.fresh(text, seconds=seconds),
            seconds,
            is_https=self.registration.is_https,
        )
        self._set(answer, self._name_of(attempt), "", 0)
        return answer

    async def end_session_address(self) -> str | None:
        """Return where a browser is sent to that signs out here, None to stay."""
        address = await self._provider.end_session_address()
        if address is None:
            return None
        chosen = self.registration
        back = {
            "client_id": chosen.client_id,
            "post_logout_redirect_uri": f"{chosen.url}/login",
        }
        return f"{address}{'&' if '?' in address else '?'}{urlencode(back)}"

    async def _identify(self, attempt: SignInAttempt, told: Mapping[str, str]) -> Identity:
        if refusal := told.get("error"):
            said = readable_error(refusal)
            case = _CASES.get(refusal, "refused")
            raise SignInFailed(case, f"the issuer says {said}", error=said)
        if not (code := told.get("code")):
            raise SignInFailed("untrue", "the issuer sent no code")
        if self._places.locked():
            raise SignInFailed("away", "too many are signing in at this moment")
        async with self._places:
            try:
                claims = await self._provider.find_claims(attempt, code, told)
            except CiteseekError as error:
                raise SignInFailed("away", error.message) from None
        identity = self.registration.identify(claims)
        if self.registration.admission.find(identity) is None:
            name = identity.name
            if claims.get("email") and not has_verified_email(claims):
                raise SignInFailed("unverified", f"the address of {name} is not verified")
            raise SignInFailed("stranger", f"{name} is not let in", name=name)
        return identity

    def _name_of(self, attempt: SignInAttempt) -> str:
        return self._cookie + id_of(attempt.value)

    def _cookies_of(self, request: Request) -> dict[str, str]:
        """Return the cookies of attempts that this browser has under way, by their names."""
        found = read_cookies(request.headers)
        return {name: value for name, value in found if name.startswith(self._cookie)}

    def _set(self, answer: Response, name: str, value: str, seconds: int) -> None:
        answer.set_cookie(
            name,
            value,
            max_age=seconds,
            secure=self.registration.is_https,
            httponly=True,
            # The issuer leads back here: a strict one would stay behind.
            samesite="lax",
        )


def open_sign_in(registration: Registration, ask: Ask, now: Clock = time.time) -> SignIn:
    """Return what signs people in by ``registration``; raise MissingExtra without the libraries."""
    provider: IdentityProvider
    with needing("oidc"):
        from citeseek.surfaces.sign_in.github_provider import GitHubProvider  # noqa: PLC0415
        from citeseek.surfaces.sign_in.open_id_provider import OpenIdProvider  # noqa: PLC0415
    if registration.provider == "github":
        provider = GitHubProvider(registration, ask)
    else:
        provider = OpenIdProvider(registration, ask, now)
    return SignIn(registration, provider, now)
