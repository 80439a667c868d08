"""Guests: they search and ask, as often as they may, and nothing of it is kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.assistant.chatting import FOUND
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer
from tests.serving.guarding import guarding
from tests.serving.running import Caller, running

from citeseek.conversations.tables import TABLES
from citeseek.settings.known_people import read_people
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

GUEST, MEMBER = "guests-token-5d1c0e", "members-token-77ab41"
PEOPLE = f"visitor:guest:{GUEST}, bob:member:{MEMBER}"
OCTETS = {"Content-Type": "application/octet-stream"}
LINES = {"Content-Type": "application/jsonl"}


class Open(NamedTuple):
    """A server to which both come."""

    guest: Caller
    member: Caller
    sessions: Path


@pytest.fixture(scope="module")
def open_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    sessions = tmp_path_factory.mktemp("open") / "sessions.sqlite3"
    with LoopbackServer() as engine:
        engine.on("/search", FOUND)
        given = {"CITESEEK_PEOPLE": PEOPLE, "CITESEEK_GUEST_PER_MINUTE": "1000"}
        given |= {"SEARXNG_BASE_URL": engine.base_url, "CITESEEK_SESSIONS": str(sessions)}
        loaded = settings(env=given)
        app = create_app(lambda: loaded, looks=False)
        with running(guard_app(app, rules=Rules.of(loaded))) as at:
            guest, member = (Caller(at, Authorization=f"Bearer {each}") for each in (GUEST, MEMBER))
            yield Open(guest, member, sessions)


def rows(path: Path) -> int:
    """Return how many rows there are of what anybody said, gave or asked for, numbers aside."""
    with closing(sqlite3.connect(path)) as db:
        counts = [
            db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in TABLES.tables
            if table not in ("usage", "chores")
        ]
    return sum(counts)


def test_a_guest_talks_and_nothing_is_kept(open_house: Open) -> None:
    before = rows(open_house.sessions)
    guest = open_house.guest
    session = guest("POST", "/api/v1/sessions", {}).json()["id"]
    at = f"/api/v1/sessions/{session}"
    assert guest("POST", f"{at}/files?name=notes.txt", b"alders", OCTETS).status == 201
    assert guest("POST", f"{at}/messages", {"text": "Where is it?"}).status == 202
    until(lambda: (now := guest("GET", at).json())["turns"] and not now["running"])
    assert guest("POST", f"{at}/messages", {"text": "and now?"}).status == 202
    turns = until(lambda: len(now := guest("GET", at).json()["turns"]) == 2 and now)
    assert [turn["message"] for turn in turns] == ["Where is it?", "and now?"]
    assert guest("GET", f"/c/{session}").status == 200
    assert guest("GET", "/api/v1/sessions").json()["sessions"] == []
    assert open_house.member("GET", at).status == 404
    asked = {"model": "citeseek-chat", "input": "tea"}
    assert guest("POST", "/v1/responses", asked).status == 200
    assert rows(open_house.sessions) == before


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        ("/api/v1/research", {"question": "tea"}, {}),
        ("/api/v1/batches?command=search", b'{"query": "tea"}\n', LINES),
        ("/api/v1/sessions/archive", b"{}\n", OCTETS),
    ],
)
def test_what_would_be_kept_is_refused(
    open_house: Open, path: str, body: Any, headers: dict[str, str]
) -> None:
    before = rows(open_house.sessions)
    refused = open_house.guest("POST", path, body, {**headers, "Accept-Language": "en"})
    assert (refused.status, refused.json()["code"]) == (403, "NotPermitted")
    assert refused.json()["detail"] == "Nothing is kept for a guest."
    assert rows(open_house.sessions) == before


@pytest.mark.parametrize(("per_minute", "of_guests"), [(0, 2), (2, 9), (9, 2)])
def test_guests_have_a_rate_of_their_own(per_minute: int, of_guests: int) -> None:
    rules = Rules(people=read_people(PEOPLE), per_minute=per_minute, guest_per_minute=of_guests)
    with guarding(rules) as served:
        for token, most in ((GUEST, 2), (MEMBER, per_minute)):
            headers = {"Authorization": f"Bearer {token}"}
            told = [served.call("GET", "/api/v1/x", headers=headers).status for _ in range(4)]
            assert told == ([200] * min(most, 4) + [429] * (4 - most) if most else [200] * 4)
