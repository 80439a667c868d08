"""A program and a person's browser at our own authorization server, over real HTTP on loopback."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from tests.conftest import settings
from tests.mcp_server.authorization_server import unused_port
from tests.mcp_server.test_mcp_http import ACCEPT, HELLO, TOKEN
from tests.serving.running import running

from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.server.rules import Rules

ALICE, BOB, EVE = "alices-token-5d1c0e", "bobs-token-77ab41", "eves-token-aa01be"
PEOPLE = f"alice:owner:{ALICE}, bob:member:{BOB}, eve:guest:{EVE}"
BACK = "http://127.0.0.1:1/back"


def environment(address: str, folder: Path, people: str = PEOPLE) -> dict[str, str]:
    """Return what sets up the server at ``address``, which keeps its grants in ``folder``."""
    return {
        "CITESEEK_ENGINE": "stub",
        "CITESEEK_TOKEN": TOKEN,
        "CITESEEK_PEOPLE": people,
        "CITESEEK_SESSIONS": str(folder / "sessions.sqlite3"),
        "CITESEEK_MCP_AUTHORIZATION": "on",
        "CITESEEK_MCP_URL": address + PATH,
    }


@contextmanager
def authorizing(
    folder: Path, *, port: int = 0, public: str = "", people: str = PEOPLE, **env: str
) -> Iterator[str]:
    """Serve MCP with its own authorization server; ``public`` is its address where it has two.

    ``env`` says what else is set.
    """
    port = port or unused_port()
    address = f"http://127.0.0.1:{port}"
    loaded = settings(env={**environment(public or address, folder, people), **env})
    with running(http_app(loaded, Rules.of(loaded)), port=port):
        yield address


# Each of them comes from an address of its own, of which so much is taken in a minute.
_ADDRESSES = count(1)


class Web:
    """Asks ``address``, each time over a connection of its own, and keeps cookies."""

    def __init__(self, address: str, *, follows: bool = False) -> None:
        self._address = address
        self._follows = follows
        self.cookies = httpx2.Cookies()
        number = next(_ADDRESSES)
        self._from = f"127.1.{number // 250}.{number % 250 + 1}"

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self._ask("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx2.Response:
        return self._ask("POST", path, **options)

    def _ask(self, method: str, path: str, **options: Any) -> httpx2.Response:
        with httpx2.Client(
            transport=httpx2.HTTPTransport(local_address=self._from, verify=False),
            base_url=self._address,
            cookies=self.cookies,
            timeout=30,
            follow_redirects=self._follows,
        ) as client:
            answer = client.request(method, path, **options)
            self.cookies.update(client.cookies)
        return answer


class Program:
    """A program with PKCE that registers at ``address``."""

    def __init__(self, address: str, *, public: str = "", back: str = BACK) -> None:
        self.http = Web(address)
        self.resource = (public or address) + PATH
        self.back = back
        self.verifier = secrets.token_urlsafe(32)
        self.client_id = ""

    def register(self, **metadata: Any) -> httpx2.Response:
        told = {"client_name": "A host", "redirect_uris": [self.back], **metadata}
        answer = self.http.post("/register", json=told)
        if answer.status_code == 201:
            self.client_id = answer.json()["client_id"]
        return answer

    def asking(self, **changed: str | None) -> str:
        """Return where it sends a browser; None leaves a parameter out."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        usual: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.back,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "state": "a state",
            "resource": self.resource,
        }
        told = {name: value for name, value in {**usual, **changed}.items() if value is not None}
        return f"/authorize?{urlencode(told)}"

    def redeem(self, code: str, **changed: str) -> httpx2.Response:
        return self._token(
            grant_type="authorization_code",
            **{"code": code, "redirect_uri": self.back, "code_verifier": self.verifier, **changed},
        )

    def refresh(self, token: str, **changed: str) -> httpx2.Response:
        return self._token(grant_type="refresh_token", refresh_token=token, **changed)

    def _token(self, **fields: str) -> httpx2.Response:
        usual = {"client_id": self.client_id, "resource": self.resource}
        return self.http.post("/token", data={**usual, **fields})

    def revoke(self, token: str) -> httpx2.Response:
        return self.http.post("/revoke", data={"client_id": self.client_id, "token": token})

    def hello(self, token: str) -> httpx2.Response:
        """Begin a session of MCP."""
        headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
        return self.http.post(PATH, json=HELLO, headers=headers)


class Person:
    """A browser without scripts, signed in with ``token``."""

    def __init__(self, address: str, token: str) -> None:
        self.http = Web(address, follows=True)
        answer = self.http.post("/login", data={"token": token, "next": "/programs"})
        assert answer.status_code == 200, answer.text

    def programs(self) -> dict[str, str]:
        """Return the programs that the page shows, with what takes the access of each back."""
        page = self.http.get("/programs").text
        named = re.findall(
            r"<strong>([^<]*)</strong>.*?name=\"id\" value=\"(\w+)\"", page, re.DOTALL
        )
        return dict(named)

    def take_back(self, program_id: str) -> None:
        form = fields(self.http.get("/programs"))
        self.http.post("/programs", data={**form, "id": program_id})

    def answer(self, asking: str, answer: str = "allow") -> dict[str, str]:
        """Answer the consent page; return what the program is told."""
        page = self.http.get(asking)
        assert page.status_code == 200, page.text
        return told(self.http.post("/authorize", data={**fields(page), "answer": answer}))


def fields(page: httpx2.Response) -> dict[str, str]:
    """Return the hidden fields of the first form of a page."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text)
    return {name: unescape(value) for name, value in found}


def leads_to(page: httpx2.Response) -> str:
    """Return where a page leads on by itself."""
    found = re.search(r'http-equiv="refresh" content="0;url=([^"]*)"', page.text)
    assert found, page.text
    return unescape(found[1])


def told(page: httpx2.Response) -> dict[str, str]:
    """Return what a program is told where the browser is led."""
    query = parse_qs(urlsplit(leads_to(page)).query)
    return {name: value for name, (value,) in query.items()}


def expire(folder: Path, kind: str, seconds: float = 1.0) -> None:
    """Let all codes or tokens of a kind have expired some seconds ago."""
    with closing(sqlite3.connect(folder / "sessions.sqlite3")) as database, database:
        database.execute(
            "UPDATE oauth_tokens SET expires_at = ? WHERE kind = ?", (time.time() - seconds, kind)
        )


def connect(program: Program, person: Person) -> dict[str, Any]:
    """Register, let the person consent, and return the tokens."""
    assert program.register().status_code == 201
    answer = program.redeem(person.answer(program.asking())["code"])
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


class KeptTokens:
    """What a host keeps of its tokens, for the library's client."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info
