"""What people use is counted by person and day, by all processes together, and holds no text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.postgres_store import PostgresStore
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.conversations.usage import UsageMeter, UseCounts, list_usage
from citeseek.errors import InvalidInput
from citeseek.observing.operation import Operation
from citeseek.person import Person, acting_as

ALICE, BOB = Person("alice", "member"), Person("bob", "guest")


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[DatabaseStore]:
    store: DatabaseStore
    if request.param == "file":
        store = SqliteStore(tmp_path / "sessions.sqlite3")
    else:
        store = PostgresStore(request.getfixturevalue("database"))
    yield store
    await store.close()


def used(meter: UsageMeter, person: Person, *operations: Operation) -> None:
    with acting_as(person):
        for operation in operations:
            meter.began(operation)
            meter.ended(operation)


SEARCH, FETCH, ANSWER = (Operation(kind=kind) for kind in ("search", "fetch", "answer"))
MODEL = Operation(kind="model", name="m", input_tokens=1_000, output_tokens=20)
SILENT = Operation(kind="model", name="m")
REFUSED = Operation(kind="search", error=InvalidInput("The query is empty."))
NOT_COUNTED = (Operation(kind="engine"), Operation(kind="request"), REFUSED)


async def test_processes_count_together_for_each_person(database: DatabaseStore) -> None:
    meters = [UsageMeter(database) for _ in range(2)]
    for meter in meters:
        used(meter, ALICE, SEARCH, SEARCH, FETCH, ANSWER, MODEL, SILENT, *NOT_COUNTED)
        used(meter, BOB, SEARCH)
    await asyncio.gather(*(meter.flush() for meter in meters))
    used(meters[0], BOB, MODEL)
    alice = UseCounts(
        searches=4, pages=2, answers=2, model_calls=4, input_tokens=2_000, output_tokens=40
    )
    bob = UseCounts(searches=2, model_calls=1, input_tokens=1_000, output_tokens=20)
    found = await meters[0].list(1)
    assert [(each.person, each.use) for each in found] == [("alice", alice), ("bob", bob)]
    assert await list_usage(database, 366) == found


async def test_days_before_are_left_out_where_fewer_are_asked_for(
    database: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter = UsageMeter(database)
    now = 1_800_000_000.0
    for days_ago in (0, 1, 40):
        monkeypatch.setattr(
            "citeseek.conversations.usage.time.time", lambda at=now - days_ago * 86_400: at
        )
        used(meter, ALICE, SEARCH)
    monkeypatch.setattr("citeseek.conversations.usage.time.time", lambda: now)
    counts = [(await meter.list(days))[0].use.searches for days in (1, 2, 40, 41)]
    assert counts == [1, 2, 2, 3]


async def test_what_was_counted_is_added_when_the_meter_ends(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "sessions.sqlite3")
    meter = UsageMeter(store)
    meter.begin()
    used(meter, ALICE, ANSWER)
    await meter.close()
    assert (await list_usage(store, 1))[0].use == UseCounts(answers=1)
    await store.close()


async def test_a_store_that_is_away_loses_nothing(tmp_path: Path) -> None:
    away, store = SqliteStore(tmp_path / "damaged.sqlite3"), SqliteStore(tmp_path / "whole.sqlite3")
    await away.write(lambda connection: connection.exec_driver_sql("DROP TABLE usage"))
    meter = UsageMeter(away)
    used(meter, ALICE, SEARCH)
    await meter.flush()
    used(meter, ALICE, SEARCH)
    meter._database = store
    assert [each.use for each in await meter.list(1)] == [UseCounts(searches=2)]
    await away.close()
    await store.close()
