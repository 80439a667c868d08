"""Postgres as the place of conversations: what is refused, how it comes up, goes and is back."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import procrastinate
import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, NullPool, create_engine
from tests.assistant.conversations import turn
from tests.conftest import settings
from tests.postgres_server import PASSWORD, TEMPLATE, PostgresServer, own_server, standby_of

from citeseek.conversations import migrations, queue_schema, sqlite_file
from citeseek.conversations.conversation_record import Record
from citeseek.conversations.postgres_store import PostgresStore
from citeseek.conversations.store import bring_up, open_store
from citeseek.conversations.tables import TABLES
from citeseek.errors import Busy, CiteseekError, InvalidInput
from citeseek.health.dependencies import check_database

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def own() -> Iterator[PostgresServer]:
    """Give a server that may be stopped, and runs again afterwards."""
    with own_server() as running:
        yield running


@pytest.fixture
def empty(postgres: PostgresServer) -> Iterator[str]:
    """Give the name of a database in which nothing is."""
    name = postgres.create()
    yield name
    postgres.drop(name)


@contextmanager
def engine_of(address: str) -> Iterator[Engine]:
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(address), poolclass=NullPool
    )
    yield engine
    engine.dispose()


def put_steps(address: str, revision: str) -> None:
    """Take the steps up to ``revision``, as a version of then did."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with engine_of(address) as engine, engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def differences(address: str) -> list[Any]:
    """Return how the tables that are there differ from those of the code."""

    def is_ours(name: str | None, kind: str, _: Any) -> bool:
        of_queue = (queue_schema.PREFIX, "citeseek_queue")
        return kind != "table" or not str(name).startswith(of_queue)

    with engine_of(address) as engine, engine.begin() as connection:
        options = {
            "compare_type": True,
            "version_table": migrations.VERSION_TABLE,
            "include_name": is_ours,
        }
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, TABLES))


MADE = ("later", "behind_queue", "later_queue")
REFUSED = {
    "behind": "",
    "behind_queue": "DROP TABLE citeseek_queue, procrastinate_jobs CASCADE",
    "later_queue": "UPDATE citeseek_queue SET migration = '99'",
    "foreign": "CREATE TABLE sessions (theirs INT)",
    "foreign_queue": "CREATE TABLE procrastinate_jobs (theirs INT)",
    "read_only": "ALTER DATABASE {name} SET default_transaction_read_only = on",
    "later": "UPDATE citeseek_version SET version_num = '9999'",
    "too_old": "",
    "unreachable": "",
}


