"""Two people on one server: whatever names something of the other finds nothing.

The table is made from the routes of the application: a route with an id that nobody thought of here
fails the test.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.assistant.chatting import FOUND
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer
from tests.serving.running import Answered, Caller, running

from citeseek.conversations.oauth_grants import Consent, Grants
from citeseek.conversations.sqlite_store import MemoryStore, SqliteStore
from citeseek.person import Person, acting_as
from citeseek.surfaces.mcp.http import http_app
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

ALICE, BOB = "alices-token-5d1c0e", "bobs-token-77ab41"
PEOPLE = f"alice:member:{ALICE}, bob:member:{BOB}"
SECRET = "the alder bridge"
ENDED = ("finished", "failed")
# What is in an address and names nothing of a person.
NOTHING_OF_ANYBODY = {"name", "path", "model", "link"}
BODIES: dict[str, Any] = {"messages": {"text": "and now?"}, "watch": {}, "files": b"text"}


def routes_of(routes: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield method and path of every route, those of included routers as well."""
    for route in routes:
        if router := getattr(route, "original_router", None):
            yield from routes_of(router.routes, prefix + route.include_context.prefix)
        else:
            yield from ((method, prefix + route.path) for method in sorted(route.methods))


APPLICATION = create_app(settings, store=MemoryStore(), looks=False)
WITH_IDS = [
    (method, path)
    for method, path in routes_of(APPLICATION.routes)
    if set(re.findall(r"{(\w+)", path)) - NOTHING_OF_ANYBODY
]


class House(NamedTuple):
    """The two, and the ids of what each of them has."""

    alice: Caller
    bob: Caller
    of_alice: dict[str, str]
    of_bob: dict[str, str]
    mcp: str
    sessions: Path


def belongings(call: Caller, name: str) -> dict[str, str]:
    """Let a person have one of everything; return the ids."""
    session = call("POST", "/api/v1/sessions", {}).json()["id"]
    at = f"/api/v1/sessions/{session}"
    octets = {"Content-Type": "application/octet-stream"}
    file = call("POST", f"{at}/files?name=notes.txt", name.encode(), octets).json()["id"]
    answer = call("POST", f"{at}/messages", {"text": f"Where is {SECRET}?"}).json()["answer"]
    shown = until(lambda: (now := call("GET", at).json())["turns"] and now)
    report = call("POST", "/api/v1/research", {"question": SECRET, "max_sources": 1}).json()["id"]
    lines = f'{{"query": "{SECRET}"}}\n'.encode()
    jsonl = {"Content-Type": "application/jsonl"}
    batch = call("POST", "/api/v1/batches?command=search", lines, jsonl).json()["id"]
    asked = {"model": "citeseek-chat", "input": SECRET}
    response = call("POST", "/v1/responses", asked).json()["id"]
    of_answer = {"session": session, "turn": shown["turns"][0]["id"]}
    share = call("POST", "/api/v1/shares", of_answer).json()["id"]
    until(lambda: call("GET", f"/api/v1/research/{report}").json()["state"] in ENDED)
    until(lambda: call("GET", f"/api/v1/batches/{batch}").json()["state"] in ENDED)
    return {
        "session_id": session,
        "turn_id": shown["turns"][0]["id"],
        "answer_id": answer,
        "file_id": file,
        "report_id": report,
        "batch_id": batch,
        "response_id": response,
        "share_id": share,
    }


async def let_in(sessions: Path, name: str) -> str:
    """Let a program in as a person; return the id of its access."""
    store = SqliteStore(sessions)
    grants = Grants(store)
    consent = Consent(
        client="a client",
        name="a host",
        host="host.example",
        resource="https://search.example.org/mcp",
        scope="mcp",
        redirect_uri="https://host.example/back",
        challenge="x" * 43,
    )
    with acting_as(Person(name, "member")):
        assert await grants.redeem("code", await grants.begin(consent))
        (grant,) = await grants.list()
    await store.close()
    return grant.id


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    sessions = tmp_path_factory.mktemp("house") / "sessions.sqlite3"
    with LoopbackServer() as engine:
        engine.on("/search", FOUND)
        given = {"SEARXNG_BASE_URL": engine.base_url, "CITESEEK_PEOPLE": PEOPLE}
        loaded = settings(env={**given, "CITESEEK_SESSIONS": str(sessions)})
        rules = Rules.of(loaded)
        app = create_app(lambda: loaded, looks=False)
        mcp = http_app(loaded, rules)
        with running(guard_app(app, rules=rules)) as at, running(mcp) as mcp_at:
            alice, bob = (Caller(at, Authorization=f"Bearer {each}") for each in (ALICE, BOB))
            of_alice, of_bob = belongings(alice, "alice"), belongings(bob, "bob")
            for name, has in (("alice", of_alice), ("bob", of_bob)):
                has["program_id"] = asyncio.run(let_in(sessions, name))
            yield House(alice, bob, of_alice, of_bob, mcp_at, sessions)


