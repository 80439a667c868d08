"""What is asked of an issuer, whichever protocol it speaks, and why nobody was signed in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Literal, Protocol, TypeAlias

from citeseek.surfaces.sign_in.sign_in_attempt import SignInAttempt

# Why nobody was signed in: what the reader is told stands in the catalogue.
Case: TypeAlias = Literal[
    "lost", "denied", "away", "refused", "code", "untrue", "clock", "stranger", "unverified"
]
STATUS: Mapping[Case, HTTPStatus] = {
    "lost": HTTPStatus.BAD_REQUEST,
    "denied": HTTPStatus.FORBIDDEN,
    "away": HTTPStatus.SERVICE_UNAVAILABLE,
    "refused": HTTPStatus.BAD_GATEWAY,
    "code": HTTPStatus.BAD_REQUEST,
    "untrue": HTTPStatus.BAD_GATEWAY,
    "clock": HTTPStatus.BAD_GATEWAY,
    "stranger": HTTPStatus.FORBIDDEN,
    "unverified": HTTPStatus.FORBIDDEN,
}
_ERROR = re.compile(r"[a-z0-9_]{1,60}")


class SignInFailed(Exception):
    """Nobody was signed in: the ``case`` for the reader, and a ``reason`` for the log.

    Neither holds a code or a token. ``next_path`` is where the next attempt is to lead to.
    """

    def __init__(self, case: Case, reason: str, **values: str) -> None:
        super().__init__(reason)
        self.case, self.reason, self.values = case, reason, values
        self.next_path = "/"


class IdentityProvider(Protocol):
    """An issuer."""

    async def authorization_address(self, attempt: SignInAttempt) -> str:
        """Return where a browser is sent to; raise CiteseekError when the issuer is away."""
        ...

    async def find_claims(
        self, attempt: SignInAttempt, code: str, told: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """Return what the issuer says of whom it gave ``code`` to.

        ``told`` is all that the browser brought back. Raise SignInFailed for what cannot be relied
        on, and CiteseekError when the issuer is away.
        """
        ...

    async def end_session_address(self) -> str | None:
        """Return where a browser is sent to that signs out there as well, None without any."""
        ...


def readable_error(error: object) -> str:
    """Return the code of an ``error`` of OAuth; what is none is not repeated."""
    is_code = isinstance(error, str) and _ERROR.fullmatch(error)
    return str(error) if is_code else "an error without a code"
