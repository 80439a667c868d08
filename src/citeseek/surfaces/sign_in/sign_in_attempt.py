"""One attempt to sign in: what ties the answer of an issuer to the browser that asked."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Self

import msgspec

from citeseek.surfaces.server.login_cookie import Seal

PURPOSE = b"citeseek sign-in attempt"
SECONDS = 600


class SignInAttempt(msgspec.Struct, frozen=True):
    """Its cookie ``value`` says where it leads to; what only this server may know is made of it.

    Any process of the server can go on with it: none keeps anything of its own.
    """

    value: str
    next_path: str
    state: str
    nonce: str
    verifier: str

    @classmethod
    def begin(cls, seal: Seal, next_path: str) -> Self:
        """Return one that leads to ``next_path``, and may take 10 minutes."""
        return cls._of(seal, seal.fresh(next_path, seconds=SECONDS), next_path)

    @classmethod
    def find(cls, seal: Seal, values: Iterable[str], state: str) -> Self | None:
        """Return the one of the cookies ``values`` whose ``state`` an issuer sent back, if any."""
        for value in values:
            if (next_path := seal.read(value)) is None:
                continue
            attempt = cls._of(seal, value, next_path)
            if hmac.compare_digest(attempt.state.encode(), state.encode()):
                return attempt
        return None

    @classmethod
    def _of(cls, seal: Seal, value: str, next_path: str) -> Self:
        state, nonce, verifier = (
            seal.derive(value, purpose) for purpose in ("state", "nonce", "verifier")
        )
        return cls(value, next_path, state, nonce, verifier)

    def __repr__(self) -> str:
        return f"SignInAttempt({self.next_path})"
