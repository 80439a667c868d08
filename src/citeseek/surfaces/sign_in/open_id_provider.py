"""An issuer that speaks OpenID Connect: its metadata, its keys, and what it says of somebody."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from authlib.oidc.core import CodeIDToken  # type: ignore[import-untyped]
from joserfc import jwt
from joserfc.errors import ExpiredTokenError, JoseError
from joserfc.jwk import KeySet

from citeseek.errors import BadGateway, CiteseekError
from citeseek.surfaces.sign_in.authorization_code import (
    access_token_of,
    ask_for_code,
    redeem_code,
)
from citeseek.surfaces.sign_in.provider import SignInFailed
from citeseek.surfaces.sign_in.registration import Registration
from citeseek.surfaces.sign_in.sign_in_attempt import SignInAttempt
from citeseek.surfaces.web.issuer_documents import Ask, check_safe, read_document

KEPT_SECONDS, RETRY_SECONDS = 3_600.0, 10.0
# How far the clocks of two machines may be apart.
LEEWAY_SECONDS = 60
# Those with two keys: a secret that both sides have, and none at all, sign nothing here.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
_KEY_TYPES = ("RSA", "EC", "OKP")
log = logging.getLogger(__name__)


class OpenIdProvider:
    """The issuer of ``registration``, which ``ask`` sends requests to.

    Nothing is asked before somebody wants to sign in. What it publishes is asked for again after an
    hour, and kept when it cannot be reached then; keys as well when one is not known.
    """

    def __init__(
        self, registration: Registration, ask: Ask, now: Callable[[], float] = time.time
    ) -> None:
        self._registration = registration
        self._ask = ask
        self._now = now
        self._turn = asyncio.Lock()
        self._metadata: dict[str, Any] = {}
        self._asked_at: float | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def authorization_address(self, attempt: SignInAttempt) -> str:
        """Return where a browser is sent to; raise CiteseekError when the issuer is away."""
        endpoint = await self._endpoint("authorization_endpoint")
        return ask_for_code(endpoint, self._registration, attempt, nonce=attempt.nonce)

    async def find_claims(
        self, attempt: SignInAttempt, code: str, told: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """Return the claims of the ID token, with those that only the issuer's API tells."""
        endpoint = await self._endpoint("token_endpoint")
        # RFC 9207: an answer of another issuer is not taken for one of this.
        always = self._metadata.get("authorization_response_iss_parameter_supported") is True
        if told.get("iss", None if always else self._registration.issuer) != (
            self._registration.issuer
        ):
            raise SignInFailed("untrue", "the answer is of another issuer")
        tokens = await redeem_code(
            self._ask,
            endpoint,
            self._registration,
            attempt,
            code,
            auth_method=self._auth_method(),
        )
        access_token = access_token_of(tokens)
        claims = await self._verify(tokens.get("id_token"), attempt.nonce, access_token)
        return await self._complete(claims, access_token)

    async def end_session_address(self) -> str | None:
        """Return the address of its end_session_endpoint; None when it has none or is away."""
        try:
            metadata = await self.read_metadata()
            address = metadata.get("end_session_endpoint")
            if address is not None:
                check_safe(str(address))
        except CiteseekError:
            return None
        return None if address is None else str(address)

    async def read_metadata(self) -> Mapping[str, Any]:
        """Return what the issuer publishes of itself; raise CiteseekError when it is away."""
        async with self._turn:
            age = None if self._asked_at is None else self._now() - self._asked_at
            if age is None or age >= (KEPT_SECONDS if self._metadata else RETRY_SECONDS):
                await self._load_metadata()
        if not self._metadata:
            raise BadGateway(f"What {self._registration.issuer} publishes cannot be had.")
        return self._metadata

    async def read_keys(self) -> KeySet:
        """Return the keys that the issuer publishes now; raise CiteseekError without any."""
        told = await read_document(self._ask, await self._endpoint("jwks_uri"))
        listed = told.get("keys")
        usable = [
            each
            for each in (listed if isinstance(listed, list) else ())
            if isinstance(each, dict)
            and each.get("kty") in _KEY_TYPES
            and each.get("use", "sig") == "sig"
        ]
        try:
            keys = KeySet.import_key_set({"keys": usable})
        except (JoseError, ValueError, TypeError, KeyError):
            raise BadGateway(
                f"{self._registration.issuer} publishes no keys that can be used."
            ) from None
        self._keys = (self._now(), keys)
        return keys

    async def _load_metadata(self) -> None:
        issuer = self._registration.issuer
        address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        try:
            found = await read_document(self._ask, address)
            if found.get("issuer") != issuer:
                raise BadGateway(f"{address} is of another issuer: {found.get('issuer')!r:.80}.")
            self._metadata = found
        except CiteseekError as error:
            log.warning("What %s publishes cannot be had: %s", issuer, error)
        self._asked_at = self._now()

    async def _endpoint(self, name: str) -> str:
        address = (await self.read_metadata()).get(name)
        if not isinstance(address, str):
            raise BadGateway(f"{self._registration.issuer} publishes no {name}.")
        check_safe(address)
        return address

    def _auth_method(self) -> str:
        """Return how this server says who it is: as the issuer wishes, by a header if it may be."""
        told = self._metadata.get("token_endpoint_auth_methods_supported")
        by_header = "client_secret_basic"
        return (
            by_header if not isinstance(told, list) or by_header in told else "client_secret_post"
        )

    async def _verify(self, id_token: object, nonce: str, access_token: str) -> dict[str, Any]:
        """Return the claims of ``id_token``; raise SignInFailed for one that is not for us, now."""
        if not isinstance(id_token, str):
            raise SignInFailed("untrue", "the issuer gave no ID token")
        chosen = self._registration
        try:
            token = await self._decode(id_token)
            claims = CodeIDToken(
                token.claims,
                token.header,
                options={
                    "iss": {"essential": True, "value": chosen.issuer},
                    "aud": {"essential": True, "value": chosen.client_id},
                    "sub": {"essential": True},
                    "exp": {"essential": True},
                },
                params={
                    "nonce": nonce,
                    "client_id": chosen.client_id,
                    "access_token": access_token,
                },
            )
            claims.validate(int(self._now()), LEEWAY_SECONDS)
        except ExpiredTokenError:
            raise SignInFailed("clock", "the ID token is over") from None
        except (JoseError, ValueError, TypeError) as error:
            # Of these the name alone: a message may repeat what the token says.
            why = getattr(error, "claim", None) or type(error).__name__
            raise SignInFailed("untrue", f"the ID token is not to be relied on ({why})") from None
        return dict(claims)

    async def _decode(self, id_token: str) -> jwt.Token:
        kept = self._keys
        if kept and self._now() - kept[0] < KEPT_SECONDS:
            try:
                return jwt.decode(id_token, kept[1], algorithms=ALGORITHMS)
            except (JoseError, ValueError):
                # The issuer may have other keys by now.
                pass
        return jwt.decode(id_token, await self.read_keys(), algorithms=ALGORITHMS)

    async def _complete(self, claims: dict[str, Any], access_token: str) -> Mapping[str, Any]:
        """Return ``claims`` with what the issuer says only when it is asked (userinfo)."""
        chosen = self._registration
        needed = {chosen.name_claim, *(("email",) if chosen.admission.domains else ())}
        if chosen.admission.roles:
            needed.add(chosen.groups_claim)
        if "email" in needed:
            needed.add("email_verified")
        endpoint = self._metadata.get("userinfo_endpoint")
        if needed <= claims.keys() or not isinstance(endpoint, str) or not access_token:
            return claims
        told = await read_document(self._ask, endpoint, bearer=access_token)
        if told.get("sub") != claims["sub"]:
            raise SignInFailed("untrue", "userinfo is of somebody else")
        if "email" in told:
            # Whether an address is verified is said where the address is.
            claims = {name: claims[name] for name in claims.keys() - {"email", "email_verified"}}
        return {**claims, **told, "sub": claims["sub"]}
