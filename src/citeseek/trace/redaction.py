"""Taking secrets out of what is written down: by their values, and by where they stand."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus

STARS = "***"
_ESCAPED_STARS = quote(STARS)
# Shorter ones are words of every page; where secrets usually stand they are taken out all the same.
MIN_CHARS = 4

# The headers of a request whose values say nothing of who asks.
_PLAIN_HEADERS = frozenset(
    "accept accept-encoding accept-language content-type referer user-agent".split()
)
# Those of an answer that are a secret between site and client.
_PRIVATE_HEADERS = frozenset("authorization proxy-authorization set-cookie set-cookie2".split())
_NAMES = (
    r"(?:[a-z0-9]+[-_.])*(?:access|api|auth|bearer|client|csrf|id|login|private|refresh|reset|"
    r"session|user|xsrf)?"
    r"(?:api[-_]?key|subscription[-_]?key|key|token|auth|authorization|"
    r"passw(?:or)?d|passphrase|passcode|pwd|secret|sig|signature|credentials?|cookie|"
    r"session[-_]?id|jwt)"
)
# Words of every text, and secrets where they name a parameter.
_IN_QUERIES = (
    r"(?:(?:auth|authorization|device|verification)[-_]?)?code|pass|otp|totp|pin|hash|hmac|ticket|"
    r"sid|session|(?:php|asp)?sess(?:ion)?id|jsessionid|samlresponse|assertion"
)
# An address within another is escaped, and one within that again: ?, %3F, %253F.
_BEFORE_NAMES = r"(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2})|(?<=25[0-9a-f]{2}))"
_BEFORE_QUERIES = (
    r"(?:\A|(?<=[?&#;])|(?<=%3F)|(?<=%26)|(?<=%23)|(?<=%3B)|"
    r"(?<=253F)|(?<=2526)|(?<=2523)|(?<=253B))"
)
_NAME = rf"(?:{_BEFORE_NAMES}{_NAMES}|{_BEFORE_QUERIES}(?:{_IN_QUERIES}))"
_ENDS = r"&;#\s\"'<>"
_PARAMETER = re.compile(rf"({_NAME}(?:\]|%5D)?=)[^{_ENDS}]+", re.IGNORECASE)
# What is escaped so often ends where a separator is escaped as often, or one is not at all.
_INNER_PARAMETER = re.compile(
    rf"({_NAME}(?:%(?:25)*5D)?%(?P<more>(?:25)*)3D)(?:(?!%(?P=more)(?:26|23|3B|20|22|27|3C|3E))[^{_ENDS}])+",
    re.IGNORECASE,
)
_FIELD = re.compile(rf'("{_NAMES}"\s*:\s*)"(?:[^"\\]|\\.)*"', re.IGNORECASE)
# Up to the last @ of the host: a password may hold one. A quote ends it where one is closed.
_USERS = r"""(?<=://)(?:[^/?#\s"'<>]|'(?=[^\s,;)\]}]))+@"""
_USER = re.compile(_USERS)
_USER_OF_PAGE = re.compile(_USERS.encode())
_INNER_USER = re.compile(
    r"(%(?P<more>(?:25)*)3A(?:%(?P=more)2F%(?P=more)2F|//))"
    r"(?:(?!%(?P=more)(?:2F|3F|23|20))[^/?#\s\"'<>&+])+(?=%(?P=more)40|@)",
    re.IGNORECASE,
)
_HEADER = re.compile(_NAMES, re.IGNORECASE)


class Redactor:
    """Knows the ``secrets`` of the settings, and replaces them by stars in every usual spelling."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._told: dict[str, str] = {}
        for secret in secrets:
            if len(secret) >= MIN_CHARS:
                self._told |= dict.fromkeys((*_spellings(secret), _basic(secret)), STARS)
        self._compile()

    def learn(self, asked: str) -> None:
        """Take what is secret in the addresses of ``asked`` for a secret wherever it is repeated.

        Sites repeat what they were asked, and a page is otherwise kept as it is.
        """
        if "://" not in asked:
            return
        for pattern, told in ((_USER, rf"{STARS}@"), (_PARAMETER, rf"\1{STARS}")):
            for match in pattern.finditer(asked):
                # With the sign before it, which parts it from words that end alike.
                sign = asked[max(match.start() - 1, 0) : match.start()]
                hidden = sign + match[0]
                shown = (
                    one.replace(_ESCAPED_STARS, STARS)
                    for one in _spellings(sign + match.expand(told))
                )
                self._told |= dict(zip(_spellings(hidden), shown, strict=True))
        self._compile()

    def _compile(self) -> None:
        # The longest first: one secret may begin another.
        found = "|".join(map(re.escape, sorted(self._told, key=len, reverse=True)))
        self._text = re.compile(found) if found else None
        self._bytes = re.compile(found.encode()) if found else None

    def values(self, text: str) -> str:
        """Return ``text`` without the secrets of the settings and of what was asked."""
        return self._text.sub(lambda found: self._told[found[0]], text) if self._text else text

    def data(self, body: bytes) -> bytes:
        """Return a page without secrets that are known, and without users of addresses."""
        if self._bytes:
            body = self._bytes.sub(lambda found: self._told[found[0].decode()].encode(), body)
        # A file that is no text would be another one afterwards.
        return _USER_OF_PAGE.sub(f"{STARS}@".encode(), body) if b"\0" not in body else body

    def text(self, text: str) -> str:
        """Return ``text`` also without what stands where addresses and forms hold secrets."""
        if "://" in text:
            text = _USER.sub(f"{STARS}@", text)
        if "=" in text:
            text = _PARAMETER.sub(rf"\1{STARS}", text)
        if "%" in text:
            text = _INNER_USER.sub(rf"\1{STARS}", text)
            text = _INNER_PARAMETER.sub(rf"\1{STARS}", text)
        if '"' in text:
            text = _FIELD.sub(rf'\1"{STARS}"', text)
        return self.values(text)

    def redact_sent(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers of a request, with stars for every value that may name somebody."""
        return {
            name: self.text(value) if name.lower() in _PLAIN_HEADERS else STARS
            for name, value in headers.items()
        }

    def redact_received(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers of an answer without cookies, and with stars for keys and tokens."""
        return {
            name: STARS if _HEADER.fullmatch(name) else self.text(value)
            for name, value in headers.items()
            if name.lower() not in _PRIVATE_HEADERS
        }

    def tree(self, value: Any) -> Any:
        """Return a tree of JSON values with every text in it treated, names of members as well."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {
                self.values(name): self._body(inner) if name == "body" else self.tree(inner)
                for name, inner in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.tree(inner) for inner in value]
        return value

    def _body(self, value: Any) -> Any:
        """Return the body of an answer: it is to be read again, so no more than must is taken."""
        if not isinstance(value, dict):
            return self.tree(value)
        return {
            name: self.values(text) if isinstance(text, str) else text
            for name, text in value.items()
        }


def _spellings(secret: str) -> tuple[str, ...]:
    """Return how ``secret`` may stand in an address, a page or JSON."""
    json = secret.replace("\\", "\\\\").replace('"', '\\"')
    return secret, quote(secret, safe=""), quote(secret), quote_plus(secret), escape(secret), json


def _basic(secret: str) -> str:
    """Return how ``secret`` may stand in the header of a login."""
    return b64encode(secret.encode()).decode().rstrip("=")
