"""A proxy before the server that has asked people who they are, and says it in a header."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from starlette.datastructures import Headers
from starlette.types import Scope

from citeseek.errors import InvalidInput
from citeseek.person import Person, Role
from citeseek.settings import Settings
from citeseek.settings.known_people import KnownPerson, fold_person
from citeseek.settings.server_settings import ServerSection
from citeseek.settings.setting import Setting

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


_ROLES: Mapping[str, Role | None] = {"member": "member", "guest": "guest", "none": None}


class TrustedProxy(msgspec.Struct, frozen=True, kw_only=True):
    """Believes ``header`` in what comes from one of ``networks``, and from nowhere else.

    Who is named in the settings has the role that stands there, others have ``role``; None lets
    none of them in.
    """

    header: str
    networks: tuple[Network, ...]
    people: tuple[KnownPerson, ...] = ()
    role: Role | None = "member"

    @classmethod
    def of(cls, settings: Settings, people: Sequence[KnownPerson]) -> TrustedProxy | None:
        """Return that of ``settings``, None where there is none.

        Raise InvalidInput for a header without addresses, whoever could then say that they are
        anybody, and for what cannot be read.
        """
        server = settings.server
        _check_read(settings, ServerSection.proxy_header)
        _check_read(settings, ServerSection.proxy_addresses)
        if server.proxy_header is None:
            return None
        if not server.proxy_addresses:
            raise InvalidInput(
                "A proxy is to say who comes (CITESEEK_PROXY_HEADER), and nobody says where it is: "
                "everybody could say that they are anybody.",
                hint="Set CITESEEK_PROXY_ADDRESSES to the addresses that it comes from.",
                values={"case": "proxy_anywhere"},
            )
        return cls(
            header=server.proxy_header,
            networks=tuple(map(ipaddress.ip_network, server.proxy_addresses)),
            people=tuple(people),
            role=_ROLES[server.proxy_role],
        )

    def find(self, scope: Scope) -> Person | None:
        """Return who the proxy says that it is, None where it says nothing that counts.

        A header that stands there twice is nobody: one of them is not the proxy's.
        """
        if not self._comes_from(str((scope.get("client") or ("",))[0])):
            return None
        given = Headers(scope=scope).getlist(self.header)
        if len(given) != 1:
            return None
        try:
            name = fold_person(given[0])
        except ValueError:
            return None
        for known in self.people:
            if known.person.name == name:
                return known.person
        return None if self.role is None else Person(name, self.role)

    def _comes_from(self, text: str) -> bool:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return False
        # On a socket for both, addresses of version 4 are written so.
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self.networks)


def _check_read(settings: Settings, setting: Setting[Any]) -> None:
    if settings.was_given(setting) and not settings.get(setting).value:
        raise InvalidInput(
            f"{setting.name} ({setting.env[0]}) cannot be read.",
            hint="Write the name of a header, or addresses such as 10.0.0.5 and 10.0.0.0/8.",
            values={
                "case": "proxy_unreadable",
                "name": str(setting.name),
                "variable": str(setting.env[0]),
            },
        )
