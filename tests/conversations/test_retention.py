"""What is older than it may become goes, of everybody, once an hour by one process of all."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, insert, select, update
from tests.assistant.conversations import turn
from tests.command import run_citeseek

from citeseek.conversations.conversation_record import new_record
from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.erasure import ErasureWatch, drop_old_notices, erase_rows
from citeseek.conversations.postgres_store import PostgresStore
from citeseek.conversations.retention import DAY_SECONDS, Outdated, Retention
from citeseek.conversations.shared_links import Shares
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.conversations.tables import BATCHES, CHORES, ERASURES, REPORTS, SESSIONS, TURNS
from citeseek.person import Person, acting_as

ALICE = Person("alice", "member")
DAYS = 30
TRACE = "20260101T000000000-search-{:016x}.json"


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[DatabaseStore]:
    store: DatabaseStore
    if request.param == "file":
        store = SqliteStore(tmp_path / "sessions.sqlite3")
    else:
        store = PostgresStore(request.getfixturevalue("database"))
    yield store
    await store.close()


async def conversation(store: DatabaseStore, days_ago: float) -> str:
    """Keep a conversation of a turn that was said then; return its id."""
    record = new_record()
    await store.put(record)
    await store.add_turn(record.id, turn(1))
    await age(store, record.id, days_ago)
    return record.id


async def age(
    store: DatabaseStore, session_id: str, days_ago: float, *, asked: bool = False
) -> None:
    at = time.time() - days_ago * DAY_SECONDS
    changed = update(SESSIONS).where(SESSIONS.c.id == session_id)
    await store.write(
        lambda connection: connection.execute(changed.values(updated_at=at, asked=asked))
    )


async def job(store: DatabaseStore, id_: str, state: str, days_ago: float) -> None:
    at = time.time() - days_ago * DAY_SECONDS
    row = {"id": id_, "state": state, "created_at": at, "updated_at": at, "value": b"{}"}

    def put(connection: Connection) -> None:
        connection.execute(insert(REPORTS), row)
        connection.execute(insert(BATCHES), row)

    await store.write(put)


async def left(store: DatabaseStore) -> dict[str, set[str]]:
    def ids(connection: Connection) -> dict[str, set[str]]:
        tables = {"conversations": SESSIONS, "reports": REPORTS, "batches": BATCHES}
        return {name: set(connection.scalars(select(each.c.id))) for name, each in tables.items()}

    return await store.read(ids)


async def test_what_is_too_old_goes_and_what_is_under_way_stays(
    database: DatabaseStore, tmp_path: Path
) -> None:
    with acting_as(ALICE):
        shared = await conversation(database, DAYS + 1)
        kept = await database.get(shared)
        assert kept is not None
        await Shares(database).share_answer(shared, kept.turns[0].id)
        younger = await conversation(database, DAYS - 1)
    answering = await conversation(database, 0)
    await age(database, answering, DAYS + 1, asked=True)
    for id_, state in (("a", "finished"), ("b", "running"), ("c", "cancelled"), ("d", "queued")):
        await job(database, id_, state, DAYS + 1)
    await job(database, "e", "finished", DAYS - 1)
    traces = tmp_path / "traces"
    (traces / "people" / "alice").mkdir(parents=True)
    files = [traces / TRACE.format(1), traces / "people" / "alice" / TRACE.format(2)]
    others = [traces / TRACE.format(3), traces / "notes.json"]
    for path in (*files, *others):
        path.write_text("{}")
    old = time.time() - (DAYS + 1) * DAY_SECONDS
    for path in (*files, others[1]):
        os.utime(path, (old, old))
    gone = await Retention(database, DAYS, traces).look()
    assert gone == Outdated(conversations=1, reports=2, batches=2, traces=2)
    assert await left(database) == {
        "conversations": {younger, answering},
        "reports": {"b", "d", "e"},
        "batches": {"b", "d", "e"},
    }
    assert [path for path in (*files, *others) if path.exists()] == others
    turns = select(func.count()).select_from(TURNS)
    assert await database.read(lambda connection: connection.scalar(turns)) == 2
    with acting_as(ALICE):
        assert await Shares(database).list() == []
        # An answer that comes late brings it not back.
        assert await database.add_turn(shared, turn(2)) is None


async def test_one_process_of_all_does_it_in_an_hour(database: DatabaseStore) -> None:
    processes = [Retention(database, DAYS, None) for _ in range(4)]
    done = await asyncio.gather(*(each.look() for each in processes))
    assert sorted(each is None for each in done) == [False, True, True, True]
    assert await processes[0].look() is None
    hour_ago = update(CHORES).values(done_at=time.time() - 3_601)
    await database.write(lambda connection: connection.execute(hour_ago))
    done = await asyncio.gather(*(each.look() for each in processes))
    assert [each for each in done if each is not None] == [Outdated()]


async def test_without_an_age_nothing_goes(database: DatabaseStore) -> None:
    session = await conversation(database, 10_000)
    assert await Retention(database, None, None).look() == Outdated()
    assert (await left(database))["conversations"] == {session}


async def test_who_was_erased_is_told_to_processes_that_were_there(database: DatabaseStore) -> None:
    told: list[list[bool]] = []

    async def forget(is_theirs) -> None:  # type: ignore[no-untyped-def]
        told.append([is_theirs(name) for name in ("alice", "bob")])

    with acting_as(ALICE):
        await conversation(database, 0)
    await database.write(erase_rows, "bob")
    watch = ErasureWatch(database, forget)
    await watch.begin()
    await database.write(erase_rows, "alice")
    await watch.look()
    await watch.close()
    assert told == [[True, False]]
    assert (await left(database))["conversations"] == set()
    long_ago = update(ERASURES).values(erased_at=0.0)
    await database.write(lambda connection: connection.execute(long_ago))
    await database.write(drop_old_notices)
    # The last one stays, so that the next one has another number.
    await database.write(erase_rows, "bob")
    await watch.look()
    assert told[1:] == [[False, True]]


async def test_the_command_prunes_as_the_setting_says(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    store = SqliteStore(path)
    old, young = [await conversation(store, days) for days in (DAYS + 1, DAYS - 1)]
    env = {"CITESEEK_SESSIONS": str(path)}
    refused = await asyncio.to_thread(run_citeseek, "database", "prune", env=env)
    assert refused.returncode == 2
    assert "CITESEEK_KEEP_DAYS" in refused.stderr
    for days in ("0", "-3", "36501"):
        wrong = await asyncio.to_thread(run_citeseek, "database", "prune", "--days", days, env=env)
        assert wrong.returncode == 2
        assert f"'{days}' is not from 1 to 36500" in wrong.stderr
    assert (await left(store))["conversations"] == {old, young}
    env["CITESEEK_KEEP_DAYS"] = str(DAYS)
    done = await asyncio.to_thread(run_citeseek, "database", "prune", env=env)
    assert done.returncode == 0
    assert (await left(store))["conversations"] == {young}
    more = await asyncio.to_thread(run_citeseek, "database", "prune", "--days", "7", env=env)
    assert more.returncode == 0
    assert (await left(store))["conversations"] == set()
    await store.close()
