"""Pages that are sent in place of an answer: redirects to another address, and logins."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from citeseek.html import tree
from citeseek.judge import REDIRECTS
from citeseek.models import Page
from citeseek.reading import beginning
from citeseek.urls import joined

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
    url = joined(page.url, location)
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
