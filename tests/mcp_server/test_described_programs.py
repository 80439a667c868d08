"""Programs whose id is the address of a document, read over real HTTPS from a host on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from pydantic import AnyUrl
from tests.mcp_server.document_host import DocumentHost, Published, document_host
from tests.mcp_server.oauth_flow import ALICE, BACK, KeptTokens, Person, Program, authorizing

from citeseek.models import Page
from citeseek.person import Person as Somebody
from citeseek.person import acting_as
from citeseek.surfaces.mcp import client_documents
from citeseek.surfaces.mcp.authorization_server import METADATA
from citeseek.surfaces.mcp.client_documents import (
    MAX_BYTES,
    MOST_SECONDS,
    USUAL_SECONDS,
    ClientDocuments,
    UnreadableDocument,
    is_document_address,
    seconds_kept,
)
from citeseek.surfaces.mcp.http import PATH

JSON = {"Content-Type": "application/json"}


class Described(NamedTuple):
    """Our server, a host with documents, and a person who is signed in."""

    server: str
    host: DocumentHost
    alice: Person

    def program(self, client_id: str, back: str = BACK) -> Program:
        program = Program(self.server, back=back)
        program.client_id = client_id
        return program


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Described]:
    folder = tmp_path_factory.mktemp("described")
    with document_host(folder) as (host, authority), pytest.MonkeyPatch.context() as patch:
        # What the system trusts, as its TLS library is told of it.
        patch.setenv("SSL_CERT_FILE", str(authority))
        # There is one person here, for many documents.
        patch.setattr(client_documents, "PER_MINUTE", 1_000)
        with authorizing(folder, WEB_FETCH_ALLOW="127.0.0.1") as server:
            yield Described(server, host, Person(server, ALICE))


async def test_a_host_that_describes_itself_comes_in_without_registering(
    described: Described,
) -> None:
    """As the library's client does that knows the address of its document."""
    address = described.host.publish("/client.json", client_name="A described host")
    kept, answers = KeptTokens(), asyncio.Queue[dict[str, str]]()

    async def in_a_browser(url: str) -> None:
        asking = url.removeprefix(described.server)
        answers.put_nowait(await asyncio.to_thread(described.alice.answer, asking))

    async def back() -> AuthorizationCodeResult:
        answer = await answers.get()
        return AuthorizationCodeResult(
            code=answer["code"], state=answer["state"], iss=answer["iss"]
        )

    metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)])
    provider = OAuthClientProvider(
        described.server + PATH, metadata, kept, in_a_browser, back, client_metadata_url=address
    )
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        transport = streamable_http_client(described.server + PATH, http_client=http)
        async with Client(transport) as client:
            result = await client.call_tool("web_search", {"query": "tea"})
            assert len(result.structured_content["items"]) == 3
            provider.context.token_expiry_time = 1.0
            await client.call_tool("web_search", {"query": "tea"})
    assert kept.client is not None
    assert kept.client.client_id == address
    assert described.host.count("/client.json") == 1
    assert "A described host" in described.alice.programs()


def test_it_is_announced(described: Described) -> None:
    told = described.program("").http.get(METADATA).json()
    assert told["client_id_metadata_document_supported"] is True


def test_the_page_says_where_the_program_describes_itself(described: Described) -> None:
    address = described.host.publish("/said.json", client_name="Says so")
    english = {"Accept-Language": "en"}
    page = described.alice.http.get(described.program(address).asking(), headers=english)
    assert "Let Says so use" in page.text
    where = described.host.address.removeprefix("https://")
    assert f'<dd id="described">{where}</dd>' in page.text


@pytest.mark.parametrize(
    "said",
    [
        {"client_id": "https://another.example/client.json"},
        {"client_id": None},
        {"client_name": None},
        {"client_name": " "},
        {"redirect_uris": []},
        {"redirect_uris": ["http://elsewhere.example/back", "javascript:alert(1)"]},
        {"redirect_uris": "http://127.0.0.1:1/back"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"client_secret": "x"},
        {"grant_types": ["client_credentials"]},
        {"client_name": "x" * MAX_BYTES},
    ],
)
def test_a_document_that_cannot_be_relied_on_is_none(
    described: Described, said: dict[str, Any]
) -> None:
    address = described.host.publish("/wrong.json", **said)
    refused = described.alice.http.get(described.program(address).asking())
    assert refused.status_code == 400
    assert 'id="host"' not in refused.text
    # It is read again: nothing wrong is remembered.
    before = described.host.count("/wrong.json")
    described.alice.http.get(described.program(address).asking())
    assert described.host.count("/wrong.json") == before + 1


