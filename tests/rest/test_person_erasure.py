"""A person is erased: no byte of what they said stays in the file, and nothing goes on for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.assistant.chatting import FOUND
from tests.command import run_citeseek
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer, Reply, Request
from tests.loopback.faults import hang
from tests.serving.running import Caller, running

from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

NAMES = ("alice", "bob", "carol", "dave", "erin")
TOKENS = {name: f"the-token-of-{name}-5d1c" for name in NAMES}
PEOPLE = ",".join(
    f"{name}:{'owner' if name == 'alice' else 'member'}:{token}" for name, token in TOKENS.items()
)
SLOW = "slowly"
ENDED = ("finished", "failed", "cancelled")


class Served(NamedTuple):
    """A server, who calls it, its engine and its files."""

    callers: dict[str, Caller]
    engine: LoopbackServer
    env: dict[str, str]
    folder: Path

    def holds(self, text: str) -> bool:
        """Whether ``text`` is in any byte of the database."""
        files = self.folder.glob("sessions.sqlite3*")
        return any(text.encode() in path.read_bytes() for path in files)

    def held(self, text: str) -> None:
        """Wait for the request for ``text``, which the engine does not answer."""
        until(lambda: any(text in each.target for each in self.engine.requests))


def search(request: Request) -> Reply:
    return hang() if SLOW in request.target else FOUND


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("erasing")
    with LoopbackServer() as engine:
        engine.on("/search", search)
        env = {
            "CITESEEK_SESSIONS": str(folder / "sessions.sqlite3"),
            "CITESEEK_TRACE_DIR": str(folder / "traces"),
            "CITESEEK_PEOPLE": PEOPLE,
            "SEARXNG_BASE_URL": engine.base_url,
            # Long enough for what is under way to be so until it is stopped.
            "CITESEEK_CHAT_TIMEOUT": "60",
            # Another has room when that was stopped, and no sooner.
            "CITESEEK_MAX_ANSWERS": "1",
        }
        loaded = settings(env=env)
        app = create_app(lambda: loaded, looks=False)
        with running(guard_app(app, rules=Rules.of(loaded))) as address:
            callers = {
                name: Caller(address, Authorization=f"Bearer {token}")
                for name, token in TOKENS.items()
            }
            yield Served(callers, engine, env, folder)


def belongings(call: Caller, word: str) -> str:
    """Let a person have one of everything that says ``word``; return the conversation's id."""
    session: str = call("POST", "/api/v1/sessions", {}).json()["id"]
    place = f"/api/v1/sessions/{session}"
    octets = {"Content-Type": "application/octet-stream"}
    assert call("POST", f"{place}/files?name=a.txt", word.encode() * 50, octets).status == 201
    assert call("POST", f"{place}/messages", {"text": f"Where is {word}?"}).status == 202
    turns = until(lambda: call("GET", place).json()["turns"])
    shared = {"session": session, "turn": turns[0]["id"]}
    # An answer that is still being written cannot be shared.
    until(lambda: call("POST", "/api/v1/shares", shared).status in (200, 201))
    report = call("POST", "/api/v1/research", {"question": word, "max_sources": 1}).json()["id"]
    lines = json.dumps({"query": word}).encode()
    jsonl = {"Content-Type": "application/jsonl"}
    batch = call("POST", "/api/v1/batches?command=search", lines, jsonl).json()["id"]
    asked = {"model": "citeseek-chat", "input": f"And {word}?"}
    assert call("POST", "/v1/responses", asked).status == 200
    for kind, job in (("research", report), ("batches", batch)):
        until(lambda path=f"/api/v1/{kind}/{job}": call("GET", path).json()["state"] in ENDED)
    return session


