"""Tables of before become those of now, lose nothing, and are what new ones are."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from tests.assistant.conversations import turn

from citeseek.conversations import migrations
from citeseek.conversations.sqlite_file import open_database
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.conversations.tables import TABLES
from citeseek.errors import InvalidInput

# What an earlier version wrote: two turns with their sources, a file, a question without its
# answer, a conversation that was deleted, and one with a turn that was damaged.
FILE = Path(__file__).with_name("file_of_version_1.sql")
NO_FILES = "DROP TABLE files"
OPENED = "import sys; from citeseek.conversations.sqlite_store import SqliteStore; "
OPENED += "SqliteStore(sys.argv[1])"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.sqlite3"
    change(path, FILE.read_text())
    return path


def change(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(script)


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of each table, with the columns that version 1 knew."""
    wanted = {
        "sessions": "id, title, mode, agent_id, created_at, updated_at, turns, value",
        "turns": "place, session, value",
        "sources": "session, place, value",
        "rounds": "session, place, value",
        "files": "place, session, url, value",
        "deleted": "id",
    }
    with closing(sqlite3.connect(path)) as db:
        (known,) = zip(
            *db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"), strict=True
        )
        return {
            table: db.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2").fetchall()  # noqa: S608
            if "," in columns
            else db.execute(f"SELECT {columns} FROM {table}").fetchall()  # noqa: S608
            for table, columns in wanted.items()
            if table in known
        }


def layout(path: Path) -> dict[str, set[tuple[Any, ...]]]:
    """Return the columns of each table, their types, and what else holds for them."""
    found: dict[str, set[tuple[Any, ...]]] = {}
    with closing(sqlite3.connect(path)) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            rows = db.execute(f"PRAGMA table_info({table})")
            # The keys of version 1 say nothing of NULL.
            columns = {
                (name, kind, bool(not_null or key), key) for _, name, kind, not_null, _, key in rows
            }
            keys = db.execute(f"PRAGMA foreign_key_list({table})")
            of = {
                ("references", there, here, deleted) for _, _, there, here, _, _, deleted, _ in keys
            }
            found[table] = columns | of
        indexes = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'")
        found["indexes"] = {(name, re.sub(r"\s+", " ", sql)) for name, sql in indexes if sql}
    return found


@pytest.mark.parametrize("script", ["", NO_FILES])
async def test_a_file_of_before_is_brought_up_and_loses_nothing(path: Path, script: str) -> None:
    change(path, script)
    before = content(path)
    for _ in range(2):
        store = SqliteStore(path)
        assert content(path) == {"files": [], **before}
        tea = await store.get("tea")
        assert tea is not None
        assert [each.id for each in tea.turns] == ["turn-1", "turn-2"]
        assert [each.number for each in tea.sources] == [1, 2, 3, 4, 5]
        assert [each.name for each in tea.files] == ([] if script else ["notes.txt"])
        # The question is asked still, so that it is listed; what was deleted stays so.
        assert [each.id for each in await store.list(9)] == ["hurt", "open", "tea"]
        await store.drop_empty(0)
        assert await store.get("open")
        before["sessions"] = [row for row in before["sessions"] if row[0] != "silent"]
        assert await store.add_turn("gone", turn(1)) is None
        await store.close()


async def test_turns_of_before_are_replaced_and_the_damaged_one_harms_nobody(path: Path) -> None:
    store = SqliteStore(path)
    for session in ("tea", "hurt"):
        await store.add_turn(session, turn(2 if session == "tea" else 7, written="to its end"))
        kept = await store.get(session)
        assert kept is not None
        assert kept.turns[-1].written == "to its end"
    assert {each.id: each.turns for each in await store.list(9)} == {"tea": 2, "hurt": 2, "open": 0}
    await store.close()


def test_a_new_file_one_of_before_and_all_steps_lead_to_the_same_tables(
    path: Path, tmp_path: Path
) -> None:
    for file in (path, tmp_path / "new.sqlite3"):
        open_database(file).dispose()
    stepped = tmp_path / "stepped.sqlite3"
    engine = create_engine(f"sqlite:///{stepped}")
    with engine.begin() as connection:
        migrations.upgrade(connection)
    engine.dispose()
    of_code = layout(tmp_path / "new.sqlite3")
    assert of_code.keys() >= TABLES.tables.keys()
    del of_code["citeseek_version"]
    for other in (path, stepped):
        found = layout(other)
        del found["citeseek_version"]
        assert found == of_code


def test_the_steps_are_those_that_are_written_down() -> None:
    steps = ScriptDirectory(str(Path(migrations.__file__).parent)).walk_revisions()
    assert tuple(step.revision for step in steps)[::-1] == migrations.REVISIONS


@pytest.mark.release
async def test_processes_that_bring_up_one_file_at_one_time_do_it_once(path: Path) -> None:
    before = content(path)
    opening = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", OPENED, str(path))
        for _ in range(3)
    ]
    assert [await each.wait() for each in opening] == [0, 0, 0]
    assert content(path) == before


def test_a_step_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    # In the way of the last thing that is done.
    change(path, "CREATE INDEX silent ON deleted (id)")
    before, bytes_before = content(path), path.read_bytes()
    with pytest.raises(InvalidInput, match="silent"):
        SqliteStore(path)
    assert content(path) == before
    assert path.read_bytes() == bytes_before


def test_tables_of_a_later_step_are_refused_and_left_alone(path: Path) -> None:
    asyncio.run(SqliteStore(path).close())
    change(path, "UPDATE citeseek_version SET version_num = '9999'")
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="later version"):
        SqliteStore(path)
    assert path.read_bytes() == before
