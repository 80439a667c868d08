"""Connections have limits before anybody knows who is behind them.

Nothing here touches a socket; :mod:`citeseek.surfaces.server.acceptor` opens connections and closes
those that this names.
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from typing import Protocol

import msgspec

from citeseek.settings import Settings
from citeseek.surfaces.server.login_cookie import Clock
from citeseek.surfaces.server.rules import is_loopback

# Requests that are no event streams, and connections that clients keep for the next one.
_BESIDE_STREAMS = 384
# Whoever owns an IPv6 address mostly owns all that begin with these bits.
_IPV6_BITS = 64


class ConnectionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What a connection may do.

    At most ``most`` are open, ``per_address`` of one address (0: any number; those of this machine
    are not counted, a proxy is among them). The head of a request is there ``head_seconds`` after
    the connection or its first byte. Without a request a connection is kept for ``idle_seconds``.
    In ``stalled_seconds`` a client takes ``least_bytes`` of what waits for it, or all of it.
    """

    most: int = 512
    per_address: int = 128
    head_seconds: float = 10.0
    idle_seconds: float = 15.0
    stalled_seconds: float = 20.0
    least_bytes: int = 4_096

    @classmethod
    def of(cls, settings: Settings) -> ConnectionLimits:
        """Return the limits of ``settings``."""
        streams = settings.server.max_streams
        return cls(
            most=settings.server.max_connections or streams + _BESIDE_STREAMS,
            per_address=settings.server.max_connections_per_address,
        )


class Open(Protocol):
    """A connection that is open."""

    @property
    def unsent(self) -> int:
        """The bytes that the client has yet to take."""
        ...

    def abort(self) -> None:
        """Close it at once, whatever is still to be sent."""
        ...


class Connections:
    """The connections that are open, and which of them have to go."""

    def __init__(self, limits: ConnectionLimits, now: Clock = time.monotonic) -> None:
        self.limits = limits
        self._now = now
        self._sources: dict[Open, str] = {}
        self._per_source: Counter[str] = Counter()
        # Those without a whole request, the one that has been so for longest first.
        self._idle: dict[Open, None] = {}
        # Since when the head of a request is awaited.
        self._heads: dict[Open, float] = {}
        # What was unsent at a time, of those that wait until all of it is taken.
        self._stalled: dict[Open, tuple[int, float]] = {}

    def __len__(self) -> int:
        return len(self._sources)

    @property
    def awaited(self) -> int:
        """How many are open whose first request, or its head, is still to come."""
        return len(self._heads)

    def has_room(self, address: str) -> bool:
        """Whether a connection from ``address`` may be opened.

        Where there is no room, the connection that has had no whole request for longest makes some.
        """
        most = self.limits.per_address
        if most and not is_loopback(address) and self._per_source[source_of(address)] >= most:
            return False
        return len(self) < self.limits.most or self.drop_idle()

    def drop_idle(self) -> bool:
        """Close the connection that has had no request for longest; whether there was one."""
        longest = next(iter(self._idle), None)
        if longest is None:
            return False
        self.remove(longest)
        longest.abort()
        return True

    def add(self, connection: Open, address: str) -> None:
        """Count a connection, whose first request is awaited."""
        source = source_of(address)
        self._sources[connection] = source
        self._per_source[source] += 1
        self.idle(connection)
        self.head_awaited(connection)

    def remove(self, connection: Open) -> None:
        """Forget a connection; to do so again does nothing."""
        source = self._sources.pop(connection, None)
        if source is None:
            return
        self._per_source[source] -= 1
        if not self._per_source[source]:
            del self._per_source[source]
        self.busy(connection)
        self._stalled.pop(connection, None)

    def busy(self, connection: Open) -> None:
        """Remember that a request of the connection is there and is being answered."""
        self._idle.pop(connection, None)
        self._heads.pop(connection, None)

    def body_awaited(self, connection: Open) -> None:
        """Remember that the head of a request is there, and the rest is not."""
        self._heads.pop(connection, None)

    def idle(self, connection: Open) -> None:
        """Remember that the connection has no request."""
        self._idle[connection] = None

    def head_awaited(self, connection: Open) -> None:
        """Remember that a request has begun; that its next bytes come changes nothing."""
        self._heads.setdefault(connection, self._now())

    def stalled(self, connection: Open) -> None:
        """Remember that something waits for the client to take it."""
        self._stalled[connection] = connection.unsent, self._now()

    def flowing(self, connection: Open) -> None:
        """Remember that the client has taken all."""
        self._stalled.pop(connection, None)

    def overdue(self) -> list[Open]:
        """Return the connections whose time is over; it is to be asked about once a second."""
        now, limits = self._now(), self.limits
        slow = [each for each, since in self._heads.items() if now - since > limits.head_seconds]
        for connection, (before, _) in self._stalled.items():
            if before - connection.unsent >= limits.least_bytes:
                self._stalled[connection] = connection.unsent, now
        stuck = (
            each
            for each, (_, since) in self._stalled.items()
            if now - since > limits.stalled_seconds
        )
        return [*slow, *stuck]


def source_of(address: str) -> str:
    """Return what is counted as one client: an IPv4 address, or the network of an IPv6 address."""
    if not address:  # a socket that has none
        return address
    found = ipaddress.ip_address(address.partition("%")[0])
    if found.version == 4:  # noqa: PLR2004 - a version of the protocol
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), _IPV6_BITS), strict=False))
