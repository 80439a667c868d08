"""What the API says when conversations cannot be kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import settings
from tests.rest.serving import PREFIX
from tests.serving.running import Caller, running

from citeseek.conversations import database
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.surfaces.server.app import create_app


def test_while_another_program_holds_the_file_a_client_is_told_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    path = tmp_path / "sessions.sqlite3"
    loaded = settings(env={"CITESEEK_CHAT_ENGINE": "stub"})
    app = create_app(lambda: loaded, store=SqliteStore(path), looks=False)
    with running(app) as base_url:
        call = Caller(base_url)
        session = call("POST", f"{PREFIX}/sessions", {}).json()["id"]
        asked = ("POST", f"{PREFIX}/sessions/{session}/messages", {"text": "tea"})
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            streamed = {"Accept": "text/event-stream"}
            for answer in (
                call("POST", f"{PREFIX}/sessions", {}),
                call(*asked),
                call(*asked, streamed),
            ):
                problem = answer.json()
                assert (answer.status, problem["retryable"]) == (503, True)
                assert problem["detail_code"] == "sessions_unavailable"
                assert int(answer.headers["Retry-After"]) > 0
                assert str(tmp_path) not in answer.text
            other.execute("ROLLBACK")
        # What was refused is no title either.
        assert call("GET", f"{PREFIX}/sessions/{session}").json()["title"] == ""
        assert call(*asked).status == 202
