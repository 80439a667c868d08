"""The audit log has a line for whatever changes something, and in none of them is what was said."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.assistant.chatting import FOUND
from tests.command import run_citeseek
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer
from tests.serving.running import Caller, running
from tests.surfaces.test_two_people import APPLICATION, routes_of

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.errors import InvalidInput
from citeseek.observing.egress_budget import Limit
from citeseek.observing.operation import Operation
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.audit_log import EVENTS, READING, AuditLog, BudgetWatch, event_of
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.sign_in.registration import BACK

ALICE, BOB, GUEST = "alices-token-5d1c0e", "bobs-token-77ab41", "guests-token-93c0d2"
WRONG = "a-token-of-nobody-at-all"
SECRET = "alder-bridge"
SAFE = ("GET", "HEAD", "OPTIONS")
CHANGING = sorted(
    {(method, path) for method, path in routes_of(APPLICATION.routes) if method not in SAFE}
)
KINDS = {
    "files": "application/octet-stream",
    "archive": "application/octet-stream",
    "batches": "application/jsonl",
    "programs": "application/x-www-form-urlencoded",
}


class Audited(NamedTuple):
    """A server with an audit log, and who calls it."""

    alice: Caller
    bob: Caller
    guest: Caller
    nobody: Caller
    path: Path
    env: dict[str, str]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def told(
        self,
        caller: Caller,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Send a request; return the line that is written for it, a moment after its answer."""
        request_id = secrets.token_hex(8)
        caller(method, path, body, {"X-Request-ID": request_id, **(headers or {})})
        found = until(
            lambda: [each for each in self.lines() if each.get("request_id") == request_id]
        )
        (line,) = found
        return dict(line)


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    folder = tmp_path_factory.mktemp("audited")
    path = folder / "audit.jsonl"
    people = f"alice:owner:{ALICE},bob:member:{BOB},eve:guest:{GUEST}"
    with LoopbackServer() as engine:
        engine.on("/search", FOUND)
        env = {
            "CITESEEK_PEOPLE": people,
            "CITESEEK_AUDIT_LOG": str(path),
            "CITESEEK_GUEST_PER_MINUTE": "2",
            "CITESEEK_SESSIONS": str(folder / "sessions.sqlite3"),
            "SEARXNG_BASE_URL": engine.base_url,
        }
        loaded = settings(env=env)
        app = create_app(lambda: loaded, looks=False)
        with running(guard_app(app, rules=Rules.of(loaded))) as address:
            callers = [
                Caller(address, Authorization=f"Bearer {each}") for each in (ALICE, BOB, GUEST)
            ]
            yield Audited(*callers, Caller(address), path, env)


def test_what_a_person_does_is_told_with_its_ids(at: Audited) -> None:
    made = at.told(at.bob, "POST", "/api/v1/sessions", {})
    assert made["event"] == "conversation_made"
    assert (made["person"], made["role"], made["address"]) == ("bob", "member", "127.0.0.1")
    assert (made["outcome"], made["status"], "T" in made["at"]) == ("done", 201, True)
    opened = at.bob("POST", "/api/v1/sessions", {}).json()["id"]
    place = f"/api/v1/sessions/{opened}"
    question = {"text": f"Where is the {SECRET}?"}
    asked = at.told(at.bob, "POST", f"{place}/messages", question)
    assert (asked["event"], asked["about"]) == ("answer_asked", {"session_id": opened})
    turns = until(lambda: at.bob("GET", place).json()["turns"])
    exported = at.told(at.bob, "GET", f"{place}/export")
    assert exported["event"] == "conversation_exported"
    shared = {"session": opened, "turn": turns[0]["id"]}
    assert at.told(at.bob, "POST", "/api/v1/shares", shared)["event"] == "share_made"
    gone = at.told(at.bob, "DELETE", place)
    assert (gone["event"], gone["outcome"]) == ("conversation_deleted", "done")
    again = at.told(at.bob, "DELETE", place)
    assert (again["event"], again["outcome"], again["status"]) == (
        *("conversation_deleted", "refused"),
        404,
    )
    assert "about" not in again
    erased = at.told(at.alice, "DELETE", "/api/v1/people/bob")
    assert (erased["event"], erased["person"]) == ("person_erased", "alice")
    assert erased["about"] == {"name": "bob"}
    assert SECRET not in at.path.read_text()


@pytest.mark.parametrize(("method", "route"), CHANGING)
def test_every_route_that_changes_something_is_told(at: Audited, method: str, route: str) -> None:
    if route in READING:
        assert event_of(method, route) is None
        return
    path = re.sub("{.*?}", SECRET, route.replace("{name}", "nobody"))
    kind = {"Content-Type": KINDS.get(path.rpartition("/")[2], "application/json")}
    asked = json.dumps({"text": SECRET, "question": SECRET, "query": SECRET}).encode()
    body = None if method == "DELETE" else asked
    told = at.told(at.alice, method, f"{path}?name={SECRET}", body, {**kind, "Accept": SECRET})
    assert told["event"] == event_of(method, route)
    assert told["person"] == "alice"
    text = at.path.read_text()
    assert SECRET not in text
    assert not any(token in text for token in (ALICE, BOB, GUEST))


