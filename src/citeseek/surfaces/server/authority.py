"""By which name and port a browser calls a server, from ``Host`` and from ``Origin``."""

from __future__ import annotations

import ipaddress
import re

import msgspec

_AUTHORITY = re.compile(
    r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::([0-9]{1,5}))?"
)
_PORTS = {"http": 80, "https": 443}


class Authority(msgspec.Struct, frozen=True):
    """A name in small letters or an address, without brackets, and a port unless it is usual."""

    name: str
    port: int | None = None

    @classmethod
    def read(cls, text: str) -> Authority | None:
        """Return what ``text``, such as ``[::1]:8000``, says; None when it is nothing of the kind.

        Raise nothing: whoever sends this may send anything.
        """
        found = _AUTHORITY.fullmatch(text.lower()) if text.isascii() else None
        if found is None or int(found[3] or 1) not in range(1, 65_536):
            return None
        name = found[2]
        if found[1]:
            try:
                name = str(ipaddress.IPv6Address(found[1]))
            except ValueError:
                return None
        return cls(name, int(found[3]) if found[3] else None)

    def is_of(self, origin: str) -> bool:
        """Whether ``origin``, such as ``http://[::1]:8000``, is the place that is called this."""
        scheme, _, rest = origin.lower().partition("://")
        usual = _PORTS.get(scheme)
        other = Authority.read(rest)
        if usual is None or other is None:
            return False
        return (self.name, self.port or usual) == (other.name, other.port or usual)
