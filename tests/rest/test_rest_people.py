"""An owner sees how much each person uses, in numbers; nobody else does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from tests.assistant.chatting import FOUND
from tests.command import run_citeseek
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer
from tests.serving.running import Caller, running

from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

TOKENS = {"alice": "alices-token-5d1c0e", "bob": "bobs-token-77ab41", "eve": "eves-token-93c0d2"}
ROLES = {"alice": "owner", "bob": "member", "eve": "guest"}
PEOPLE = ",".join(f"{name}:{ROLES[name]}:{token}" for name, token in TOKENS.items())
PATH = "/api/v1/people"


class Used(NamedTuple):
    """A server that was used, the callers by name, and its file."""

    callers: dict[str, Caller]
    env: dict[str, str]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Used]:
    sessions = tmp_path_factory.mktemp("used") / "sessions.sqlite3"
    with LoopbackServer() as engine:
        engine.on("/search", FOUND)
        env = {"CITESEEK_PEOPLE": PEOPLE, "CITESEEK_SESSIONS": str(sessions)}
        loaded = settings(env={**env, "SEARXNG_BASE_URL": engine.base_url})
        app = create_app(lambda: loaded, looks=False)
        with running(guard_app(app, rules=Rules.of(loaded))) as at:
            callers = {
                name: Caller(at, Authorization=f"Bearer {token}") for name, token in TOKENS.items()
            }
            for name in ("bob", "bob", "eve"):
                assert callers[name]("GET", "/api/v1/search?q=alders").status == 200
            session = callers["bob"]("POST", "/api/v1/sessions", {}).json()["id"]
            place = f"/api/v1/sessions/{session}"
            asked = callers["bob"]("POST", f"{place}/messages", {"text": "where are alders?"})
            assert asked.status == 202
            until(lambda: callers["bob"]("GET", place).json()["turns"])

            def answers() -> int:
                people = callers["alice"]("GET", PATH).json()["people"]
                return sum(each["use"]["answers"] for each in people)

            until(lambda: answers() == 1)
            yield Used(callers, env)


def test_an_owner_sees_numbers_and_no_texts(server: Used) -> None:
    answer = server.callers["alice"]("GET", f"{PATH}?days=1")
    assert answer.status == 200
    people = {each["name"]: each for each in answer.json()["people"]}
    assert [*people] == ["", "alice", "bob", "eve"]
    assert {name: each["role"] for name, each in people.items()} == {"": "owner", **ROLES}
    assert people["bob"]["use"]["answers"] == 1
    assert people["bob"]["use"]["searches"] == 3
    assert people["eve"]["use"]["searches"] == 1
    assert people["alice"]["use"] == dict.fromkeys(people["bob"]["use"], 0)
    assert "alders" not in answer.text


@pytest.mark.parametrize("name", ["bob", "eve"])
def test_nobody_else_does(server: Used, name: str) -> None:
    refused = server.callers[name]("GET", PATH, headers={"Accept-Language": "en"})
    assert (refused.status, refused.json()["code"]) == (403, "NotPermitted")
    assert "eve" not in refused.text


@pytest.mark.parametrize("days", ["0", "367", "x"])
def test_days_are_those_of_a_year(server: Used, days: str) -> None:
    assert server.callers["alice"]("GET", f"{PATH}?days={days}").status == 422


def test_the_command_shows_the_same(server: Used) -> None:
    # What was counted is there as soon as somebody asks.
    server.callers["alice"]("GET", PATH)
    env = {"CITESEEK_SESSIONS": server.env["CITESEEK_SESSIONS"]}
    shown = run_citeseek("people", "--json", env=env)
    told = {each["name"]: each for each in json.loads(shown.stdout)}
    assert told["bob"]["answers"] == 1
    assert told["eve"]["searches"] == 1
    table = run_citeseek("people", "--days", "7", env=env).stdout
    rows = [words for line in table.splitlines() if (words := line.split())]
    assert [words[0] for words in rows if words[0].isalpha()] == ["person", "bob", "eve"]
    assert run_citeseek("people", "--days", "0", env=env).returncode == 2
