"""Networks where no public page lives, and those of them that the user opens.

The former are those of their registries (IANA, RFC 6890 and those after it), the latter those of
``web.fetch.allow``.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

import msgspec

from citeseek.urls import ascii_host

Address: TypeAlias = IPv4Address | IPv6Address

_IPV4 = {
    "0.0.0.0/8": "of this machine",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "of a provider's inner network",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "of a cloud's inner service",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "special",
    "192.0.2.0/24": "for documentation",
    "192.88.99.0/24": "of a 6to4 relay",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "made up by a proxy tool, or for measuring",
    "198.51.100.0/24": "for documentation",
    "203.0.113.0/24": "for documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
}
# Asked first to last: what lies outside of 2000::/3 is not handed out to anybody's site.
_IPV6 = {
    "::1/128": "loopback",
    "::/128": "of this machine",
    "::ffff:0:0/96": "an IPv4 address in another form",
    "::/96": "an IPv4 address in another form",
    "64:ff9b:1::/48": "of an inner translator",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "private",
    "ff00::/8": "multicast",
    "2001::/32": "a Teredo tunnel",
    "2001::/23": "special",
    "2001:db8::/32": "for documentation",
    "2002::/16": "a 6to4 tunnel",
    "3fff::/20": "for documentation",
}
_IPV4_NETWORKS = tuple((ip_network(text), kind) for text, kind in _IPV4.items())
_IPV6_NETWORKS = tuple((ip_network(text), kind) for text, kind in _IPV6.items())
_PUBLIC_IPV6 = ip_network("2000::/3")
# DNS64 gives these for names that have IPv4 addresses alone; the last 32 bits are the address.
_NAT64 = ip_network("64:ff9b::/96")
_LOW_32_BITS = 0xFFFFFFFF

# Where clouds keep the keys of their machines. Only an entry for the one address opens them.
METADATA: frozenset[Address] = frozenset(
    map(
        ip_address,
        (
            "169.254.169.254",
            "169.254.169.253",
            "169.254.170.2",
            "169.254.170.23",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
        ),
    )
)


def kind_of(address: Address) -> str | None:
    """Return what kind of address ``address`` is, such as ``loopback``; None for a public one."""
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _IPV4_NETWORKS if address in network), None)
    if address in _NAT64:
        return kind_of(embedded_ipv4(address))
    for network, kind in _IPV6_NETWORKS:
        if address in network:
            return kind
    return None if address in _PUBLIC_IPV6 else "reserved"


def embedded_ipv4(address: IPv6Address) -> IPv4Address:
    """Return the IPv4 address in the last 32 bits of ``address``."""
    return IPv4Address(int(address) & _LOW_32_BITS)


def forms(address: Address) -> tuple[Address, ...]:
    """Return ``address`` and the IPv4 address to which it leads, if it is such a form."""
    if isinstance(address, IPv6Address):
        if address in _NAT64:
            return address, embedded_ipv4(address)
        inner = address.ipv4_mapped or address.sixtofour
        return (address, inner) if inner else (address,)
    return (address,)


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
