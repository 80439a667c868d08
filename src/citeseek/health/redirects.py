"""Redirects followed as searches follow them, and why they lead to no SearXNG."""

from __future__ import annotations

from urllib.parse import urlsplit

from citeseek.errors import SearchFailed
from citeseek.health.finding import Finding
from citeseek.health.instance import Instance
from citeseek.health.login_wall import is_login, leads_to, without_query
from citeseek.health.reach import OBSTACLES, obstacle, tls
from citeseek.health.searxng_url import port_of
from citeseek.models import Page, Request

HOPS = 5
SECONDS = 0.8
_NO_TLS = "端口不加密 (the port does not speak TLS)"


async def followed(instance: Instance, page: Page) -> Page | Finding:
    """Return the page that ``page`` leads to, itself when it is no redirect, or what is wrong."""
    asked = _shown(page.url)
    found = ""
    for _ in range(HOPS + 1):
        target = leads_to(page)
        if target is None:
            return page
        found = _shown(target)
        if is_login(target):
            return instance.state("login_wall", found=without_query(target))
        if urlsplit(target).hostname != urlsplit(instance.base_url).hostname:
            return instance.state("moved", asked=asked, found=found)
        if finding := await _no_way(instance, page.url, target, asked):
            return finding
        try:
            page = await instance.send(Request(url=target), seconds=SECONDS)
        except SearchFailed as error:
            return _unreachable(instance, asked, target, error.message)
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
        found = _shown(target)
        return instance.state(
            "redirect_untrusted", asked=asked, found=found, there=f"{host}:{port}"
        )
    return _unreachable(instance, asked, target, _NO_TLS) if spoken == "none" else None


def _unreachable(instance: Instance, asked: str, target: str, problem: str) -> Finding:
    found = _shown(target)
    return instance.state("redirect_unreachable", asked=asked, found=found, problem=problem)


def _shown(url: str) -> str:
    """Return the address of the instance that ``url`` would be a page of."""
    return without_query(url).removesuffix("/healthz").removesuffix("/search").removesuffix("/")
