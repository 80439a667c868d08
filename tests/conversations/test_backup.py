"""A file of conversations is copied while others write to it, and put back in any version."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.assistant.conversations import turn
from tests.command import run_citeseek
from tests.conversations.test_retention import conversation

from citeseek.conversations import migrations
from citeseek.conversations.backup import back_up, check_backup, restore
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.errors import InvalidInput

OF_VERSION_1 = Path(__file__).with_name("file_of_version_1.sql").read_text()
TURNS = 60


async def test_a_backup_is_whole_while_others_write(tmp_path: Path) -> None:
    """Each conversation has its turns in order: no copy has a later one without the earlier."""
    path = tmp_path / "sessions.sqlite3"
    store = SqliteStore(path)
    session = await conversation(store, 0)
    copies: list[Path] = []
    is_over = asyncio.Event()

    async def write() -> None:
        for number in range(2, TURNS):
            assert await store.add_turn(session, turn(number)) is not None
        is_over.set()

    async def copy() -> None:
        # On a busy machine all may be written before the first copy is.
        while not is_over.is_set() or len(copies) <= 1:
            copies.append(tmp_path / f"copy{len(copies)}")
            await asyncio.to_thread(back_up, path, copies[-1])

    await asyncio.gather(write(), copy())
    counts = [check_backup(each).turns for each in copies]
    assert counts == sorted(counts)
    assert len(copies) > 1
    for each, count in zip(copies, counts, strict=True):
        assert each.stat().st_mode & 0o777 == 0o600
        kept = SqliteStore(each)
        record = await kept.get(session)
        await kept.close()
        assert record is not None
        assert len(record.turns) == count
    await store.close()
    assert not any(tmp_path.glob(".*"))  # noqa: ASYNC240 - of a folder in memory


async def test_what_was_backed_up_is_there_again(tmp_path: Path) -> None:
    path, copy = tmp_path / "sessions.sqlite3", tmp_path / "copy"
    store = SqliteStore(path)
    kept = await conversation(store, 0)
    env = {"CITESEEK_SESSIONS": str(path)}
    made = await asyncio.to_thread(run_citeseek, "database", "backup", str(copy), env=env)
    assert made.returncode == 0
    later = await conversation(store, 0)
    again = await asyncio.to_thread(run_citeseek, "database", "backup", str(copy), env=env)
    assert (again.returncode, str(copy) in again.stderr) == (2, True)
    put_back = ("database", "restore", str(copy))
    used = await asyncio.to_thread(run_citeseek, *put_back, "--yes", env=env)
    assert used.returncode == 2
    assert await store.get(later) is not None
    await store.close()
    unsure = await asyncio.to_thread(run_citeseek, *put_back, env=env)
    assert (unsure.returncode, "--yes" in unsure.stderr) == (2, True)
    sure = await asyncio.to_thread(run_citeseek, *put_back, "--yes", env=env)
    assert sure.returncode == 0
    store = SqliteStore(path)
    assert await store.get(kept) is not None
    assert await store.get(later) is None
    await store.close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_one_of_an_earlier_version_is_brought_up(tmp_path: Path) -> None:
    old, path = tmp_path / "old", tmp_path / "new" / "sessions.sqlite3"
    with closing(sqlite3.connect(old, isolation_level=None)) as db:
        db.executescript(OF_VERSION_1)
    before = old.read_bytes()
    found = check_backup(old)
    assert (found.revision, found.conversations > 0) == (migrations.REVISIONS[0], True)
    restored = restore(old, path)
    assert restored.revision == migrations.HEAD
    assert (restored.conversations, restored.turns) == (found.conversations, found.turns)
    assert old.read_bytes() == before


def of_later_version(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE citeseek_version SET version_num = '9999'")


def damage(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xff" * 4096 * 3)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4096])


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA application_id = 7")


def no_database(path: Path) -> None:
    path.write_text("conversations " * 1_000)


@pytest.mark.parametrize(
    "spoil", [of_later_version, damage, cut_off, of_another_program, no_database, Path.unlink]
)
async def test_what_cannot_be_used_replaces_nothing(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    path, copy = tmp_path / "sessions.sqlite3", tmp_path / "copy"
    store = SqliteStore(path)
    kept = [await conversation(store, 0) for _ in range(20)]
    back_up(path, copy)
    await store.close()
    spoil(copy)
    with pytest.raises(InvalidInput):
        restore(copy, path)
    store = SqliteStore(path)
    assert await store.count() == len(kept)
    await store.close()


async def test_a_damaged_file_is_replaced_by_its_backup(tmp_path: Path) -> None:
    path, copy = tmp_path / "sessions.sqlite3", tmp_path / "copy"
    store = SqliteStore(path)
    kept = await conversation(store, 0)
    back_up(path, copy)
    await store.close()
    no_database(path)
    with pytest.raises(InvalidInput):
        back_up(path, tmp_path / "another")
    assert not (tmp_path / "another").exists()
    restore(copy, path)
    store = SqliteStore(path)
    assert await store.get(kept) is not None
    await store.close()


def test_a_postgres_is_backed_up_by_its_own_programs(tmp_path: Path) -> None:
    env = {"CITESEEK_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    refused = run_citeseek("database", "backup", str(tmp_path / "copy"), env=env)
    assert refused.returncode == 2
    assert "pg_dump" in refused.stderr
