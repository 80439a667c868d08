"""Our own authorization server: a host finds it, a person consents, and who else comes in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from pydantic import AnyUrl
from tests.conftest import settings
from tests.mcp_server.authorization_server import unused_port
from tests.mcp_server.oauth_flow import (
    ALICE,
    BACK,
    BOB,
    EVE,
    KeptTokens,
    Person,
    Program,
    Web,
    authorizing,
    connect,
    environment,
    expire,
    fields,
    leads_to,
    told,
)
from tests.mcp_server.test_mcp_http import TOKEN

from citeseek.errors import InvalidInput
from citeseek.surfaces.mcp.http import PATH
from citeseek.surfaces.mcp.protected_resource import Resource

METADATA = "/.well-known/oauth-authorization-server"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("grants")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    with authorizing(folder) as address:
        yield address


@pytest.fixture
def program(server: str) -> Program:
    program = Program(server)
    assert program.register().status_code == 201
    return program


@pytest.fixture(scope="module")
def alice(server: str) -> Person:
    return Person(server, ALICE)


async def test_a_host_comes_in_by_itself_once_a_person_agreed(server: str) -> None:
    """Find the server, register, authorize with PKCE and call a tool, as the library's client."""
    kept, answers = KeptTokens(), asyncio.Queue[dict[str, str]]()

    async def in_a_browser(url: str) -> None:
        def consent() -> dict[str, str]:
            return Person(server, ALICE).answer(url.removeprefix(server))

        answers.put_nowait(await asyncio.to_thread(consent))

    async def back() -> AuthorizationCodeResult:
        answer = await answers.get()
        return AuthorizationCodeResult(
            code=answer["code"], state=answer["state"], iss=answer["iss"]
        )

    metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)], client_name="a host")
    provider = OAuthClientProvider(server + PATH, metadata, kept, in_a_browser, back)
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        transport = streamable_http_client(server + PATH, http_client=http)
        async with Client(transport) as client:
            result = await client.call_tool("web_search", {"query": "tea"})
            assert len(result.structured_content["items"]) == 3
            # The next request finds its token over, and gets another by itself.
            assert kept.tokens is not None
            first = kept.tokens.access_token
            provider.context.token_expiry_time = 1.0
            await client.call_tool("web_search", {"query": "tea"})
    assert kept.tokens.access_token != first
    assert kept.client is not None
    assert kept.client.token_endpoint_auth_method == "none"


def test_what_hosts_read_of_it_fits_together(server: str, program: Program) -> None:
    published = program.http.get(METADATA).json()
    resource = program.http.get(f"/.well-known/oauth-protected-resource{PATH}").json()
    assert published["issuer"] == server
    assert resource == {
        "resource": server + PATH,
        "authorization_servers": [server],
        "bearer_methods_supported": ["header"],
        "resource_name": "Citeseek",
        "scopes_supported": ["mcp"],
    }
    assert published["code_challenge_methods_supported"] == ["S256"]
    assert published["token_endpoint_auth_methods_supported"] == ["none"]
    for name in ("authorization", "token", "registration", "revocation"):
        assert published[f"{name}_endpoint"].startswith(f"{server}/")
    refused = program.hello("csa_" + "x" * 43)
    assert refused.status_code == 401
    challenge = refused.headers["WWW-Authenticate"]
    assert f'resource_metadata="{server}/.well-known/oauth-protected-resource{PATH}"' in challenge


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Let A host use"), ("zh", "允许 A host 使用"), ("ja", "A host にこの")],
)
def test_the_page_says_who_wants_what_and_where_it_leads(
    program: Program, alice: Person, language: str, said: str
) -> None:
    page = alice.http.get(program.asking(), headers={"Accept-Language": language})
    assert page.status_code == 200
    assert said in page.text
    assert '<strong id="host">127.0.0.1</strong>' in page.text
    assert "alice" in page.text
    assert page.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == "no-store"


def test_what_a_program_calls_itself_is_text(server: str, alice: Person) -> None:
    sneaky = Program(server)
    assert sneaky.register(client_name="<b>Bank</b>\u202eevil" + "x" * 150).status_code == 201
    page = alice.http.get(sneaky.asking()).text
    assert "&lt;b&gt;Bank&lt;/b&gt;" in page
    assert "\u202e" not in page
    assert "x" * 100 not in page


def test_whoever_is_not_signed_in_does_so_first(server: str, program: Program) -> None:
    browser = Web(server, follows=True)
    page = browser.get(program.asking())
    assert page.url.path == "/login"
    signed_in = browser.post("/login", data={**fields(page), "token": ALICE})
    assert signed_in.url.path == "/authorize"
    assert "A host" in signed_in.text