@pytest.mark.parametrize(
    "page",
    [
        Published(b"", 404),
        Published(b"{", 200, JSON),
        Published(b"[]", 200, JSON),
        Published(b"<html>", 200, {"Content-Type": "text/html"}),
        Published(b"", 302, {"Location": "/client.json"}),
    ],
)
def test_nor_is_what_is_no_document(described: Described, page: Published) -> None:
    described.host.publish("/client.json")
    described.host.pages["/other"] = page
    program = described.program(f"{described.host.address}/other")
    before = described.host.count("/client.json")
    assert described.alice.http.get(program.asking()).status_code == 400
    assert described.host.count("/client.json") == before


def test_addresses_are_those_of_the_document(described: Described) -> None:
    address = described.host.publish("/back.json", redirect_uris=[BACK, "https://a.example/b"])
    alice = described.alice.http
    for back, status in (
        (BACK, 200),
        ("https://a.example/b", 200),
        ("https://a.example/b/c", 400),
        ("https://b.example/b", 400),
    ):
        asking = described.program(address, back=back).asking()
        assert alice.get(asking).status_code == status, back


def test_a_document_counts_as_long_as_its_headers_say(described: Described) -> None:
    for path, cache, times in (
        ("/kept.json", "max-age=600", 1),
        ("/unkept.json", "no-store", 2),
    ):
        address = described.host.publish(path, {"Cache-Control": cache})
        for _ in range(2):
            described.alice.http.get(described.program(address).asking())
        assert described.host.count(path) == times, cache


def test_whoever_brings_a_code_has_nothing_fetched(described: Described) -> None:
    described.host.publish("/unknown.json")
    program = described.program(f"{described.host.address}/unknown.json")
    assert program.redeem("a-code-of-nobody").status_code == 401
    assert program.revoke("a-token-of-nobody").status_code == 401
    stranger = program.http.get(program.asking())
    assert stranger.status_code in (303, 401)
    assert described.host.count("/unknown.json") == 0


def test_an_address_that_is_not_public_is_not_asked(tmp_path: Path) -> None:
    with document_host(tmp_path) as (host, _), authorizing(tmp_path) as server:
        address = host.publish("/client.json")
        program = Program(server)
        program.client_id = address
        assert Person(server, ALICE).http.get(program.asking()).status_code == 400
        assert host.asked == []


async def test_one_person_has_so_many_fetched_in_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_documents, "PER_MINUTE", 3)
    asked: list[str] = []

    async def fetch(url: str, seconds: float, max_bytes: int) -> Page:
        assert (seconds, max_bytes) == (client_documents.SECONDS, MAX_BYTES)
        asked.append(url)
        return Page(url=url, status=404)

    documents = ClientDocuments(fetch, now=lambda: 0.0)
    for name in ("alice", "bob"):
        for number in range(5):
            with acting_as(Somebody(name, "member")), pytest.raises(UnreadableDocument):
                await documents.find(f"https://a.example/{name}/{number}")
    assert len(asked) == 2 * 3


@pytest.mark.parametrize(
    ("client_id", "is_one"),
    [
        ("https://a.example/client.json", True),
        ("https://a.example:8443/client?v=2", True),
        ("https://a.example", False),
        ("https://a.example/", False),
        ("http://a.example/client.json", False),
        ("HTTPS://a.example/client.json", False),
        ("https://me@a.example/client.json", False),
        ("https://a.example/client.json#x", False),
        ("https://a.example/b/../client.json", False),
        ("https://a.example/./client.json", False),
        ("https://a.example/%2E%2e/client.json", False),
        ("https://a.example\\@b.example/c", False),
        ("https://a.example/\u00e9", False),
        ("https:///client.json", False),
        ("https://a.example:x/client.json", False),
        (f"https://a.example/{'x' * 2_000}", False),
        ("c4s7wQ", False),
    ],
)
def test_which_ids_are_addresses_of_documents(client_id: str, *, is_one: bool) -> None:
    assert is_document_address(client_id) is is_one


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, USUAL_SECONDS),
        ({"cache-control": "max-age=600"}, 600.0),
        ({"cache-control": "public, Max-Age=600", "age": "100"}, 500.0),
        ({"cache-control": "max-age=60", "age": "100"}, 0.0),
        ({"cache-control": "max-age=999999999"}, MOST_SECONDS),
        ({"cache-control": "no-store"}, 0.0),
        ({"cache-control": "no-cache, max-age=600"}, 0.0),
        ({"expires": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"expires": "0"}, 0.0),
        ({"expires": "Fri, 01 Jan 2100 00:00:00 GMT"}, MOST_SECONDS),
    ],
)
def test_how_long_a_document_counts(headers: dict[str, str], seconds: float) -> None:
    assert seconds_kept(headers) == seconds
