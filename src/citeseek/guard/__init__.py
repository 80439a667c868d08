"""The guard: which addresses a page may be fetched from, decided before anything is sent.

:func:`read` takes an address apart and refuses what two programs could read differently.
:class:`Guard` looks its name up once and returns the addresses that may be connected to; whoever
connects uses these and no other, so that a second look-up cannot lead elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address

import msgspec

from citeseek.errors import NetworkError
from citeseek.guard.networks import METADATA, Address, Allowed, forms, kind_of
from citeseek.guard.resolver import Resolver, is_local, system_addresses, unknown_name
from citeseek.guard.target import Target, read, refusal

__all__ = ["Allowed", "Checked", "Guard", "Resolver", "Target", "read"]
# Behind a proxy this machine may have no name server at all.
_LOOK_SECONDS = 2.0
_HINT = "If the network is your own, add it to web.fetch.allow."


class Checked(msgspec.Struct, frozen=True):
    """A target that may be asked, and the addresses to connect to; none when a proxy looks up."""

    target: Target
    addresses: tuple[str, ...] = ()


class Guard:
    """Lets through what is public or in ``allowed``.

    ``resolver`` is asked once for a name; one address that is refused among its addresses refuses
    the name, since no honest name leads to both.
    """

    def __init__(
        self, allowed: Allowed | None = None, *, resolver: Resolver = system_addresses
    ) -> None:
        self._allowed = allowed or Allowed()
        self._resolver = resolver

    async def check(self, url: str | Target, *, by_proxy: bool = False) -> Checked:
        """Return where ``url`` may be asked.

        With ``by_proxy`` the proxy looks the name up: then names that are local, addresses, and
        names that lead to refused addresses here are refused, and nothing is pinned. Raise
        InvalidInput, WebBlocked (``ssrf_blocked``) or NetworkError.
        """
        target = read(url) if isinstance(url, str) else url
        if target.literal is not None:
            self._admit(target.literal, target.host)
            return Checked(target, (str(target.literal),))
        if by_proxy:
            await self._check_for_proxy(target.host)
            return Checked(target)
        addresses = tuple(map(_address, await self._look_up(target.host)))
        if not addresses:
            raise unknown_name(target.host)
        for address in addresses:
            self._admit(address, target.host)
        return Checked(target, tuple(map(str, addresses)))

    async def _check_for_proxy(self, host: str) -> None:
        if host in self._allowed.hosts:
            return
        if is_local(host):
            raise refusal("its host is a name of a local network", "local_name", hint=_HINT)
        found: tuple[Address, ...] = ()
        with suppress(NetworkError, TimeoutError):
            found = tuple(map(_address, await self._look_up(host, seconds=_LOOK_SECONDS)))
        for address in found:
            self._admit(address, host)

    async def _look_up(self, host: str, *, seconds: float | None = None) -> Sequence[str]:
        async with asyncio.timeout(seconds):
            return await self._resolver(host)

    def _admit(self, address: Address, host: str) -> None:
        kind = kind_of(address)
        if kind is None or self._allowed.has(address, host):
            return
        if any(way in METADATA for way in forms(address)):
            raise refusal("it leads to a cloud's inner service", "cloud")
        raise refusal(f"it leads to an address that is {kind}", "not_public", hint=_HINT)


def _address(text: str) -> Address:
    return ip_address(text)
