"""The value of the login cookie: it says until when, and only who has the token can make it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Sequence

from starlette.datastructures import Headers
from starlette.responses import Response

SECONDS = 30 * 24 * 3600
# Until when, an id, perhaps what it says, and the signature of all that.
_VALUE = re.compile(r"[0-9]{1,12}\.[0-9a-f]{16}(?:\.[A-Za-z0-9_-]{1,3500})?\.[0-9a-f]{64}")

Clock = Callable[[], float]


COOKIE = "citeseek_login"
LOGIN = b"citeseek login cookie"


class Seal:
    """Makes and recognises cookies for one token, and for one ``purpose`` alone.

    Of those that were revoked the id is kept until they would have ended, by this process alone;
    :func:`id_of` is for those that tell others.
    Another token makes every cookie of this one void.
    """

    def __init__(self, token: str, now: Clock = time.time, *, purpose: bytes = LOGIN) -> None:
        self._now = now
        # The cookie travels more than the token, which must not be found from it.
        self._key = _digest(token.encode(), purpose)
        self._revoked: dict[str, int] = {}

    def fresh(self, text: str = "", *, seconds: float = SECONDS) -> str:
        """Return a value that says ``text``, which its bearer can read, and holds for 30 days."""
        said = f"{int(self._now() + seconds)}.{secrets.token_hex(8)}"
        if text:
            said += "." + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        return f"{said}.{self._signature(said)}"

    def is_valid(self, value: str) -> bool:
        """Whether ``value`` was made here and still holds."""
        if _VALUE.fullmatch(value) is None:
            return False
        said, _, signature = value.rpartition(".")
        until, id_ = said.split(".")[:2]
        is_ours = hmac.compare_digest(signature, self._signature(said))
        return is_ours and self._now() < int(until) and id_ not in self._revoked

    def read(self, value: str) -> str | None:
        """Return what ``value`` says, None when it does not hold."""
        if not self.is_valid(value):
            return None
        _, _, *text, _ = value.split(".")
        return base64.urlsafe_b64decode(text[0] + "==").decode() if text else ""

    def derive(self, value: str, purpose: str) -> str:
        """Return 43 characters for ``value`` that nobody else could find, for ``purpose`` alone."""
        digest = _digest(self._key, f"{purpose} {value}".encode())
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def revoke(self, value: str) -> None:
        """Let ``value`` hold no longer, if it does."""
        if not self.is_valid(value):
            return
        now = self._now()
        self._revoked = {id_: until for id_, until in self._revoked.items() if now < until}
        until, id_ = value.split(".")[:2]
        self._revoked[id_] = int(until)

    def _signature(self, said: str) -> str:
        return _digest(self._key, said.encode()).hex()


def set_login_cookie(answer: Response, value: str, seconds: int, *, is_https: bool) -> None:
    """Give whoever gets ``answer`` the cookie, or with 0 seconds take it away."""
    answer.set_cookie(
        COOKIE, value, max_age=seconds, secure=is_https, httponly=True, samesite="strict"
    )


def read_cookies(headers: Headers) -> list[tuple[str, str]]:
    """Return all cookies, several of one name too: pages of a neighbouring name may add theirs."""
    pairs = (each.strip().partition("=") for each in ";".join(headers.getlist("cookie")).split(";"))
    return [(name, value) for name, _, value in pairs]


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
