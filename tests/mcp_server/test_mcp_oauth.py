"""Access tokens of another's authorization server: who comes in by one, and how a host gets it."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from pydantic import AnyUrl
from tests.conftest import settings
from tests.mcp_server.authorization_server import SCOPE, Issuer, issuing, new_key, unused_port
from tests.mcp_server.oauth_flow import KeptTokens
from tests.mcp_server.test_mcp_http import ACCEPT, HELLO, TOKEN
from tests.serving.running import Caller, running

from citeseek.errors import BadGateway, InvalidInput
from citeseek.models import Page, Request
from citeseek.settings.known_people import fold_person
from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.mcp.issued_tokens import person_of
from citeseek.surfaces.mcp.protected_resource import Resource
from citeseek.surfaces.mcp.token_issuer import (
    KEPT_SECONDS,
    LEAST_SECONDS,
    RETRY_SECONDS,
    TokenIssuer,
    well_known,
)
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.web.issuer_documents import is_safe

METADATA = "/.well-known/oauth-protected-resource"
BACK = "http://127.0.0.1:1/back"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as running_issuer:
        yield running_issuer


@pytest.fixture
def resource(issuer: Issuer, tmp_path: Path) -> Iterator[str]:
    """Serve MCP for tokens of ``issuer``; give the address of the server."""
    port = unused_port()
    address = f"http://127.0.0.1:{port}"
    env = {
        "CITESEEK_ENGINE": "stub",
        "CITESEEK_SESSIONS": str(tmp_path / "sessions"),
        "CITESEEK_TOKEN": TOKEN,
        "CITESEEK_MCP_ISSUER": issuer.url,
        "CITESEEK_MCP_URL": address + PATH,
        "CITESEEK_MCP_SCOPE": SCOPE,
    }
    loaded = settings(env=env)
    with running(http_app(loaded, Rules.of(loaded)), port=port):
        yield address


def hello(address: str, token: str) -> Any:
    headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
    return Caller(address)("POST", PATH, HELLO, headers)


async def test_a_host_finds_the_issuer_by_itself_and_comes_in(
    issuer: Issuer, resource: str
) -> None:
    """Register, authorize with PKCE, get a token and call a tool, as the library's client does."""
    kept, answers = KeptTokens(), asyncio.Queue[str]()

    async def in_a_browser(url: str) -> None:
        asked = parse_qs(urlsplit(url).query)
        assert asked["resource"] == [resource + PATH]
        assert asked["code_challenge_method"] == ["S256"]
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(url)
        assert answer.status_code == 302, answer.text
        answers.put_nowait(answer.headers["location"])

    async def back() -> AuthorizationCodeResult:
        told = parse_qs(urlsplit(await answers.get()).query)
        return AuthorizationCodeResult(code=told["code"][0], state=told["state"][0])

    metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)], client_name="a host")
    provider = OAuthClientProvider(resource + PATH, metadata, kept, in_a_browser, back)
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        transport = streamable_http_client(resource + PATH, http_client=http)
        async with Client(transport) as client:
            result = await client.call_tool("web_search", {"query": "tea"})
    assert len(result.structured_content["items"]) == 3
    assert kept.client is not None
    assert set(issuer.clients) == {kept.client.client_id}


