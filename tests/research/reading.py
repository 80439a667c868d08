"""How a test of reports reads: a client for the site, and texts compared without white space."""

from __future__ import annotations

from typing import Any

from tests.conftest import settings
from tests.research.site import ResearchSite

from citeseek import Client


def client_over(site: ResearchSite, searxng: str = "", **fetch: Any) -> Client:
    """Return a client that may read the site, and that searches with the SearXNG at ``searxng``."""
    may = {"allow": [site.server.host], "fetch_delay_seconds": 0, "backend": "httpx"}
    env = {"SEARXNG_BASE_URL": searxng, "WEB_SEARCH_BACKEND": "searxng"} if searxng else {}
    return Client(settings({"web": {"fetch": {**may, **fetch}}}, env=env))


def squeezed(text: str) -> str:
    """Return ``text`` without white space: lines end where a paper's width ends."""
    return "".join(text.split())
