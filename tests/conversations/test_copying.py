"""Conversations of a file are copied into a Postgres: whole, once, and over nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.command import run_citeseek
from tests.conftest import settings
from tests.conversations.test_migrations import FILE, change
from tests.postgres_server import PostgresServer

from citeseek.conversations.conversation_record import Record
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.conversations.store import open_store
from citeseek.health.dependencies import check_database

pytestmark = pytest.mark.postgres


async def records(file: Path | None, database: str) -> dict[str, Record]:
    """Return the conversations of a file, or without one of a database, by their ids."""
    store = (
        SqliteStore(file) if file else open_store(settings(env={"CITESEEK_DATABASE_URL": database}))
    )
    try:
        found = [await store.get(each.id) for each in await store.list(100)]
    finally:
        await store.close()
    return {each.id: each for each in found if each}


async def test_a_file_is_copied_once_and_over_nothing(database: str, tmp_path: Path) -> None:
    file = tmp_path / "sessions.sqlite3"
    change(file, FILE.read_text())
    before = await records(file, database)
    assert before
    env = {**os.environ, "CITESEEK_DATABASE_URL": database}
    command = ("database", "copy", "--from", str(file))
    first = run_citeseek(*command, env=env)
    assert first.returncode == 0, first.stderr
    assert await records(None, database) == before
    # What happened there meanwhile stays.
    store = open_store(settings(env={"CITESEEK_DATABASE_URL": database}))
    kept, *others = before
    await store.rename(kept, "Renamed")
    if others:
        await store.delete(others[0])
    await store.close()
    again = run_citeseek(*command, env=env)
    assert (again.returncode, "复制的对话：0" in again.stderr) == (0, True)
    now = await records(None, database)
    assert now[kept].title == "Renamed"
    assert set(now) == set(before) - set(others[:1])
    assert await records(file, database) == before


def test_what_stands_in_the_way_is_said(database: str, tmp_path: Path) -> None:
    without = run_citeseek("database", "copy", "--from", str(tmp_path / "none"))
    assert (without.returncode, "CITESEEK_DATABASE_URL" in without.stderr) == (2, True)
    env = {**os.environ, "CITESEEK_DATABASE_URL": database}
    none = run_citeseek("database", "copy", "--from", str(tmp_path / "none"), env=env)
    assert (none.returncode, "没有保存对话的文件" in none.stderr) == (2, True)
    wrong = run_citeseek("database", "upgrade", "--from", "x", env=env)
    assert wrong.returncode == 2


async def test_the_database_of_the_operator_is_warned_of(
    postgres: PostgresServer, database: str
) -> None:
    own = settings(env={"CITESEEK_DATABASE_URL": database})
    assert [each.code for each in await check_database(own)] == ["ok"]
    shared = settings(env={"CITESEEK_DATABASE_URL": postgres.address("postgres")})
    found = await check_database(shared)
    assert [(each.code, each.status) for each in found][-1] == ("shared", "warning")