def call(person: Caller, method: str, path: str) -> Answered:
    """Ask with a body that the route can read, so that the id alone is what is wrong."""
    if path.endswith("/files") and method == "POST":
        octets = {"Content-Type": "application/octet-stream"}
        return person(method, f"{path}?name=a.txt", b"text", octets)
    body = BODIES.get(path.rpartition("/")[2], {}) if method in ("POST", "PATCH") else None
    return person(method, path, body)


def test_the_table_has_every_kind_of_id(house: House) -> None:
    named = {name for _, path in WITH_IDS for name in re.findall(r"{(\w+)", path)}
    assert named == house.of_alice.keys()
    assert len(WITH_IDS) >= 30


@pytest.mark.parametrize(("method", "path"), WITH_IDS)
def test_what_is_the_others_is_404(house: House, method: str, path: str) -> None:
    answer = call(house.bob, method, path.format_map(house.of_alice))
    assert answer.status == 404
    assert SECRET not in answer.text


@pytest.mark.parametrize(
    ("method", "path"), [(method, path) for method, path in WITH_IDS if path.count("{") > 1]
)
def test_in_a_conversation_of_ones_own_it_is_what_an_unknown_id_is(
    house: House, method: str, path: str
) -> None:
    session = {"session_id": house.of_bob["session_id"]}
    unknown = {name: "0" * len(value) for name, value in house.of_alice.items()}
    answers = [
        call(house.bob, method, path.format_map({**ids, **session}))
        for ids in (house.of_alice, unknown)
    ]
    assert answers[0].status == answers[1].status >= 400


@pytest.mark.parametrize(
    "path",
    [
        *("/api/v1/sessions", "/api/v1/sessions?q=alder", "/api/v1/sessions/archive"),
        *("/api/v1/research", "/api/v1/batches", "/api/v1/shares"),
        *("/api/v1/programs", "/programs", "/", "/history", "/reports"),
    ],
)
def test_lists_hold_what_is_ones_own(house: House, path: str) -> None:
    for person, mine, theirs in (
        (house.alice, house.of_alice, house.of_bob),
        (house.bob, house.of_bob, house.of_alice),
    ):
        answer = person("GET", path)
        assert answer.status == 200
        assert [each for each in theirs.values() if each in answer.text] == []
        assert any(each in answer.text for each in mine.values())


ASKED = {"model": "citeseek-chat", "input": "tea"}


@pytest.mark.parametrize(
    ("path", "body", "name", "kind"),
    [
        ("/api/v1/research", {"question": "tea"}, "session", "session_id"),
        ("/v1/responses", ASKED, "previous_response_id", "response_id"),
    ],
)
def test_an_id_in_a_body_names_nothing_either(
    house: House, path: str, body: dict[str, str], name: str, kind: str
) -> None:
    theirs = house.of_alice[kind]
    unknown = theirs[:5] + "0" * (len(theirs) - 5)
    answers = [house.bob("POST", path, {**body, name: each}) for each in (theirs, unknown)]
    assert answers[0].status == answers[1].status >= 400


def test_a_file_of_conversations_takes_nothing_from_anybody(house: House) -> None:
    """Whoever imports a file that holds the other's ids gets copies, and the others stay."""
    octets = {"Content-Type": "application/octet-stream"}
    archive = house.alice("GET", "/api/v1/sessions/archive").body
    taken = house.bob("POST", "/api/v1/sessions/archive", archive, octets).json()
    assert (taken["known"], taken["unreadable"]) == (0, 0)
    copies = [
        each["id"]
        for each in house.bob("GET", "/api/v1/sessions").json()["sessions"]
        if each["id"] != house.of_bob["session_id"] and SECRET in each["title"]
    ]
    assert house.of_alice["session_id"] not in copies
    assert len(copies) >= taken["added"] > 0
    for each in copies:
        if each != house.of_bob["response_id"][5:37]:
            assert house.bob("DELETE", f"/api/v1/sessions/{each}").status == 204
    assert house.alice("GET", f"/api/v1/sessions/{house.of_alice['session_id']}").status == 200


async def test_over_mcp_no_report_is_the_others(house: House) -> None:
    report = {"report_id": house.of_alice["report_id"], "wait": 0}
    answers = []
    for token in (ALICE, BOB):
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{house.mcp}/mcp", http_client=http)) as client,
        ):
            answers.append(await client.call_tool("read_report", report))
    # The pages of hers are on no network that this machine reaches.
    hers, his = (answer.structured_content["error"]["error_code"] for answer in answers)
    assert hers != "NoReport"
    assert his == "NoReport"


def test_all_of_it_is_still_there(house: House) -> None:
    """What the other tried has changed nothing: each GET of the table shows it to whose it is."""
    for method, path in WITH_IDS:
        if method == "GET" and not path.endswith("events"):
            assert house.alice(method, path.format_map(house.of_alice)).status != 404, path
    session = house.alice("GET", f"/api/v1/sessions/{house.of_alice['session_id']}").json()
    assert len(session["turns"]) == 1
