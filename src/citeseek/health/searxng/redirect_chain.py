"""Redirects followed as searches follow them, and why they lead to no SearXNG."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from citeseek.errors import SearchFailed
from citeseek.health.connectivity import OBSTACLES, obstacle, tls
from citeseek.health.finding import Finding, Phrase
from citeseek.health.searxng.hosting import port_of
from citeseek.health.searxng.probe import Instance
from citeseek.models import REDIRECTS, Failure, Page, Request
from citeseek.parsing.html import tree
from citeseek.searching.answer_reading import beginning
from citeseek.urls import join_url

# In the host, the path or the parameters of an address that asks for a login.
_LOGIN = re.compile(
    r"\b(log-?in|log-?on|sign-?in|auth\w*|oauth2?|openid\w*|oidc|sso|saml2?|idp|accounts?|keycloak|"
    r"cas|cloudflareaccess|redirect_ur[il]|return_?(to|url)|continue|next|rd)\b",
    re.IGNORECASE,
)


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


HOPS = 5
SECONDS = 0.8
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
