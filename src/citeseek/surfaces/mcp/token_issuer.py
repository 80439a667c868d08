"""The authorization server of others whose access tokens are taken: its name and its keys."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from citeseek.errors import BadGateway, CiteseekError
from citeseek.surfaces.web.issuer_documents import Ask, read_document

# Keys are asked for again after an hour, for one that nobody knows after a minute, and where there
# are none yet after a moment: whoever comes meanwhile is not kept waiting by a server that hangs.
KEPT_SECONDS, LEAST_SECONDS, RETRY_SECONDS = 3_600.0, 60.0, 10.0
# What a signature may be made by, for each kind of key; never a secret that both sides have.
ALGORITHMS: Mapping[str, tuple[str, ...]] = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "EC": ("ES256", "ES384", "ES512"),
    "OKP": ("EdDSA",),
}
log = logging.getLogger(__name__)


class SigningKey(msgspec.Struct, frozen=True):
    """A public key, and the algorithms of signatures that it is for."""

    key: Any
    algorithms: tuple[str, ...]


class TokenIssuer:
    """The authorization server at ``address``, which ``ask`` reads documents of.

    Nothing is asked before the first token comes. Keys are kept when it cannot be reached later.
    """

    def __init__(self, address: str, ask: Ask, now: Callable[[], float] = time.monotonic) -> None:
        self._address = address
        self._ask = ask
        self._now = now
        self._turn = asyncio.Lock()
        self._keys: dict[str, SigningKey] = {}
        self._asked_at: float | None = None

    @property
    def name(self) -> str:
        """What its tokens call it."""
        return self._address

    async def find_key(self, key_id: str) -> SigningKey | None:
        """Return the key ``key_id``, or the only one for an empty id; None when there is none.

        Raise BadGateway when the keys cannot be had.
        """
        async with self._turn:
            if self._is_due(key_id):
                await self._load()
        if not self._keys:
            raise BadGateway(
                f"The keys of the authorization server {self._address} cannot be had.",
                hint="See whether mcp.issuer is right and the server is up.",
            )
        if self._is_only(key_id):
            return next(iter(self._keys.values()))
        return self._keys.get(key_id)

    def _is_due(self, key_id: str) -> bool:
        if self._asked_at is None:
            return True
        age = self._now() - self._asked_at
        if not self._keys:
            return age >= RETRY_SECONDS
        is_unknown = key_id not in self._keys and not self._is_only(key_id)
        return age >= (LEAST_SECONDS if is_unknown else KEPT_SECONDS)

    def _is_only(self, key_id: str) -> bool:
        return not key_id and len(self._keys) == 1

    async def _load(self) -> None:
        try:
            metadata = await self._metadata()
            keys = await read_document(self._ask, str(metadata["jwks_uri"]))
            self._keys = dict(_signing_keys(keys))
        except (CiteseekError, KeyError) as error:
            log.warning("The keys of %s cannot be had: %s", self._address, error)
        self._asked_at = self._now()

    async def _metadata(self) -> dict[str, Any]:
        """Return what the server publishes of itself; raise BadGateway when it is somebody else."""
        failures = []
        for address in well_known(self._address):
            try:
                found = await read_document(self._ask, address)
            except CiteseekError as error:
                failures.append(error)
                continue
            if found.get("issuer") != self._address:
                raise BadGateway(f"{address} is of another issuer: {found.get('issuer')!r:.80}.")
            return found
        raise failures[-1]


def well_known(issuer: str) -> tuple[str, ...]:
    """Return where an issuer may publish its metadata: RFC 8414 first, then OpenID Connect."""
    parts = urlsplit(issuer)
    root, path = f"{parts.scheme}://{parts.netloc}/.well-known", parts.path.rstrip("/")
    return (
        f"{root}/oauth-authorization-server{path}",
        f"{root}/openid-configuration{path}",
        f"{issuer.rstrip('/')}/.well-known/openid-configuration",
    )


def _signing_keys(told: Mapping[str, Any]) -> Iterator[tuple[str, SigningKey]]:
    """Yield the keys of a set (RFC 7517) that can be used here, by their ids."""
    listed = told.get("keys")
    for each in listed if isinstance(listed, list) else ():
        if not isinstance(each, dict) or each.get("use", "sig") != "sig":
            continue
        allowed = ALGORITHMS.get(str(each.get("kty")), ())
        named = each.get("alg")
        algorithms = tuple(one for one in allowed if named in (None, one))
        if not algorithms:
            continue
        try:
            key = PyJWK(each).key
        except (PyJWTError, ValueError, TypeError):
            continue
        yield str(each.get("kid", "")), SigningKey(key, algorithms)
