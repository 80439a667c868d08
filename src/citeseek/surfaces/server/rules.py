"""Who may speak to the server: what the guard goes by."""

from __future__ import annotations

import ipaddress

import msgspec

from citeseek.errors import InvalidInput
from citeseek.settings import Settings
from citeseek.settings.server_settings import LEAST_TOKEN, ServerSection, is_too_short
from citeseek.settings.values import tokens_in

_HOW_TO_MAKE_ONE = "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe())'"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The guard's rules.

    ``host`` is where the server listens, ``hosts`` are further names under which browsers reach it,
    and ``token`` is what every request must bring, if anything; several have commas between them.
    A body has at most ``max_body`` bytes and must be there after ``body_seconds``; a
    file that somebody with the token sends to be read has at most ``max_file``. Programs make at
    most ``per_minute`` requests a minute with one token (0: any number). With ``open_metrics`` the
    metrics need no token.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    hosts: tuple[str, ...] = ()
    max_body: int = 262_144
    max_file: int = 20_000_000
    body_seconds: float = 30.0
    per_minute: int = 0
    open_metrics: bool = False

    @classmethod
    def of(cls, settings: Settings, *, host: str | None = None) -> Rules:
        """Return the rules of ``settings``, for ``host`` when it is given.

        Raise InvalidInput when anybody on the network could come in: for a token that is too short
        or cannot be read, and for a host that is not loopback without one.
        """
        host = host or settings.server.host
        token = settings.server.token
        if token is None and settings.was_given(ServerSection.token):
            raise InvalidInput(
                "The token of the server (CITESEEK_TOKEN) cannot be read.",
                hint="Write it in printable ASCII characters: a header can carry no others.",
            )
        if token is not None and is_too_short(token):
            raise InvalidInput(
                f"The token of the server (CITESEEK_TOKEN) has less than {LEAST_TOKEN} characters.",
                hint=_HOW_TO_MAKE_ONE,
            )
        if token is None and not is_loopback(host):
            raise InvalidInput(
                f"{host} can be reached from other machines, and anybody there could use this "
                "server: set CITESEEK_TOKEN.",
                hint=_HOW_TO_MAKE_ONE,
            )
        return cls(
            host=host,
            token=token,
            hosts=settings.server.hosts,
            max_file=settings.files.max_bytes,
            per_minute=settings.server.per_minute,
            open_metrics=settings.server.metrics == "open",
        )

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens, each of which lets in; none when everybody is."""
        return () if self.token is None else tokens_in(self.token)

    @property
    def is_local(self) -> bool:
        """Whether the server can be reached from its own machine alone."""
        return is_loopback(self.host)

    def allows(self, name: str) -> bool:
        """Whether a browser that calls the server ``name`` means this server.

        A foreign name that leads here is an attack (DNS rebinding); an address cannot be one.
        """
        if is_loopback(name) or name.endswith(".localhost") or name in self.hosts:
            return True
        return not self.is_local and (name == self.host or _address(name) is not None)

    def __repr__(self) -> str:
        return f"Rules({self.host}, token {'set' if self.token else 'not set'})"


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine and nobody else's, without asking for any name."""
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