def test_it_says_who_issues_tokens_for_it(issuer: Issuer, resource: str) -> None:
    for path in (METADATA + PATH, METADATA):
        told = Caller(resource)("GET", path).json()
        assert told["resource"] == resource + PATH
        assert told["authorization_servers"] == [issuer.url]
        assert told["scopes_supported"] == [SCOPE]
    refused = hello(resource, "wrong")
    assert refused.status == 401
    challenge = refused.headers["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    assert f'resource_metadata="{resource}{METADATA}{PATH}"' in challenge
    assert f'scope="{SCOPE}"' in challenge


def test_the_token_of_the_server_lets_in_as_before(issuer: Issuer, resource: str) -> None:
    assert hello(resource, TOKEN).status == 200
    assert issuer.asked == []


def test_only_what_the_issuer_signed_for_this_server_lets_in(issuer: Issuer, resource: str) -> None:
    audience = resource + PATH
    good = issuer.token(audience)
    assert hello(resource, good).status == 200
    assert hello(resource, issuer.token("x", aud=["https://other.example", audience])).status == 200
    head, payload, _ = good.split(".")
    unsigned = jwt.encode({"sub": "alice", "aud": audience, "iss": issuer.url}, None, "none")
    public = issuer.keys["first"].public_key().public_numbers().n.to_bytes(256, "big")
    shared = jwt.encode(
        {"iss": issuer.url, "aud": audience, "sub": "eve", "exp": int(time.time()) + 60},
        public,
        "HS256",
        headers={"kid": "first"},
    )
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    forged = base64.urlsafe_b64encode(json.dumps({**claims, "sub": "eve"}).encode()).decode()
    wrong = {
        "of another key": issuer.token(audience, key=new_key()),
        "for another server": issuer.token("https://other.example/mcp"),
        "of another issuer": issuer.token(audience, iss="https://evil.example"),
        "for nobody": issuer.token(audience, sub=None),
        "without an end": issuer.token(audience, exp=None),
        "not begun": issuer.token(audience, nbf=int(time.time()) + 3_600),
        "unsigned": unsigned,
        "signed with what is public": shared,
        "changed": f"{head}.{forged.rstrip('=')}.{good.rsplit('.', 1)[1]}",
    }
    for how, token in wrong.items():
        answer = hello(resource, token)
        assert answer.status == 401, how
        assert "resource_metadata=" in answer.headers["WWW-Authenticate"], how
    # So many guesses are answered late, and the right token still comes in.
    assert {hello(resource, "guess").status for _ in range(3)} <= {401, 429}
    assert hello(resource, good).status == 200


def test_a_token_that_is_over_is_told_so_and_is_no_guess(issuer: Issuer, resource: str) -> None:
    over = issuer.token(resource + PATH, exp=int(time.time()) - 3_600)
    for _ in range(15):
        answer = hello(resource, over)
        assert answer.status == 401
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]


def test_a_token_without_the_scope_is_told_which(issuer: Issuer, resource: str) -> None:
    answer = hello(resource, issuer.token(resource + PATH, scope="profile email"))
    assert answer.status == 403
    challenge = answer.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert f'scope="{SCOPE}"' in challenge
    listed = issuer.token(resource + PATH, scope=None, scp=[SCOPE])
    assert hello(resource, listed).status == 200


def test_nobody_goes_on_in_the_session_of_another(issuer: Issuer, resource: str) -> None:
    mine = issuer.token(resource + PATH)
    session = hello(resource, mine).headers["Mcp-Session-Id"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}

    def list_tools(token: str) -> int:
        headers = {**ACCEPT, "Authorization": f"Bearer {token}", "Mcp-Session-Id": session}
        headers["Mcp-Protocol-Version"] = "2025-06-18"
        return int(Caller(resource)("POST", PATH, listing, headers).status)

    assert list_tools(issuer.token(resource + PATH, sub="eve")) in (403, 404)
    assert list_tools(mine) == 200


def test_a_new_key_is_found_and_the_old_one_goes_on(issuer: Issuer, resource: str) -> None:
    assert hello(resource, issuer.token(resource + PATH)).status == 200
    asked = len(issuer.asked)
    assert hello(resource, issuer.token(resource + PATH)).status == 200
    assert len(issuer.asked) == asked


def test_an_issuer_that_is_not_there_is_no_refusal(tmp_path: Path) -> None:
    port, nobody = unused_port(), unused_port()
    address = f"http://127.0.0.1:{port}"
    env = {
        "CITESEEK_SESSIONS": str(tmp_path / "sessions"),
        "CITESEEK_TOKEN": TOKEN,
        "CITESEEK_MCP_ISSUER": f"http://127.0.0.1:{nobody}",
        "CITESEEK_MCP_URL": address + PATH,
    }
    loaded = settings(env=env)
    token = Issuer(f"http://127.0.0.1:{nobody}").token(address + PATH)
    with running(http_app(loaded, Rules.of(loaded)), port=port):
        answer = hello(address, token)
        assert answer.status == 503
        assert answer.headers["Retry-After"]
        assert hello(address, TOKEN).status == 200


class _Documents:
    """What an issuer publishes, and a clock that stands."""

    def __init__(self, issuer: Issuer) -> None:
        self.at = 0.0
        self.is_gone = False
        self.issuer = issuer
        self.asked = 0

    async def ask(self, request: Request) -> Page:
        self.asked += 1
        if self.is_gone:
            raise BadGateway("It is gone.")
        answer = Caller(self.issuer.url)("GET", urlsplit(request.url).path)
        return Page(url=request.url, status=answer.status, body=answer.text.encode())


