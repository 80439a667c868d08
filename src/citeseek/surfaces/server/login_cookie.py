"""The value of the login cookie: it says until when, and only who has the token can make it."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Sequence

SECONDS = 30 * 24 * 3600

Clock = Callable[[], float]


class Seal:
    """Makes and recognises cookies for one token.

    Of those that were revoked the id is kept until they would have ended, by this process alone;
    :func:`id_of` is for those that tell others.
    Another token makes every cookie of this one void.
    """

    def __init__(self, token: str, now: Clock = time.time) -> None:
        self._now = now
        # The cookie travels more than the token, which must not be found from it.
        self._key = _digest(token.encode(), b"citeseek login cookie")
        self._revoked: dict[str, int] = {}

    def fresh(self) -> str:
        """Return a value that holds for 30 days."""
        said = f"{int(self._now()) + SECONDS}.{secrets.token_hex(8)}"
        return f"{said}.{self._signature(said)}"

    def is_valid(self, value: str) -> bool:
        """Whether ``value`` was made here and still holds."""
        if re.fullmatch(r"[0-9]{1,12}\.[0-9a-f]{16}\.[0-9a-f]{64}", value) is None:
            return False
        said, _, signature = value.rpartition(".")
        until, _, id_ = said.partition(".")
        is_ours = hmac.compare_digest(signature, self._signature(said))
        return is_ours and self._now() < int(until) and id_ not in self._revoked

    def revoke(self, value: str) -> None:
        """Let ``value`` hold no longer, if it does."""
        if not self.is_valid(value):
            return
        now = self._now()
        self._revoked = {id_: until for id_, until in self._revoked.items() if now < until}
        until, id_, _ = value.split(".")
        self._revoked[id_] = int(until)

    def _signature(self, said: str) -> str:
        return _digest(self._key, said.encode()).hex()


def id_of(value: str) -> str:
    """Return what tells a cookie from others, and which nobody could log in with."""
    return value.split(".")[1]


def same(given: str, token: str) -> bool:
    """Whether both are the same, in a time that tells nothing of either."""
    return hmac.compare_digest(_digest(b"", given.encode()), _digest(b"", token.encode()))


def place_of(given: str, tokens: Sequence[str]) -> int | None:
    """Return the place of ``given`` among ``tokens``, in a time that tells nothing of either."""
    found = [same(given, token) for token in tokens]
    return found.index(True) if any(found) else None


def _digest(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, hashlib.sha256)