def test_a_browser_that_another_site_led_here_asks_once_more(program: Program) -> None:
    """Its cookie is for requests of our own pages alone."""
    came = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    page = program.http.get(program.asking(), headers=came)
    assert page.status_code == 200
    assert leads_to(page) == program.asking()


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
    ],
)
def test_a_request_that_is_not_safe_is_told_to_its_program(
    program: Program, alice: Person, changed: dict[str, str | None], error: str
) -> None:
    page = alice.http.get(program.asking(**changed))
    answer = told(page)
    assert (answer["error"], answer["state"]) == (error, "a state")
    assert "code" not in answer
    assert leads_to(page).startswith(BACK)


@pytest.mark.parametrize(
    "changed",
    [
        {"redirect_uri": "http://127.0.0.1:1/other"},
        {"redirect_uri": "http://127.0.0.1.evil.example:1/back"},
        {"redirect_uri": "https://127.0.0.1:1/back"},
        {"redirect_uri": BACK + "#fragment"},
        {"client_id": "nobody"},
        {"client_id": None},
    ],
)
def test_nobody_is_led_to_where_a_program_is_not(
    program: Program, alice: Person, changed: dict[str, str | None]
) -> None:
    page = alice.http.get(program.asking(**changed))
    assert page.status_code == 400
    assert 'http-equiv="refresh"' not in page.text


def test_a_parameter_stands_there_once(program: Program, alice: Person) -> None:
    page = alice.http.get(program.asking() + "&state=another")
    assert page.status_code == 400


def test_a_program_of_this_machine_may_listen_at_another_port(
    server: str, program: Program, alice: Person
) -> None:
    program.back = "http://127.0.0.1:45678/back"
    tokens = program.redeem(alice.answer(program.asking())["code"])
    assert tokens.status_code == 200
    assert program.hello(tokens.json()["access_token"]).status_code == 200


def test_a_code_is_for_its_program_its_verifier_and_its_address(
    server: str, program: Program, alice: Person
) -> None:
    code = alice.answer(program.asking())["code"]
    other = Program(server)
    other.register()
    assert other.redeem(code).json()["error"] == "invalid_grant"
    for changed in (
        {"code_verifier": "w" * 43},
        {"redirect_uri": "http://127.0.0.1:2/back"},
        {"resource": "https://other.example/mcp"},
        {"code_verifier": ""},
    ):
        refused = program.redeem(code, **changed)
        assert refused.status_code == 400, changed
        assert "access_token" not in refused.text
    # None of these used it up.
    assert program.redeem(code).status_code == 200


def test_a_code_counts_once_and_what_came_of_it_ends_with_the_second_time(
    program: Program, alice: Person
) -> None:
    code = alice.answer(program.asking())["code"]
    tokens = program.redeem(code).json()
    assert program.hello(tokens["access_token"]).status_code == 200
    assert program.redeem(code).json()["error"] == "invalid_grant"
    assert program.hello(tokens["access_token"]).status_code == 401
    assert program.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_token_counts_once_and_a_second_time_ends_all(server: str, alice: Person) -> None:
    program = Program(server)
    first = connect(program, alice)
    second = program.refresh(first["refresh_token"]).json()
    assert second["expires_in"] == 900
    assert second["scope"] == "mcp"
    assert program.hello(second["access_token"]).status_code == 200
    assert program.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert program.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
    for pair in (first, second):
        assert program.hello(pair["access_token"]).status_code == 401


def test_a_refresh_token_is_for_its_program_and_this_server(server: str, alice: Person) -> None:
    program, other = Program(server), Program(server)
    tokens = connect(program, alice)
    other.register()
    assert other.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    elsewhere = program.refresh(tokens["refresh_token"], resource="https://other.example/mcp")
    assert elsewhere.json()["error"] == "invalid_target"
    assert program.refresh(tokens["access_token"]).json()["error"] == "invalid_grant"
    assert program.refresh(tokens["refresh_token"]).status_code == 200


