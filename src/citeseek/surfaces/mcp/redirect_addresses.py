"""Where a program may be sent back to with a code (RFC 6749, RFC 8252)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlencode, urlsplit

_MAX_LENGTH = 2_000
_PRINTED = re.compile(r"[!-~]+")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# In small letters, and with a path or a host behind it: `com.example.app:/back`, `cursor://x/back`.
_OWN_SCHEME = re.compile(r"([a-z][a-z0-9+.-]{1,49}):/.*[^/]")
# Schemes that a browser or a system answers itself: no program's own.
_TAKEN = frozenset(
    (
        "http https ws wss ftp ftps sftp file filesystem blob data javascript livescript vbscript"
        " about view-source feed jar resource chrome chrome-extension chrome-search devtools edge"
        " moz-extension safari-extension wyciwyg intent android-app market itms itms-apps"
        " itms-services mailto tel sms callto facetime geo mms news nntp irc ircs gopher ldap ldaps"
        " telnet ssh smb cifs nfs afp dav davs webdav rsync svn git vnc rdp dict cid mid urn"
        " hcp search search-ms shell help afs jnlp jnlps"
    ).split()
)
# Of Microsoft's and Apple's systems; each opens something of the system with what it is given.
_OF_SYSTEMS = ("ms-", "microsoft-", "windows", "x-apple", "apple-", "prefs", "web+")


def is_redirect(address: str) -> bool:
    """Whether somebody may be sent to ``address``: https, http on their own machine, or a program.

    A program on their device may have a scheme of its own (RFC 8252, section 7.1), see
    :func:`scheme_of_program`.
    """
    if len(address) > _MAX_LENGTH or _PRINTED.fullmatch(address) is None or "\\" in address:
        return False
    try:
        parts = urlsplit(address)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    if not has_port or "@" in parts.netloc or "#" in address:
        return False
    if scheme_of_program(address):
        return True
    return bool(parts.hostname) and (parts.scheme == "https" or is_loopback_redirect(address))


def scheme_of_program(address: str) -> str:
    """Return the scheme of ``address`` where it is a program's own, empty for any other.

    It is none that a browser or a system answers itself, such as ``javascript`` or ``file``.
    Whoever installs a program may claim any of the others: a person is told so, and PKCE keeps
    what another program gets from being of use.
    """
    found = _OWN_SCHEME.fullmatch(address)
    if found is None or found[1] in _TAKEN or found[1].startswith(_OF_SYSTEMS):
        return ""
    return found[1]


def is_loopback_redirect(address: str) -> bool:
    """Whether ``address`` is at a program of the machine on which the browser runs."""
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname in _LOOPBACK


def fits_registered(address: str, registered: Iterable[str]) -> bool:
    """Whether ``address`` is one of those, letter by letter.

    A program that listens on the browser's machine does so where there is room, so that its port
    may be another.
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
    """Return ``address`` with what the program is told; what is empty is left out.

    All else of it stays letter by letter.
    """
    told = urlencode({name: value for name, value in answer.items() if value})
    before, mark, query = address.partition("?")
    return f"{before}{mark or '?'}{'&'.join(filter(None, (query, told)))}"


def _without_port(address: str) -> tuple[str, ...]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname or "", parts.path, parts.query