def ask_slowly(at: Served, name: str) -> str:
    """Let a person have an answer under way; return its conversation."""
    call = at.callers[name]
    session = call("POST", "/api/v1/sessions", {}).json()["id"]
    text = f"{SLOW}{name}"
    place = f"/api/v1/sessions/{session}"
    # As soon as there is room for it.
    until(lambda: call("POST", f"{place}/messages", {"text": text}).status == 202)
    at.held(text)
    assert asks(at) == 503
    return place


def asks(at: Served) -> int:
    """Let somebody else ask, and return the status of that."""
    carol = at.callers["carol"]
    session = carol("POST", "/api/v1/sessions", {}).json()["id"]
    return carol("POST", f"/api/v1/sessions/{session}/messages", {"text": "tea?"}).status


def uses(at: Served) -> dict[str, Any]:
    people = at.callers["alice"]("GET", "/api/v1/people").json()["people"]
    return {each["name"]: each["use"] for each in people}


def test_nothing_stays_of_who_is_erased_and_all_of_the_others(at: Served) -> None:
    belongings(at.callers["bob"], "word-of-bob")
    session = belongings(at.callers["carol"], "word-of-carol")
    until(lambda: uses(at)["bob"]["answers"] == 2)
    traces = at.folder / "traces" / "people"
    assert [*(traces / "bob").glob("*.json")]
    assert at.holds("word-of-bob")
    gone = at.callers["alice"]("DELETE", "/api/v1/people/bob")
    assert gone.status == 200
    told = gone.json()
    wanted = {"conversations": 2, "turns": 2, "files": 1, "reports": 1, "batches": 1, "shares": 1}
    assert {name: told[name] for name in wanted} == wanted
    assert told["traces"] >= 1
    assert told["days_of_use"] in (1, 2)
    assert not at.holds("word-of-bob")
    assert not (traces / "bob").exists()
    assert not any(uses(at)["bob"].values())
    for path in ("/api/v1/sessions", "/api/v1/research", "/api/v1/batches", "/api/v1/shares"):
        assert "word-of-bob" not in at.callers["bob"]("GET", path).text
    again = at.callers["alice"]("DELETE", "/api/v1/people/bob").json()
    assert set(again.values()) == {0}
    assert at.holds("word-of-carol")
    assert [*(traces / "carol").glob("*.json")]
    assert at.callers["carol"]("GET", f"/api/v1/sessions/{session}").json()["turns"]


def test_what_is_under_way_is_stopped_first(at: Served) -> None:
    place = ask_slowly(at, "dave")
    slow = f"{SLOW}davereport"
    at.callers["dave"]("POST", "/api/v1/research", {"question": slow})
    at.held(slow)
    gone = at.callers["alice"]("DELETE", "/api/v1/people/dave").json()
    assert (gone["conversations"], gone["reports"]) == (1, 1)
    assert asks(at) == 202
    assert at.callers["dave"]("GET", place).status == 404
    assert not at.holds(f"{SLOW}dave")


@pytest.mark.release
def test_a_command_erases_while_the_server_answers(at: Served) -> None:
    place = ask_slowly(at, "erin")
    refused = run_citeseek("people", "erase", "erin", env=at.env)
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert at.callers["erin"]("GET", place).json()["running"]
    erased = run_citeseek("people", "erase", "erin", "--yes", "--json", env=at.env)
    assert json.loads(erased.stdout)["conversations"] == 1
    # The server finds it out by itself.
    until(lambda: asks(at) == 202)
    assert at.callers["erin"]("GET", place).status == 404
    assert not at.holds(f"{SLOW}erin")


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_nobody_but_an_owner_erases(at: Served, name: str) -> None:
    assert at.callers[name]("DELETE", "/api/v1/people/carol").status == 403


@pytest.mark.parametrize("name", ["-", "~~~x", ".hidden", "a%20b", "%2e%2e"])
def test_what_nobody_is_called_erases_nothing(at: Served, name: str) -> None:
    refused = at.callers["alice"]("DELETE", f"/api/v1/people/{name}")
    assert refused.status in (400, 404, 422)
