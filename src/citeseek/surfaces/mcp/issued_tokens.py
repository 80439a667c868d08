"""Access tokens that an authorization server of others issued for this server (OAuth 2.1).

They are JWTs (RFC 9068) that are for this server and for nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import jwt
from mcp.server.auth.provider import AccessToken

from citeseek.person import Person
from citeseek.settings.known_people import name_subject
from citeseek.surfaces.mcp.protected_resource import NotThisOne, Resource, TokenBearer, no_longer
from citeseek.surfaces.mcp.token_issuer import TokenIssuer
from citeseek.surfaces.server.rules import Visitor

# How far the clocks of two machines may be apart.
LEEWAY_SECONDS = 60
_CLAIMS = ("exp", "iss", "aud", "sub")


class IssuedTokens:
    """The tokens of ``issuer`` for ``resource``."""

    def __init__(self, resource: Resource, issuer: TokenIssuer) -> None:
        self._resource = resource
        self._issuer = issuer

    async def read(self, token: str) -> TokenBearer | None:
        """Return who comes in by ``token``; None when it is not one of the issuer's for us.

        Raise NotThisOne for one that is over or lacks the scope, BadGateway without any keys.
        """
        access = await self._decode(token)
        if access is None:
            return None
        subject = access.subject or ""
        return TokenBearer(access, Visitor(person_of(subject), f"subject {subject}"))

    async def _decode(self, token: str) -> AccessToken | None:
        try:
            head = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            return None
        key = await self._issuer.find_key(str(head.get("kid", "")))
        if key is None:
            return None
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key.key,
                algorithms=list(key.algorithms),
                audience=self._resource.url,
                issuer=self._issuer.name,
                leeway=LEEWAY_SECONDS,
                options={"require": list(_CLAIMS)},
            )
        except jwt.ExpiredSignatureError:
            raise no_longer("token_over") from None
        except jwt.PyJWTError:
            return None
        scopes = _scopes(claims)
        if self._resource.scope and self._resource.scope not in scopes:
            raise NotThisOne(
                HTTPStatus.FORBIDDEN, "insufficient_scope", "scope", wanted=self._resource.scope
            )
        return AccessToken(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or ""),
            scopes=scopes,
            expires_at=int(claims["exp"]),
            resource=self._resource.url,
            subject=str(claims["sub"]),
            claims=claims,
        )


def person_of(subject: str) -> Person:
    """Return the person that an issuer calls ``subject``.

    Their name is that of nobody who comes in another way.
    """
    return Person(name_subject(subject), "member")


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """Return the scopes of a token: ``scope`` as RFC 9068 has it, ``scp`` as others write it."""
    told = claims.get("scope", claims.get("scp", ""))
    if isinstance(told, str):
        return told.split()
    return [str(each) for each in told] if isinstance(told, list) else []