def test_events_are_those_of_routes_that_there_are() -> None:
    known = {*routes_of(APPLICATION.routes)}
    elsewhere = {"/login", "/logout", "/mcp", BACK}
    # Of the MCP server, where it is its own authorization server.
    elsewhere |= {"/authorize", "/token", "/revoke", "/register"}
    assert event_of("GET", BACK) == "sign_in"
    assert {each for each in EVENTS if each[1] not in elsewhere} <= known
    assert {("POST", path) for path in READING} <= known


def test_who_is_refused_is_told_with_why(at: Audited) -> None:
    wrong = {"Authorization": f"Bearer {WRONG}"}
    token = at.told(at.nobody, "GET", "/api/v1/sessions", headers=wrong)
    assert (token["event"], token["reason"], token["outcome"]) == ("refused", "token", "refused")
    assert "person" not in token
    role = at.told(at.guest, "GET", "/api/v1/people")
    assert (role["event"], role["reason"], role["person"]) == ("refused", "role", "eve")
    at.guest("GET", "/api/v1/search?q=tea")
    limit = at.told(at.guest, "GET", f"/api/v1/search?q={SECRET}")
    assert (limit["reason"], limit["role"], limit["status"]) == ("limit", "guest", 429)
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    door = at.told(at.bob, "POST", "/api/v1/sessions", {}, foreign)
    assert (door["outcome"], door["reason"]) == ("refused", "door")
    text = at.path.read_text()
    assert not any(each in text for each in (WRONG, SECRET, "evil"))


def test_what_a_budget_keeps_back_is_told_with_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    env = {
        "CITESEEK_PEOPLE": f"bob:member:{BOB}",
        "CITESEEK_AUDIT_LOG": str(path),
        "CITESEEK_ANSWER_HOSTS": "listed.example",
    }
    loaded = settings(env=env)
    app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
    with running(guard_app(app, rules=Rules.of(loaded))) as address:
        bob = Caller(address, Authorization=f"Bearer {BOB}")
        wanted = {"url": f"https://{SECRET}.example/{SECRET}"}
        assert bob("POST", "/api/v1/fetch", wanted).status == 429
        until(lambda: len(path.read_text().splitlines()) == 2)
    line, ended = map(json.loads, path.read_text().splitlines())
    assert (ended["event"], ended["reason"]) == ("refused", "limit")
    kept = {name: line[name] for name in ("event", "outcome", "limit", "person", "role", "address")}
    assert kept == {
        "event": "budget_refused",
        "outcome": "refused",
        "limit": "hosts",
        "person": "bob",
        "role": "member",
        "address": "127.0.0.1",
    }
    assert line["request_id"]
    assert SECRET not in path.read_text()


def test_a_limit_is_told_once_a_minute_for_a_request(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    watch = BudgetWatch(AuditLog(str(path)), {"type": "http", "client": ("192.0.2.7", 1)})
    limits: list[Limit] = ["hosts", "hosts", "bytes"]
    for limit in limits:
        watch.ended(Operation(kind="fetch", refused={("a.example", limit): 3}))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["limit"] for line in lines] == ["hosts", "bytes"]


def test_signing_in_and_out_is_told(at: Audited) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    failed = at.told(at.nobody, "POST", "/login", f"token={WRONG}".encode(), form)
    assert (failed["event"], failed["outcome"], failed["status"]) == ("sign_in", "refused", 401)
    signed = at.told(at.nobody, "POST", "/login", f"token={BOB}".encode(), form)
    assert (signed["event"], signed["outcome"], signed["person"]) == ("sign_in", "done", "bob")
    assert WRONG not in at.path.read_text()


def test_a_program_that_rotates_logs_may_move_it_away(at: Audited) -> None:
    moved = at.path.with_suffix(".1")
    at.bob("POST", "/api/v1/sessions", {})
    until(at.lines)
    at.path.rename(moved)
    at.bob("POST", "/api/v1/sessions", {})
    until(lambda: at.path.exists() and at.lines())
    assert at.path.stat().st_mode & 0o777 == 0o600
    moved.unlink()


def test_lines_of_several_writers_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    logs = [AuditLog(str(path)) for _ in range(4)]

    def write(log: AuditLog) -> None:
        for number in range(200):
            log.write("server_started", about={"number": str(number) * 50})

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, logs))
    lines = path.read_text().splitlines()
    assert len(lines) == 800
    assert {json.loads(line)["event"] for line in lines} == {"server_started"}


def test_one_that_cannot_be_written_to_keeps_the_server_from_starting(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        AuditLog(str(tmp_path / "nowhere" / "audit.jsonl"))
    assert "CITESEEK_AUDIT_LOG" in (refused.value.hint or "")
    env = {"CITESEEK_AUDIT_LOG": str(tmp_path), "CITESEEK_PORT": "0"}
    assert run_citeseek("serve", env=env).returncode == 2
