"""Why no SearXNG answers at an address: who answers instead, where one does, what leads away."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import SplitResult, urlsplit

from citeseek.errors import SearchFailed, Timeout
from citeseek.health.connectivity import OBSTACLES, obstacle, tls
from citeseek.health.finding import Finding, Phrase, phrase
from citeseek.health.searxng.hosting import LOOPBACK, host_outside, port_of
from citeseek.health.searxng.probe import LIMITED, Instance, Look, is_guarded
from citeseek.models import REDIRECTS, Failure, Page, Request
from citeseek.parsing.html import tree
from citeseek.searching.answer_reading import beginning
from citeseek.text import plain_line, shorten
from citeseek.urls import join_url

# Of each question; there are three at most.
SECONDS = 0.8
# Where SearXNG listens unless it is told otherwise: in its container, and from its source.
USUAL_PORTS = (8080, 8888)
USUAL_PATHS = ("", "/searxng", "/searx", "/search")

_REFUSED = (401, 403)
_SERVER_ERRORS = range(500, 600)
# What proxies say of a server behind them; the latter are Cloudflare's.
_OF_A_PROXY = frozenset({502, 503, 504, *range(520, 527)})


async def explain_silence(instance: Instance, look: Look, usual_ports: tuple[int, ...]) -> Finding:
    """Say why nothing came from ``instance``, which is asked without a proxy."""
    seconds = f"{instance.patience:.1f}"
    parts = urlsplit(instance.base_url)
    host, port = parts.hostname or "", port_of(instance.base_url)
    met = await obstacle(host, port, seconds=min(SECONDS, instance.left))
    if met == "refused":
        return await _explain_refusal(instance, parts, usual_ports)
    if met:
        is_of_docker = met == "name_not_found" and "." not in host
        return instance.state(met, seconds=seconds, more=("@outside",) if is_of_docker else ())
    if finding := await _wrong_scheme(instance, parts):
        return finding
    if isinstance(look.failure, Timeout):
        return instance.state("timeout", seconds=seconds)
    return instance.state("not_searxng", server="")


async def _explain_refusal(
    instance: Instance, parts: SplitResult, ports: tuple[int, ...]
) -> Finding:
    """Say where on this machine a SearXNG listens, or that it does not."""
    elsewhere = _other_ports(parts, ports)
    is_here = parts.hostname in LOOPBACK
    outside = await host_outside(seconds=SECONDS) if is_here else None
    if outside:
        elsewhere.append(_at(parts, outside, port_of(instance.base_url), parts.path))
    if found := await _first(instance, elsewhere):
        return instance.state("wrong_port", found=found)
    more = {"@in_container": outside, "@not_ipv6": parts.hostname == "::1"}
    return instance.state(
        "refused",
        without=phrase("searxng_fails"),
        more=tuple(line for line, holds in more.items() if holds),
    )


async def someone_else(instance: Instance, look: Look) -> Finding:
    """Say what answers at the address of ``instance`` in place of a SearXNG."""
    pages = [page for page in (look.health, look.config) if page is not None]
    if any(is_guarded(page) for page in pages):
        return instance.state("guarded")
    if found := await _first(instance, _other_paths(urlsplit(instance.base_url))):
        return instance.state("base_path", found=found)
    led_to = await follow(instance, pages[0])
    if isinstance(led_to, Finding):
        return led_to
    if finding := _fault(instance, pages):
        return finding
    server = shorten(plain_line(pages[0].headers.get("server", "")), 40)
    says = phrase("says_server", name=server) if server else ""
    return instance.state("not_searxng", server=says)


def _fault(instance: Instance, pages: list[Page]) -> Finding | None:
    """Tell a server that fails from a proxy before one that does not answer, and from refusals."""
    failed = [page.status for page in pages if page.status in _SERVER_ERRORS]
    if failed:
        code = "gateway" if failed[0] in _OF_A_PROXY else "server_error"
        # The port is the proxy's; the SearXNG behind it has its own.
        return instance.state(code, status=failed[0], port_option="")
    if pages[0].status in _REFUSED:
        return instance.state("access_refused", status=pages[0].status)
    if all(page.status == LIMITED for page in pages):
        return instance.state("limiter")
    return None


async def _wrong_scheme(instance: Instance, parts: SplitResult) -> Finding | None:
    """Return the finding for an address whose http should be https, or the other way round."""
    seconds = min(SECONDS, instance.left)
    spoken = await tls(parts.hostname or "", port_of(instance.base_url), seconds=seconds)
    if parts.scheme == "http" and spoken != "none":
        return instance.state("tls_expected", found=parts._replace(scheme="https").geturl())
    if parts.scheme == "https" and spoken == "none":
        plain = parts._replace(scheme="http").geturl()
        if (await instance.at(plain).look(seconds=seconds)).health is not None:
            return instance.state("tls", found=plain)
    if parts.scheme == "https" and spoken == "untrusted":
        return instance.state("tls_certificate")
    return None


async def _first(instance: Instance, addresses: list[str]) -> str | None:
    """Return the first of ``addresses`` at which there is a SearXNG."""
    seconds = min(SECONDS, instance.left)
    looks = await asyncio.gather(*(instance.at(url).look(seconds=seconds) for url in addresses))
    pairs = zip(addresses, looks, strict=True)
    return next((url for url, look in pairs if look.is_searxng), None)


def _other_paths(parts: SplitResult) -> list[str]:
    """Return the address with the paths above its own, and with those that are usual."""
    steps = [step for step in parts.path.split("/") if step]
    above = ["".join(f"/{step}" for step in steps[:count]) for count in range(len(steps))]
    paths = dict.fromkeys((*reversed(above), *USUAL_PATHS))
    return [parts._replace(path=path).geturl() for path in paths if path != parts.path]


def _other_ports(parts: SplitResult, ports: tuple[int, ...]) -> list[str]:
    """Return the address with other ports, if it is the own machine's.

    What listens on 127.0.0.1 alone is not at ``[::1]``, though the port is the same.
    """
    if parts.hostname not in LOOPBACK:
        return []
    own = port_of(parts.geturl())
    here = [(parts.hostname, port) for port in ports if port != own]
    if parts.hostname == "::1":
        here = [("127.0.0.1", port) for port in dict.fromkeys((own, *ports))]
    return [
        _at(parts, host, port, path)
        for host, port in here
        for path in dict.fromkeys((parts.path, ""))
    ]


def _at(parts: SplitResult, host: str, port: int, path: str) -> str:
    login, at, _ = parts.netloc.rpartition("@")
    host = f"[{host}]" if ":" in host else host
    return parts._replace(scheme="http", netloc=f"{login}{at}{host}:{port}", path=path).geturl()


# In the host, the path or the parameters of an address that asks for a login.
_LOGIN = re.compile(
    r"\b(log-?in|log-?on|sign-?in|auth\w*|oauth2?|openid\w*|oidc|sso|saml2?|idp|accounts?|keycloak|"
    r"cas|cloudflareaccess|redirect_ur[il]|return_?(to|url)|continue|next|rd)\b",
    re.IGNORECASE,
)


HOPS = 5
_NO_TLS = Phrase("no_tls")


async def follow(instance: Instance, page: Page) -> Page | Finding:
    """Return the page that ``page`` leads to, itself when it is no redirect, or what is wrong."""
    asked = _instance_address(page.url)
    found = ""
    for _ in range(HOPS + 1):
        target = leads_to(page)
        if target is None:
            return page
        found = _instance_address(target)
        if is_login(target):
            return instance.state("login_wall", found=without_query(target))
        if urlsplit(target).hostname != urlsplit(instance.base_url).hostname:
            return instance.state("moved", asked=asked, found=found)
        if finding := await _no_way(instance, page.url, target, asked):
            return finding
        try:
            page = await instance.send(Request(url=target), seconds=SECONDS)
        except SearchFailed as error:
            return _unreachable(instance, asked, target, Failure.of(error))
    return instance.state("redirect_loop", asked=asked, found=found)


async def _no_way(instance: Instance, before: str, target: str, asked: str) -> Finding | None:
    """Return why the server of ``target``, if it is another one, cannot be reached."""
    host, port, scheme = urlsplit(target).hostname or "", port_of(target), urlsplit(target).scheme
    if (port, scheme) == (port_of(before), urlsplit(before).scheme):
        return None
    seconds = min(SECONDS, instance.left)
    if met := await obstacle(host, port, seconds=seconds):
        return _unreachable(instance, asked, target, OBSTACLES[met])
    if scheme != "https":
        return None
    spoken = await tls(host, port, seconds=seconds)
    if spoken == "untrusted":
        found = _instance_address(target)
        return instance.state(
            "redirect_untrusted", asked=asked, found=found, there=f"{host}:{port}"
        )
    return _unreachable(instance, asked, target, _NO_TLS) if spoken == "none" else None


def _unreachable(instance: Instance, asked: str, target: str, problem: Phrase | Failure) -> Finding:
    found = _instance_address(target)
    return instance.state("redirect_unreachable", asked=asked, found=found, problem=problem)


def _instance_address(url: str) -> str:
    """Return the address of the instance that ``url`` would be a page of."""
    return without_query(url).removesuffix("/healthz").removesuffix("/search").removesuffix("/")


def leads_to(page: Page) -> str | None:
    """Return the address that ``page`` redirects to, on whichever host; None for no redirect."""
    location = page.headers.get("location")
    if page.status not in REDIRECTS or not location:
        return None
    url = join_url(page.url, location)
    return url if url and urlsplit(url).scheme in ("http", "https") else None


def is_login(url: str) -> bool:
    """Whether the address, by its words, is one where people log in."""
    parts = urlsplit(url)
    return bool(_LOGIN.search(" ".join((parts.hostname or "", parts.path, parts.query))))


def without_query(url: str) -> str:
    """Return the address as it may be told: parameters may hold what only we were told."""
    return urlsplit(url)._replace(query="", fragment="").geturl()


def asks_for_password(page: Page) -> bool:
    """Whether the page has a field for a password."""
    return tree(beginning(page)).css_first("input[type=password]") is not None