def test_what_has_expired_counts_no_longer_and_is_no_guess(
    server: str, folder: Path, alice: Person
) -> None:
    program = Program(server)
    tokens = connect(program, alice)
    code = alice.answer(program.asking())["code"]
    expire(folder, "code")
    assert program.redeem(code).json()["error"] == "invalid_grant"
    expire(folder, "access")
    for _ in range(12):
        answer = program.hello(tokens["access_token"])
        assert answer.status_code == 401
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
    renewed = program.refresh(tokens["refresh_token"]).json()
    assert program.hello(renewed["access_token"]).status_code == 200
    expire(folder, "refresh")
    assert program.refresh(renewed["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_program_gives_its_access_back(server: str, alice: Person, kind: str) -> None:
    program, other = Program(server), Program(server)
    tokens = connect(program, alice)
    other.register()
    assert other.revoke(tokens[kind]).status_code == 200
    assert program.hello(tokens["access_token"]).status_code == 200
    assert program.revoke(tokens[kind]).status_code == 200
    assert program.hello(tokens["access_token"]).status_code == 401
    assert program.refresh(tokens["refresh_token"]).status_code == 400
    assert program.revoke("csa_unknown").status_code == 200


def test_people_see_and_take_back_what_is_theirs(server: str, alice: Person) -> None:
    bob, program = Person(server, BOB), Program(server)
    program.register(client_name="Of Bob")
    tokens = program.redeem(bob.answer(program.asking())["code"]).json()
    given = bob.programs()["Of Bob"]
    assert "Of Bob" not in alice.programs()
    alice.take_back(given)
    assert program.hello(tokens["access_token"]).status_code == 200
    # A form that another page sends is none of ours.
    bob.http.post("/programs", data={"id": given, "form_token": "0" * 64})
    assert program.hello(tokens["access_token"]).status_code == 200
    bob.take_back(given)
    assert "Of Bob" not in bob.programs()
    assert program.hello(tokens["access_token"]).status_code == 401
    assert program.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_only_the_page_itself_says_yes(server: str, program: Program) -> None:
    bob = Person(server, BOB)
    page = bob.http.get(program.asking())
    form = {**fields(page), "answer": "allow"}
    another = fields(bob.http.get(program.asking(state="another")))["form_token"]
    of_alice = fields(Person(server, ALICE).http.get(program.asking()))["form_token"]
    for wrong in ("", "0" * 64, another, of_alice):
        refused = bob.http.post("/authorize", data={**form, "form_token": wrong})
        assert refused.status_code == 403
        assert "csc_" not in refused.text
    foreign = bob.http.post("/authorize", data=form, headers={"Origin": "https://evil.example"})
    assert foreign.status_code == 403
    framed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    inside = bob.http.get(program.asking(), headers={**framed, "Sec-Fetch-Dest": "iframe"})
    assert inside.status_code == 403
    assert bob.http.post("/authorize", data=form).status_code == 200


def test_no_is_told_to_the_program(program: Program, alice: Person) -> None:
    answer = alice.answer(program.asking(), "deny")
    assert answer["error"] == "access_denied"
    assert "code" not in answer


def test_a_guest_lets_nobody_in(server: str, program: Program) -> None:
    eve = Person(server, EVE)
    page = eve.http.get(program.asking())
    assert 'value="allow"' not in page.text
    refused = eve.http.post("/authorize", data={**fields(page), "answer": "allow"})
    assert refused.status_code == 403
    assert "csc_" not in refused.text


def test_whoever_runs_the_server_lets_programs_in_too(server: str) -> None:
    operator, program = Person(server, TOKEN), Program(server)
    tokens = connect(program, operator)
    assert program.hello(tokens["access_token"]).status_code == 200
    assert list(operator.programs()) == ["A host"]


def test_a_token_of_a_program_is_no_login(server: str, alice: Person) -> None:
    program = Program(server)
    bearer = {"Authorization": f"Bearer {connect(program, alice)['access_token']}"}
    for path in ("/programs", program.asking()):
        answer = program.http.get(path, headers=bearer)
        assert answer.status_code == 303, path
        assert answer.headers["Location"].startswith("/login")


def test_wrong_codes_are_guesses_and_the_right_one_is_taken(
    server: str, program: Program, alice: Person
) -> None:
    statuses = [program.redeem("csc_guess").status_code for _ in range(11)]
    assert statuses == [400] * 10 + [429]
    assert program.redeem(alice.answer(program.asking())["code"]).status_code == 200


def test_registrations_have_a_limit_for_each_address(server: str) -> None:
    flood = Program(server)
    # One more may come in every six seconds, however slow this machine is.
    statuses = [flood.register().status_code for _ in range(30)]
    assert statuses[:10] == [201] * 10
    assert 429 in statuses
    assert Program(server).register().status_code == 201


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({"redirect_uris": ["http://app.example/back"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://app.example/back#x"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://me@app.example/back"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["file:///back"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://a.example/b", "data:,x"]}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_client_metadata"),
        ({"redirect_uris": ["https://a.example/b"] * 11}, "invalid_client_metadata"),
        ({"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
        ({"client_name": "x" * 201}, "invalid_client_metadata"),
    ],
)
def test_what_cannot_be_registered(server: str, metadata: dict[str, Any], error: str) -> None:
    refused = Program(server).register(**metadata)
    assert refused.status_code == 400
    assert refused.json()["error"] == error


@pytest.mark.parametrize(
    ("language", "said"), [("en", "any program there may have"), ("zh", "设备上的任何程序")]
)
def test_a_program_with_a_scheme_of_its_own_comes_in(
    server: str, alice: Person, language: str, said: str
) -> None:
    back = "cursor://anysphere.cursor-mcp/oauth/callback"
    program = Program(server, back=back)
    assert program.register(client_name=f"Cursor {language}").status_code == 201
    page = alice.http.get(program.asking(), headers={"Accept-Language": language})
    assert '<strong id="host">cursor://</strong>' in page.text
    assert said in page.text
    sent = alice.http.post("/authorize", data={**fields(page), "answer": "allow"})
    assert leads_to(sent).startswith(f"{back}?code=")
    tokens = program.redeem(told(sent)["code"])
    assert tokens.status_code == 200
    assert program.hello(tokens.json()["access_token"]).status_code == 200
    # Another address of the same scheme may be another program's.
    other = program.asking(redirect_uri="cursor://another/oauth/callback")
    assert alice.http.get(other).status_code == 400


def test_a_program_that_wants_a_secret_is_told_that_it_has_none(server: str) -> None:
    asked = Program(server).register(
        token_endpoint_auth_method="client_secret_post", scope="everything"
    )
    shown = asked.json()
    assert shown["token_endpoint_auth_method"] == "none"
    assert shown["scope"] == "mcp"
    assert "client_secret" not in shown


def test_another_process_knows_what_one_was_told(tmp_path: Path) -> None:
    """Two workers at one address, and after a restart a third."""
    public = f"http://127.0.0.1:{unused_port()}"
    with (
        authorizing(tmp_path, public=public) as one,
        authorizing(tmp_path, public=public) as other,
    ):
        here, there = Program(one, public=public), Program(other, public=public)
        assert here.register().status_code == 201
        there.client_id, there.verifier = here.client_id, here.verifier
        tokens = there.redeem(Person(one, BOB).answer(here.asking())["code"]).json()
        assert here.hello(tokens["access_token"]).status_code == 200
        renewed = here.refresh(tokens["refresh_token"]).json()
        assert there.hello(renewed["access_token"]).status_code == 200
    with authorizing(tmp_path, public=public, people=f"alice:owner:{ALICE}") as third:
        again = Program(third, public=public)
        again.client_id = here.client_id
        gone = again.hello(renewed["access_token"])
        assert gone.status_code == 401
        assert 'error="invalid_token"' in gone.headers["WWW-Authenticate"]
        assert again.refresh(renewed["refresh_token"]).json()["error"] == "invalid_grant"


def test_neither_the_log_nor_the_database_has_a_token(
    server: str, folder: Path, alice: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    program = Program(server)
    program.register()
    code = alice.answer(program.asking())["code"]
    tokens = program.redeem(code).json()
    renewed = program.refresh(tokens["refresh_token"]).json()
    program.hello(renewed["access_token"])
    secret = [
        code,
        *(pair[f"{k}_token"] for pair in (tokens, renewed) for k in ("access", "refresh")),
    ]
    kept = b"".join(path.read_bytes() for path in folder.glob("sessions.sqlite3*"))
    # What the client here writes of itself is not ours.
    ours = "\n".join(
        each.getMessage() for each in caplog.records if each.name.startswith("citeseek")
    )
    for each in secret:
        assert each not in ours
        assert each.encode() not in kept
    assert program.client_id.encode() in kept


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"CITESEEK_MCP_ISSUER": "https://id.example"}, "Two authorization servers"),
        ({"CITESEEK_MCP_URL": ""}, "but not for what"),
        ({"CITESEEK_MCP_URL": "http://search.example.org/mcp"}, "https"),
        ({"CITESEEK_MCP_URL": "https://search.example.org/tools/mcp"}, "has to end in /mcp"),
        ({"CITESEEK_TOKEN": "", "CITESEEK_PEOPLE": ""}, "anybody would come in"),
    ],
)
def test_settings_that_cannot_be_relied_on_keep_it_from_starting(
    tmp_path: Path, changed: dict[str, str], said: str
) -> None:
    env = {**environment("https://search.example.org", tmp_path), **changed}
    with pytest.raises(InvalidInput, match=said):
        Resource.of(settings(env={name: value for name, value in env.items() if value}))
