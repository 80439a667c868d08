"""The network below all searches: ways out, proxies, names, and proxy tools that make them up."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from citeseek.errors import InvalidInput
from citeseek.faces import CHAT
from citeseek.health.connectivity import OBSTACLES, addresses, obstacle
from citeseek.health.finding import Finding, Status, phrase
from citeseek.health.searxng.hosting import bare, proxy_port
from citeseek.health.searxng.hosting import bypass as no_proxy
from citeseek.health.texts import tell
from citeseek.http import Proxies
from citeseek.searching.engine_choice import LAST_RESORT, engine_name
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings
from citeseek.settings.sources import DEFAULT

SECONDS = 3.0
# RFC 2544's, for measuring networks: proxy tools hand its addresses out and map them back.
FAKE = ipaddress.ip_network("198.18.0.0/15")
_IN_ENVIRONMENT = (
    "export $example  # ${write_your_proxy}",
    "unset $names  # ${or_use_none}",
)
_IN_FILE = ("citeseek doctor config  # ${in_which_line}",)
EXAMPLE = "http://127.0.0.1:7890"
LOOPBACK_URL = "http://localhost:8080"

# Addresses of documentation (RFC 5737, RFC 3849): a route is looked for, nothing is sent.
_WAYS = (
    ("IPv4", socket.AF_INET, "192.0.2.1"),
    ("IPv6", socket.AF_INET6, "2001:db8::1"),
)


async def check_network(settings: Settings, *, seconds: float = SECONDS) -> list[Finding]:
    """Look at proxies, at the names of the engines in use, and at the ways out of this machine.

    Nothing is sent but look-ups of names and connections to the proxies.
    """
    found = await asyncio.gather(_proxies(settings, seconds), _names(settings, seconds))
    return [*_ways(), *found[0], *found[1]]


def _ways() -> list[Finding]:
    ways = [name for name, family, address in _WAYS if _has_way(family, address)]
    if not ways:
        return [tell("network", "no_network")]
    without = [name for name, _, _ in _WAYS if name not in ways]
    missing = [(", ", phrase("no_network_of_kind", name=name)) for name in without]
    return [tell("network", "ways", ways=(", ".join(ways), *missing))]


def _has_way(family: int, address: str) -> bool:
    """Whether the system knows a way to ``address``; connecting a datagram socket sends nothing."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as way:
        way.connect((address, 9))
        return True
    return False


async def _proxies(settings: Settings, seconds: float) -> list[Finding]:
    http, https, bypass = settings.system_proxies()
    fetch = settings.web_fetch.proxy
    schemes: dict[str, list[str]] = {}
    for scheme, proxy in (("http", http), ("https", https), ("web.fetch", fetch)):
        if proxy:
            schemes.setdefault(proxy, []).append(scheme)
    invalid = list(_invalid(settings))
    if not schemes:
        return invalid or [tell("network", "no_proxy")]
    found = list(
        await asyncio.gather(*(_proxy(", ".join(n), p, seconds) for p, n in schemes.items()))
    )
    if Proxies(http=http, https=https, bypass=bypass).for_url(LOOPBACK_URL):
        found.append(tell("network", "proxy_before_localhost", bypass=no_proxy(bypass)))
    return [*invalid, *found]


def _invalid(settings: Settings) -> Iterator[Finding]:
    """Find the proxies that somebody set and that nobody can use; they were looked at before."""
    for engine in Registry():
        settings.engine(engine)
    for wrong in settings.sources.problems:
        if wrong.kind == "unusable" and wrong.path.lower().endswith("proxy"):
            file, name, problem = wrong.source, wrong.path, wrong.detail
            # It may have been written in small letters, which count before capitals.
            both = tuple(dict.fromkeys((name, name.lower())))
            mend = _IN_ENVIRONMENT if file == "environment" else _IN_FILE
            yield tell(
                "network",
                "proxy_invalid",
                more=mend,
                where=f"{file} {name}",
                problem=problem,
                example=" ".join(f"{one}={EXAMPLE}" for one in both),
                names=" ".join(both),
            )


async def _proxy(scheme: str, proxy: str, seconds: float) -> Finding:
    parts = urlsplit(proxy)
    met = await obstacle(parts.hostname or "", proxy_port(proxy), seconds=seconds)
    shown = bare(proxy)
    if met:
        problem = OBSTACLES[met]
        return tell("network", "proxy_unreachable", scheme=scheme, proxy=shown, problem=problem)
    return tell("network", "proxy", scheme=scheme, proxy=shown)


async def _names(settings: Settings, seconds: float) -> list[Finding]:
    """Look up the hosts of the engines in use that are reached without a proxy."""
    hosts = _hosts(settings)
    answers = await asyncio.gather(*(addresses(host, seconds=seconds) for host in hosts))
    ips = dict(zip(hosts, answers, strict=True))
    missing = [host for host in hosts if not ips[host]]
    fake = [host for host in hosts if any(_is_fake(ip) for ip in ips[host])]
    well = [host for host in hosts if host not in missing and host not in fake]
    found = []
    for code, names in (("name_not_found", missing), ("fake_addresses", fake), ("names", well)):
        if names:
            is_error = code == "name_not_found" and any(hosts[name] for name in names)
            status: Status | None = "error" if is_error else None
            shown = ", ".join(names)
            finding = tell("network", code, as_status=status, names=shown, name=names[0])
            found.append(finding)
    return found


def _hosts(settings: Settings) -> dict[str, bool]:
    """Return the hosts, and whether one is needed: by the chat app, or since somebody chose it."""
    registry = Registry()
    needed = {LAST_RESORT: False}
    for face in settings.faces():
        with suppress(InvalidInput):
            chosen = engine_name(face, registry, settings)
            is_needed = face.face is CHAT or chosen.origin != DEFAULT
            needed[chosen.value] = needed.get(chosen.value, False) or is_needed
    http, https, bypass = settings.system_proxies()
    shared = Proxies(http=http, https=https, bypass=bypass)
    hosts: dict[str, bool] = {}
    for name, is_needed in needed.items():
        reach = settings.engine(engine) if (engine := registry.find(name)) else None
        url = (reach.base_url.value or "").replace("{language}", "en") if reach else ""
        host = urlsplit(url).hostname
        if reach and host and not reach.proxy.value and not shared.for_url(url):
            hosts[host] = hosts.get(host, False) or is_needed
    return hosts


def _is_fake(ip: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(ip.partition("%")[0]) in FAKE
    return False
