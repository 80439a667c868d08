"""Which proxy an address is reached through: one reading of the settings for every client."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Self
from urllib.parse import urlsplit

import msgspec

from citeseek.errors import NetworkError
from citeseek.settings import Settings, Value
from citeseek.urls import ascii_host, without_password

_PORTS = {"http": 80, "https": 443}
# What ``localhost`` stands for in a list of addresses.
_LOOPBACK = ("127.0.0.1", "::1")


class Proxies(msgspec.Struct, frozen=True, kw_only=True):
    """Which proxy a host is reached through; an address may hold credentials and is not shown.

    ``bypass`` lists who is reached without one, as ``NO_PROXY`` does: ``*`` for everybody, names
    (their subdomains too), addresses, networks such as ``10.0.0.0/8``, each with a port if wanted;
    and as desktops write it, ``10.*``, ``169.254/16``, ``<local>`` for names without a dot, parted
    by semicolons.
    """

    http: str | None = None
    https: str | None = None
    bypass: str | None = None
    # Where the proxy of a scheme was set.
    origins: dict[str, str] = {}
    # Those that somebody wrote and that nobody can use.
    faulty: dict[str, Value[str | None]] = {}

    @classmethod
    def of(cls, settings: Settings, own: Value[str | None] | None = None) -> Self:
        """Return ``own`` for everything, else what the environment names."""
        if own and (own.value or own.fault):
            named = dict.fromkeys(_PORTS, own)
            bypass = None
        else:
            named = {scheme: settings.system_proxy(scheme) for scheme in _PORTS}
            *_, bypass = settings.system_proxies()
        return cls(
            http=named["http"].value,
            https=named["https"].value,
            bypass=bypass,
            origins={scheme: proxy.origin for scheme, proxy in named.items() if proxy.value},
            faulty={scheme: proxy for scheme, proxy in named.items() if proxy.fault},
        )

    def for_url(self, url: str) -> str | None:
        """Return the proxy for ``url``, or None for a direct connection.

        Raise InvalidInput where the one that it should go through cannot be used.
        """
        if not (self.http or self.https or self.faulty):
            return None
        parts = urlsplit(url)
        if self.bypass and parts.hostname:
            port = parts.port or _PORTS.get(parts.scheme)
            entries = re.split(r"[,;\s\"']+", self.bypass)
            host = parts.hostname.rstrip(".")
            if any(_fits(entry, host, port) for entry in entries):
                return None
        if faulty := self.faulty.get(parts.scheme):
            return faulty.required()
        return self.https if parts.scheme == "https" else self.http

    def shown_for(self, url: str) -> str:
        """Return the proxy for ``url`` without a password, and who set it; empty without one."""
        if (proxy := self.for_url(url)) is None:
            return ""
        origin = self.origins.get(urlsplit(url).scheme)
        return f"{without_password(proxy)} ({origin})" if origin else without_password(proxy)

    @contextmanager
    def naming(self, url: str) -> Iterator[None]:
        """Let a connection for ``url`` that fails within name the proxy that it went through."""
        try:
            yield
        except NetworkError as error:
            if not error.hint and (proxy := self.shown_for(url)):
                error.hint = (
                    f"It goes through the proxy {proxy}: start or correct that one; "
                    "`citeseek doctor network` looks at it."
                )
            raise

    def __repr__(self) -> str:
        return f"Proxies(http={bool(self.http)}, https={bool(self.https)}, bypass={self.bypass!r})"


def _fits(entry: str, host: str, port: int | None) -> bool:
    """Whether ``entry`` of NO_PROXY means ``host``, which is asked at ``port``."""
    if entry == "*" or (entry == "<local>" and "." not in host and ":" not in host):
        return True
    name, of_port = _split_port(re.sub(r"^https?://|/$", "", entry.lower()))
    if not name or (of_port and of_port != str(port)):
        return False
    hosts = (host, *_LOOPBACK) if host == "localhost" else (host,)
    return any(_means(name, one) for one in hosts)


def _split_port(entry: str) -> tuple[str, str]:
    """Return the name or network of an entry, and its port if it has one."""
    if bracketed := re.fullmatch(r"\[([^\]]*)\](/\d+)?(?::(\d+))?", entry):
        return bracketed[1] + (bracketed[2] or ""), bracketed[3] or ""
    if entry.count(":") == 1:
        name, _, port = entry.partition(":")
        return name, port
    return entry, ""


def _means(name: str, host: str) -> bool:
    if address := _address(host):
        network = _network(name)
        if network is None and "*" in name:
            return fnmatchcase(host, name)
        return network is not None and address.version == network.version and address in network
    # A leading ``*.`` or dot is how some write what is meant anyway.
    name = ascii_host(name.removeprefix("*").strip(".")) or ""
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _network(name: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    # Of a network in IPv4, zeros at its end may be left out.
    if short := re.fullmatch(r"(\d+(?:\.\d+){0,2})/(\d+)", name):
        name = f"{short[1]}{'.0' * (3 - short[1].count('.'))}/{short[2]}"
    try:
        return ipaddress.ip_network(name, strict=False)
    except ValueError:
        return None