async def test_keys_are_kept_and_asked_for_again_when_one_is_unknown(issuer: Issuer) -> None:
    documents = _Documents(issuer)
    known = TokenIssuer(issuer.url, documents.ask, lambda: documents.at)
    first = await known.find_key("first")
    assert first is not None
    assert first.algorithms[0] == "RS256"
    assert await known.find_key("shared") is None
    assert documents.asked == 2
    issuer.keys["second"] = new_key()
    # Whoever makes up ids does not make it ask each time.
    assert await known.find_key("second") is None
    assert documents.asked == 2
    documents.at = LEAST_SECONDS
    assert await known.find_key("second") is not None
    documents.is_gone = True
    documents.at = KEPT_SECONDS * 2
    assert await known.find_key("second") is not None
    assert await TokenIssuer(issuer.url, _Documents(issuer).ask).find_key("") is None


async def test_who_comes_while_an_issuer_is_gone_is_not_kept_waiting(issuer: Issuer) -> None:
    documents = _Documents(issuer)
    documents.is_gone = True
    known = TokenIssuer(issuer.url, documents.ask, lambda: documents.at)
    for _ in range(3):
        with pytest.raises(BadGateway, match="cannot be had"):
            await known.find_key("first")
    assert documents.asked == len(well_known(issuer.url))
    documents.is_gone = False
    documents.at = RETRY_SECONDS
    assert await known.find_key("first") is not None


async def test_metadata_of_another_issuer_is_not_taken(issuer: Issuer) -> None:
    documents = _Documents(issuer)
    issuer.url, address = "https://evil.example", issuer.url
    documents.issuer = Issuer(address)
    with pytest.raises(BadGateway, match="cannot be had"):
        await TokenIssuer(address, documents.ask).find_key("first")


def test_where_metadata_is_looked_for() -> None:
    assert well_known("https://id.example/realms/x") == (
        "https://id.example/.well-known/oauth-authorization-server/realms/x",
        "https://id.example/.well-known/openid-configuration/realms/x",
        "https://id.example/realms/x/.well-known/openid-configuration",
    )
    assert is_safe("https://id.example/keys")
    assert is_safe("http://127.0.0.1:9/keys")
    assert not is_safe("http://id.example/keys")
    assert not is_safe("file:///etc/passwd")


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"CITESEEK_TOKEN": TOKEN}, "but not for what"),
        ({"CITESEEK_MCP_URL": "https://a.example/mcp"}, "anybody would come in"),
        ({"CITESEEK_TOKEN": TOKEN, "CITESEEK_MCP_URL": "http://a.example/mcp"}, "https"),
    ],
)
def test_settings_that_cannot_be_relied_on_are_refused(env: dict[str, str], said: str) -> None:
    named = {"CITESEEK_MCP_ISSUER": "https://id.example"}
    with pytest.raises(InvalidInput, match=said):
        Resource.of(settings(env={**named, **env}))
    assert Resource.of(settings(env=env)) is None


@pytest.mark.parametrize(
    "issuer", ["https://id.example", "https://id.example/", "https://id.example/r/x"]
)
def test_an_issuer_is_named_letter_by_letter(issuer: str) -> None:
    env = {"CITESEEK_MCP_ISSUER": issuer, "CITESEEK_MCP_URL": "https://a.example/mcp/"}
    found = Resource.of(settings(env={"CITESEEK_TOKEN": TOKEN, **env}))
    assert found is not None
    assert (found.issuer, found.url) == (issuer, "https://a.example/mcp")


def test_subjects_are_people_whom_nobody_else_can_be() -> None:
    subjects = ("alice", "Alice", "auth0|5f7c", "", "a" * 65, "~alice", "6384e2b2184bcbf5")
    people = [person_of(subject) for subject in subjects]
    assert len({person.name for person in people}) == len(subjects)
    assert {person.role for person in people} == {"member"}
    assert people[0].name == "~alice"
    for person in people:
        # It is a folder for traces as well, and no name that a setting or a proxy could give.
        assert re.fullmatch(r"~{1,2}[a-z0-9][a-z0-9._@+-]{0,63}", person.name)
        with pytest.raises(ValueError, match="no name"):
            fold_person(person.name)