@pytest.mark.parametrize("state", REFUSED)
async def test_what_cannot_be_used_is_refused_with_its_repair(
    state: str,
    postgres: PostgresServer,
    empty: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    address = postgres.address(empty if state != "unreachable" else "nobody")
    if state in MADE:
        assert bring_up(settings(env={"CITESEEK_DATABASE_URL": address}))
    if state == "too_old":
        monkeypatch.setattr("citeseek.conversations.postgres.LEAST_VERSION", 99)
    if statement := REFUSED[state]:
        postgres.execute(statement.format(name=empty), database=empty)
    loaded = settings(env={"CITESEEK_DATABASE_URL": address})
    with caplog.at_level("DEBUG"), pytest.raises(InvalidInput) as caught:
        open_store(loaded)
    state = state.removesuffix("_queue")
    assert caught.value.values["case"] == f"database_{state}"
    assert caught.value.hint
    (finding,) = await check_database(loaded)
    assert (finding.code, finding.status) == (state, "error")
    said = f"{caught.value} {finding.text()} {caplog.text} {loaded!r}"
    assert PASSWORD not in said
    if state not in ("behind", "unreachable"):
        with pytest.raises(InvalidInput):
            bring_up(loaded)


@pytest.mark.release
async def test_a_standby_is_refused(own: PostgresServer) -> None:
    with standby_of(own) as standby:
        loaded = settings(env={"CITESEEK_DATABASE_URL": standby.address(TEMPLATE)})
        with pytest.raises(InvalidInput) as caught:
            open_store(loaded)
        assert caught.value.values["case"] == "database_read_only"
        assert "replicas follow" in caught.value.hint
        (finding,) = await check_database(loaded)
        assert finding.code == "read_only"


@pytest.mark.parametrize(
    "address", ["postgresql:///name?what=1", "postgresql://u:secret-word@[::1/name"]
)
def test_an_address_that_nobody_understands_is_not_repeated(address: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_store(settings(env={"CITESEEK_DATABASE_URL": address}))
    assert "CITESEEK_DATABASE_URL" in caught.value.hint
    assert "secret-word" not in str(caught.value)


@pytest.mark.parametrize("before", ["", "0001"])
def test_of_several_that_start_at_one_time_one_makes_the_tables(
    before: str, postgres: PostgresServer, empty: str
) -> None:
    address = postgres.address(empty)
    if before:
        put_steps(address, before)
        postgres.execute(
            "INSERT INTO sessions VALUES ('tea', 'Tea', 'chat', NULL, 1, 1, 1, '{\"asked\": {}}')",
            "INSERT INTO turns VALUES (1, 'tea', '{\"id\": \"turn-1\"}'), (2, 'tea', '{\"id\": ')",
            database=empty,
        )
    with ThreadPoolExecutor(4) as threads:
        standings = list(
            threads.map(bring_up, [settings(env={"CITESEEK_DATABASE_URL": address})] * 4)
        )
    assert standings == [True] * 4
    assert differences(address) == []
    if before:
        with psycopg.connect(address) as connection:
            assert connection.execute("SELECT id, asked FROM sessions").fetchall() == [
                ("tea", True)
            ]
            ids = connection.execute("SELECT id FROM turns ORDER BY place").fetchall()
            assert ids == [("turn-1",), ("",)]


def test_tables_of_an_earlier_queue_become_those_of_now(
    postgres: PostgresServer, empty: str
) -> None:
    folder = Path(procrastinate.__file__).parent / "sql"
    *before, last = sorted((folder / "migrations").glob("*.sql"))
    address = postgres.address(empty)
    put_steps(address, migrations.HEAD)
    with psycopg.connect(address, autocommit=True) as connection:
        for step in before:
            connection.execute(step.read_bytes())
        connection.execute("CREATE TABLE citeseek_queue (migration TEXT NOT NULL)")
        connection.execute("INSERT INTO citeseek_queue VALUES (%s)", [before[-1].name])
    loaded = settings(env={"CITESEEK_DATABASE_URL": address})
    with pytest.raises(InvalidInput, match="earlier version"):
        open_store(loaded)
    assert bring_up(loaded)
    with engine_of(address) as engine, engine.begin() as connection:
        assert queue_schema.judge(connection) == "ok"
    # What its last step made is there.
    made = re.search(r"CREATE .*FUNCTION (\w+)", last.read_text())
    assert made
    with psycopg.connect(address) as connection:
        found = connection.execute("SELECT to_regproc(%s)", [made[1]]).fetchone()
    assert found != (None,)


async def test_a_restart_in_the_middle_loses_and_doubles_nothing(own: PostgresServer) -> None:
    store = PostgresStore(own.address(TEMPLATE))
    await store.put(Record(id="tea", created_at=1.0))
    going, last = asyncio.Event(), 40

    async def write() -> None:
        for number in range(last):
            await store.add_turn("tea", turn(number))
            if number == 5:
                going.set()

    writing = asyncio.create_task(write())
    await going.wait()
    await asyncio.to_thread(own.stop)
    assert not writing.done()
    await asyncio.to_thread(own.start)
    await writing
    kept = await store.get("tea")
    assert kept is not None
    assert [each.id for each in kept.turns] == [f"turn-{number}" for number in range(last)]
    assert (await store.list(1))[0].turns == last
    await store.delete("tea")
    await store.close()


async def test_while_it_is_gone_callers_are_told_to_come_again(
    own: PostgresServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.3)
    store = PostgresStore(own.address(TEMPLATE))
    await store.put(Record(id="water", created_at=1.0))
    await asyncio.to_thread(own.stop)
    for work in (store.get("water"), store.add_turn("water", turn(1)), store.change()):
        with pytest.raises(Busy) as caught:
            await work
        assert (caught.value.detail_code, caught.value.retry_after) == ("sessions_unavailable", 5.0)
        assert own.folder not in str(caught.value)
    assert own.folder in caplog.text
    assert PASSWORD not in caplog.text
    await asyncio.to_thread(own.start)
    await store.add_turn("water", turn(1))
    kept = await store.get("water")
    assert kept is not None
    assert kept.turns == [turn(1, follows="")]
    await store.close()


async def test_a_server_that_hangs_is_not_waited_for(
    own: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.2)
    store = PostgresStore(own.address(TEMPLATE))
    await store.put(Record(id="hung", created_at=1.0))
    with psycopg.connect(own.address(TEMPLATE)) as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()"
        ).fetchall()
    for (pid,) in found:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(Busy):
            await store.add_turn("hung", turn(1))
    finally:
        for (pid,) in found:
            os.kill(pid, signal.SIGCONT)
    # What was begun is done, and is no second turn when it is stored again.
    await store.add_turn("hung", turn(1))
    await store.close()
    store = PostgresStore(own.address(TEMPLATE))
    kept = await store.get("hung")
    assert kept is not None
    assert kept.turns == [turn(1, follows="")]
    await store.close()


async def test_what_is_deleted_while_others_store_it_stays_deleted(database: str) -> None:
    one, two = PostgresStore(database), PostgresStore(database)
    for number in range(10):
        record = Record(id=f"tea-{number}", created_at=1.0)
        await one.put(record)
        stored = await asyncio.gather(
            two.put(record),
            one.delete(record.id),
            two.put(record),
            two.add_turn(record.id, turn(1)),
        )
        assert stored[1]
        assert await one.get(record.id) is None
    for store in (one, two):
        await store.close()


async def test_tables_that_were_taken_away_are_damage(
    database: str, postgres: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    store = PostgresStore(database)
    await store.put(Record(id="tea", created_at=1.0))
    name = database.rpartition("/")[0].rpartition("?")[0].rpartition("/")[2]
    postgres.execute("DROP TABLE turns", database=name)
    with pytest.raises(CiteseekError, match="damaged") as caught:
        await store.get("tea")
    assert not caught.value.retryable
    assert "SELECT" not in str(caught.value) + caplog.text
    await store.close()


async def test_ids_that_no_database_can_hold_name_nothing(database: str) -> None:
    store = PostgresStore(database)
    for session_id in ("a\0b", "\udc80", ""):
        assert await store.get(session_id) is None
        assert await store.glance(session_id) is None
    await store.close()
