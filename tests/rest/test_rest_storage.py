"""What the API says when conversations cannot be kept."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import settings
from tests.postgres_server import PASSWORD, PostgresServer
from tests.rest.serving import PREFIX
from tests.serving.running import Caller, running

from citeseek.conversations import sqlite_file
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.surfaces.server.app import create_app


def test_while_another_program_holds_the_file_a_client_is_told_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.1)
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


@pytest.mark.postgres
def test_while_the_database_is_gone_a_client_is_told_to_come_again(
    database: str, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.1)
    name = database.rpartition("?")[0].rpartition("/")[2]
    loaded = settings(env={"CITESEEK_CHAT_ENGINE": "stub", "CITESEEK_DATABASE_URL": database})
    with running(create_app(lambda: loaded, looks=False)) as base_url:
        call = Caller(base_url)
        session = call("POST", f"{PREFIX}/sessions", {}).json()["id"]
        asked = ("POST", f"{PREFIX}/sessions/{session}/messages", {"text": "tea"})
        # To its end: one answer at a time.
        assert call(*asked, {"Accept": "text/event-stream"}).status == 200
        postgres.execute(
            f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",  # noqa: S608 - the test's own
        )
        for answer in (call("POST", f"{PREFIX}/sessions", {}), call(*asked)):
            problem = answer.json()
            assert (answer.status, problem["retryable"]) == (503, True)
            assert problem["detail_code"] == "sessions_unavailable"
            assert int(answer.headers["Retry-After"]) > 0
            assert not {PASSWORD, name, postgres.folder} & set(re.split(r"[^\w/-]", answer.text))
        page = call("GET", f"/c/{session}", headers={"Accept": "text/html"})
        assert page.status == 503
        assert "保存对话的数据库暂时没有回答" in page.text
        assert call("GET", f"{PREFIX}/search?q=tea&engine=stub").status == 200
        postgres.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert call(*asked).status == 202
        turns = call("GET", f"{PREFIX}/sessions/{session}").json()["turns"]
        assert [turn["message"] for turn in turns][:1] == ["tea"]
