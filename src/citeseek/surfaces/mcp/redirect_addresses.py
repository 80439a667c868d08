"""Where a program may be sent back to with a code (RFC 6749, RFC 8252)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlencode, urlsplit, urlunsplit

_MAX_LENGTH = 2_000
_PRINTED = re.compile(r"[!-~]+")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def is_redirect(address: str) -> bool:
    """Whether somebody may be sent to ``address``: https, or http on their own machine.

    Schemes of programs of their own (``app:/``) are not taken: any program may claim one.
    """
    if len(address) > _MAX_LENGTH or _PRINTED.fullmatch(address) is None or "\\" in address:
        return False
    try:
        parts = urlsplit(address)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    if not parts.hostname or not has_port or "@" in parts.netloc or "#" in address:
        return False
    return parts.scheme == "https" or is_loopback_redirect(address)


def is_loopback_redirect(address: str) -> bool:
    """Whether ``address`` is at a program of the machine on which the browser runs."""
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname in _LOOPBACK


def fits_registered(address: str, registered: Iterable[str]) -> bool:
    """Whether ``address`` is one of those, letter by letter.

    A program on the browser's machine listens where there is room, so that its port may be another.
    """
    if not is_redirect(address):
        return False
    known = list(registered)
    if address in known:
        return True
    return is_loopback_redirect(address) and any(
        is_loopback_redirect(each) and _without_port(each) == _without_port(address)
        for each in known
    )


def add_answer(address: str, **answer: str) -> str:
    """Return ``address`` with what the program is told; what is empty is left out."""
    parts = urlsplit(address)
    told = urlencode({name: value for name, value in answer.items() if value})
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, told)))))


def _without_port(address: str) -> tuple[str, ...]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname or "", parts.path, parts.query
