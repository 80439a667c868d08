"""A server that people sign in to at an issuer, and a browser that keeps cookies."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from tests.conftest import settings
from tests.mcp_server.authorization_server import unused_port
from tests.serving.running import running
from tests.sign_in.issuing import CLIENT, SECRET, Issuer

from citeseek import Client
from citeseek.person import current_person
from citeseek.surfaces.server.app import guard_app
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.web.issuer_documents import ask_through

TOKEN = "marked-token-8c1d4e"
PEOPLE = "alice@example.org:owner, bob@example.org:member"
START, BACK = "/login/oidc", "/login/oidc/callback"


async def _me(_: Request) -> Response:
    person = current_person()
    return JSONResponse({"name": person.name, "role": person.role})


ME = Starlette(routes=[Route("/{path:path}", _me, methods=["GET", "POST"])])


def signing_in_at(issuer: Issuer, url: str, **env: str) -> dict[str, str]:
    """Return the variables of a server at ``url`` that people sign in to at ``issuer``."""
    issuer.client.redirect_uris = [url + BACK]
    issuer.client.client_metadata = {"post_logout_redirect_uris": [f"{url}/login"]}
    return {
        "CITESEEK_URL": url,
        "CITESEEK_OIDC_ISSUER": issuer.url,
        "CITESEEK_OIDC_CLIENT_ID": CLIENT,
        "CITESEEK_OIDC_CLIENT_SECRET": SECRET,
        "CITESEEK_OIDC_LABEL": "Example ID",
        "CITESEEK_PEOPLE": PEOPLE,
        "CITESEEK_TOKEN": TOKEN,
        **env,
    }


@contextmanager
def served(
    issuer: Issuer,
    *,
    app: ASGIApp = ME,
    port: int = 0,
    how: Mapping[str, Any] | None = None,
    **env: str,
) -> Iterator[str]:
    """Serve ``app`` behind the guard with the variables ``env``; give its address.

    By default it says who asks. ``how`` goes to the guard.
    """
    port = port or unused_port()
    url = f"http://127.0.0.1:{port}"
    loaded = settings(env=signing_in_at(issuer, url, **env))
    client = Client(loaded)
    guarded = guard_app(app, rules=Rules.of(loaded), ask=ask_through(lambda: client), **(how or {}))
    with running(guarded, port=port, http="h11", proxy_headers=False):
        yield url


class Browser:
    """Follows redirects, and pages that lead on, with the cookies that it was given."""

    def __init__(self, url: str, lang: str = "en") -> None:
        self.url = url
        # Without connections that stay open there is nothing to close.
        self.http = httpx.Client(
            headers={"Accept-Language": lang},
            timeout=30,
            limits=httpx.Limits(max_keepalive_connections=0),
        )
        # The addresses that it was led through.
        self.seen: list[str] = []

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Ask for one address, and follow nothing."""
        return self.http.get(urljoin(self.url, path), headers=headers)

    def post(self, path: str, **headers: str) -> httpx.Response:
        """Send an empty form from a page of the server."""
        return self.http.post(urljoin(self.url, path), headers={"Origin": self.url, **headers})

    def visit(self, path: str) -> httpx.Response:
        """Open an address, and go wherever it leads to."""
        return self.follow(self.get(path))

    def follow(self, answer: httpx.Response) -> httpx.Response:
        """Go wherever ``answer`` leads to."""
        for _ in range(12):
            self.seen.append(str(answer.url))
            if answer.is_redirect:
                there = answer.headers["location"]
            elif found := re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', answer.text):
                there = html.unescape(found[1])
            else:
                return answer
            answer = self.http.get(urljoin(str(answer.url), there))
        raise AssertionError(self.seen)

    def sign_in(self, path: str = "/c/abc") -> httpx.Response:
        """Open ``path``, press the button of the login, and come back."""
        page = self.visit(path)
        return self.visit(button_of(page))

    def go_to_issuer(self, path: str = "/c/abc") -> str:
        """Begin a sign-in; return where the issuer sends the browser back to."""
        there = self.get(f"{START}?next={path}").headers["location"]
        return str(self.http.get(there).headers["location"])

    def me(self) -> dict[str, str] | None:
        """Return who the server thinks that it is; None for nobody."""
        answer = self.get("/api/v1/me")
        return answer.json() if answer.status_code == 200 else None


def button_of(page: httpx.Response) -> str:
    """Return where the button of the login leads to."""
    found = re.search(r'id="sign-in" href="([^"]+)"', page.text)
    assert found, page.text
    return html.unescape(found[1])


def note_of(page: httpx.Response) -> str:
    """Return what the login says was wrong."""
    found = re.search(r'role="alert">([^<]+)<', page.text)
    assert found, page.text
    return html.unescape(found[1])


def query_of(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
