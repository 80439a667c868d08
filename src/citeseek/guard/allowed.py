"""What the user opens of their own networks (``web.fetch.allow``)."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network

import msgspec

from citeseek.guard.networks import METADATA, Address, forms
from citeseek.urls import ascii_host


class Allowed(msgspec.Struct, frozen=True):
    """Networks and names that may be fetched from though they are not public.

    A name opens whatever it leads to. A network opens its addresses, but a cloud's metadata
    address is opened by nothing but an entry for this one address.
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    hosts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, entries: tuple[str, ...]) -> Allowed:
        """Read networks, addresses and names; what is no network is a name."""
        networks, hosts = [], set()
        for entry in entries:
            try:
                networks.append(ip_network(entry, strict=False))
            except ValueError:
                name = entry.lower().removesuffix(".")
                hosts.add(ascii_host(name) or name)
        return cls(tuple(networks), frozenset(hosts))

    def has(self, address: Address, host: str) -> bool:
        """Whether ``address``, to which ``host`` leads, was opened."""
        ways = forms(address)
        if any(way in METADATA for way in ways):
            networks = [net for net in self.networks if net.num_addresses == 1]
        else:
            if host in self.hosts:
                return True
            networks = list(self.networks)
        return any(way in network for way in ways for network in networks)
