"""Conversations are kept: in memory as in a file, by several processes, and in private."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from msgspec import structs
from tests.assistant.conversations import items, turn
from tests.conftest import settings

from citeseek.assistant.session import OpenSession
from citeseek.citations import Source, Span
from citeseek.conversations import sqlite_file
from citeseek.conversations.conversation_record import (
    NO_TURN,
    Choices,
    Record,
    Search,
    SessionFound,
    new_record,
)
from citeseek.conversations.mention import Mention
from citeseek.conversations.postgres_store import PostgresStore
from citeseek.conversations.sqlite_file import APPLICATION_ID, VERSION
from citeseek.conversations.sqlite_store import MemoryStore, SqliteStore
from citeseek.conversations.store import Store, open_store
from citeseek.errors import Busy, CiteseekError, InvalidInput
from citeseek.models import Failure
from citeseek.person import Person, acting_as
from citeseek.searching.cache import session_cache

Open = Callable[[], SqliteStore]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "private" / "sessions.sqlite3"


@pytest.fixture
async def opened(path: Path) -> AsyncIterator[Open]:
    """Open the same file, as often as wanted."""
    stores: list[SqliteStore] = []

    def open_again() -> SqliteStore:
        stores.append(SqliteStore(path))
        return stores[-1]

    yield open_again
    for store in stores:
        await store.close()


SHARED = ["file", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(params=["memory", *SHARED])
async def store(request: pytest.FixtureRequest, path: Path) -> AsyncIterator[Store]:
    made: dict[str, Callable[[], Store]] = {
        "memory": MemoryStore,
        "file": lambda: SqliteStore(path),
        "postgres": lambda: PostgresStore(request.getfixturevalue("database")),
    }
    store = made[request.param]()
    yield store
    await store.close()


@pytest.fixture(params=SHARED)
def place(request: pytest.FixtureRequest, path: Path) -> dict[str, str]:
    """Give what of the environment names a place that several stores share."""
    if request.param == "file":
        return {"CITESEEK_SESSIONS": str(path)}
    return {"CITESEEK_DATABASE_URL": request.getfixturevalue("database")}


@pytest.fixture
async def shared(place: dict[str, str]) -> AsyncIterator[Callable[[], Store]]:
    """Open the same place, as often as wanted."""
    stores: list[Store] = []

    def open_again() -> Store:
        stores.append(open_store(settings(env=place)))
        return stores[-1]

    yield open_again
    for store in stores:
        await store.close()


def record(session_id: str = "tea", **values: object) -> Record:
    return Record(id=session_id, created_at=1.0, **values)  # type: ignore[arg-type]


async def said(store: Store, session_id: str, *turns: int) -> None:
    await store.put(record(session_id, title=session_id))
    for number in turns:
        await store.add_turn(session_id, turn(number))


async def test_a_turn_of_a_version_without_spans_gets_them_as_it_is_read(store: Store) -> None:
    source = Source(2, "Tea", "https://tea.example/a", "tea.example")
    link = "[[2]](https://tea.example/a)"
    told = {"answer": f"Tea {link} and [[2]](https://b.example/).", "written": "Tea [2] and …"}
    await store.put(record())
    await store.add_turn("tea", turn(1, **told, sources=(source,), cited=(2,)))
    await store.add_turn("tea", turn(2, answer="no source", written="no source"))
    kept = await store.get("tea")
    assert kept is not None
    assert [each.spans for each in kept.turns] == [(Span(4, 4 + len(link), 2),), ()]


def change(path: Path, *statements: str) -> None:
    file = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        file.execute(statement)
    file.close()


def answered(session: OpenSession, number: int, pages: range) -> None:
    """Let an answer of Agent mode give out the next numbers."""
    session.registry.add_round(f"search {number}", items(*pages))
    session.add(turn(number, mode="agent", sources=tuple(session.registry)[-len(pages) :]))


async def kept(store: Store, session: OpenSession) -> None:
    await store.put(session.record)
    await store.add_turn(session.id, session.record.turns[-1])


async def test_what_was_put_comes_back_whole(store: Store) -> None:
    failure = Failure(type="Timeout", message="too slow", retryable=True)
    whole = turn(1, searches=(Search(query="茶", numbers=(1,), failure=failure),), cited=(1,))
    session = OpenSession(
        record(agent_id="a", mode="agent", switch=True, choices=Choices(results=3))
    )
    session.registry.add_round("茶", items(1, 2))
    session.add(whole)
    await kept(store, session)
    back = await store.get("tea")
    assert back == session.record
    assert back is not session.record


async def test_an_unknown_conversation_is_none(store: Store) -> None:
    assert await store.get("nobody") is None
    assert await store.get("'; DROP TABLE sessions; --") is None


@pytest.mark.requirement("S1-9", "S1-11")
async def test_switch_and_mode_survive_a_reload(store: Store) -> None:
    for mode, switch in (("chat", True), ("agent", True), ("chat", False), ("agent", None)):
        await store.put(record(mode=mode, switch=switch))
        back = await store.get("tea")
        assert back is not None
        assert (back.mode, back.switch) == (mode, switch)


@pytest.mark.requirement("S1-174")
async def test_numbers_go_on_after_a_reload(store: Store) -> None:
    session = OpenSession(record(mode="agent"))
    answered(session, 1, range(1, 9))
    await kept(store, session)
    answered(session, 2, range(9, 14))
    await kept(store, session)
    back = await store.get("tea")
    assert back is not None
    again = OpenSession(back)
    assert [shown.numbers for shown in again.registry.rounds] == [
        tuple(range(1, 9)),
        tuple(range(9, 14)),
    ]
    assert again.registry.add_round("next", items(14)).numbers == (14,)
    assert again.registry.add_round("known", items(3)).numbers == (3,)


@pytest.mark.requirement("P17")
async def test_a_reset_begins_at_1_after_a_reload_as_well(store: Store) -> None:
    session = OpenSession(record(mode="agent", switch=True))
    answered(session, 1, range(1, 9))
    await kept(store, session)
    session.reset()
    await store.clear(session.id)
    await store.put(session.record)
    back = await store.get("tea")
    assert back == session.record
    assert back is not None
    assert (back.turns, back.sources, back.title, back.switch) == ([], (), "", True)
    assert OpenSession(back).registry.add_round("anew", items(9)).numbers == (1,)
    assert await store.list(10) == []


@pytest.mark.requirement("S1-153")
async def test_cached_answers_are_not_stored(opened: Open, path: Path) -> None:
    session, store = OpenSession(record()), opened()
    assert type(session.cache) is type(session_cache())
    session.add(turn(1))
    await kept(store, session)
    back = await opened().get("tea")
    assert back is not None
    assert len(OpenSession(back).cache) == 0


async def test_the_list_is_newest_first_and_leaves_out_where_nothing_was_said(
    store: Store,
) -> None:
    await said(store, "old", 1, 9)
    await said(store, "new", 10)
    await said(store, "older", 5, 6)
    await said(store, "silent")
    await store.put(record("commanded"))
    await store.add_turn("commanded", turn(99, outcome="command"))
    listed = await store.list(10)
    assert [(each.id, each.turns) for each in listed] == [("new", 1), ("old", 2), ("older", 2)]
    assert listed[1].title == "old"
    assert (listed[1].created_at, listed[1].updated_at) == (1.0, 9.0)
    assert (listed[1].mode, listed[1].agent_id) == ("chat", None)


async def test_the_list_comes_in_pages_even_where_times_are_equal(store: Store) -> None:
    for name in "abcde":
        await said(store, name, 7)
    pages, before = [], None
    while page := await store.list(2, before):
        pages.append([each.id for each in page])
        before = page[-1].place
    assert pages == [["e", "d"], ["c", "b"], ["a"]]
    assert await store.list(0) == []


async def test_commands_do_not_count_as_turns_but_are_kept(store: Store) -> None:
    await said(store, "tea", 1)
    await store.add_turn("tea", turn(2, outcome="command"))
    assert (await store.list(1))[0].turns == 1
    back = await store.get("tea")
    assert back is not None
    assert len(back.turns) == 2


async def test_a_new_title_stays(store: Store) -> None:
    await said(store, "tea", 1)
    assert await store.rename("tea", "  Green\n tea ")
    await store.put(record(title="tea"))
    assert (await store.list(1))[0].title == "Green tea"
    back = await store.get("tea")
    assert back is not None
    assert back.title == "Green tea"


async def test_a_title_is_needed_and_cut(store: Store) -> None:
    await said(store, "tea", 1)
    with pytest.raises(InvalidInput, match="title"):
        await store.rename("tea", " \n ")
    await store.rename("tea", "x" * 100)
    assert len((await store.list(1))[0].title) == 60
    assert not await store.rename("nobody", "x")


async def test_what_is_deleted_is_gone_and_stays_gone(store: Store) -> None:
    await said(store, "tea", 1)
    assert await store.delete("tea")
    assert not await store.delete("tea")
    await store.put(record())
    await store.add_turn("tea", turn(2))
    assert await store.get("tea") is None
    assert await store.list(10) == []


async def test_a_turn_needs_its_conversation(store: Store) -> None:
    with pytest.raises(InvalidInput, match="not stored"):
        await store.add_turn("nobody", turn(1))


async def test_a_record_that_is_changed_later_is_stored_as_it_was(store: Store) -> None:
    mine = record(switch=True)
    storing = asyncio.create_task(store.put(mine))
    await asyncio.sleep(0)
    mine.switch = False
    await storing
    back = await store.get("tea")
    assert back is not None
    assert back.switch is True


async def test_what_a_cancelled_caller_began_to_store_is_stored(store: Store) -> None:
    await store.put(record())
    storing = asyncio.create_task(store.add_turn("tea", turn(1)))
    await asyncio.sleep(0)
    storing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await storing
    # What is written comes one after the other.
    await store.rename("tea", "Tea")
    back = await store.get("tea")
    assert back is not None
    assert back.turns == [turn(1, follows="")]


async def test_the_loop_goes_on_while_the_file_is_locked(opened: Open, path: Path) -> None:
    store = opened()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    storing = asyncio.create_task(store.put(record()))
    began, ticks = time.monotonic(), 0
    while time.monotonic() - began < 0.2:
        await asyncio.sleep(0.001)
        ticks += 1
    assert ticks > 20
    assert not storing.done()
    other.execute("COMMIT")
    other.close()
    await storing
    assert await store.get("tea")


async def test_a_locked_file_is_waited_for_once_and_keeps_no_reader(
    opened: Open, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    await store.put(record())
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 1.0)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        writing = [asyncio.create_task(store.put(record(f"tea-{number}"))) for number in range(9)]
        await asyncio.sleep(0)
        assert await store.get("tea") is not None
        assert await store.list(10) == []
        assert not any(each.done() for each in writing)
        refused = await asyncio.gather(*writing, return_exceptions=True)
        # One after the other, each would have waited for a second of its own.
        assert time.monotonic() - began < 5
    for error in refused:
        assert isinstance(error, Busy)
        assert (error.detail_code, error.retry_after) == ("sessions_unavailable", 5.0)
    await store.put(record("after"))


async def test_a_glance_shows_what_another_process_stored(store: Store) -> None:
    assert await store.glance("tea") is None
    await store.put(record(title="Tea"))
    before = await store.glance("tea")
    assert before is not None
    assert before.about is not None
    assert (before.about.title, before.last, before.is_deleted) == ("Tea", NO_TURN, False)
    first = await store.add_turn("tea", turn(1))
    second = await store.add_turn("tea", turn(2))
    assert first is not None
    assert second is not None
    assert (first[0], second[0]) == (NO_TURN, first[1])
    # Who takes a running answer for interrupted stores it first.
    third = await store.add_turn("tea", turn(2, written="answer 2, to its end"))
    assert third is not None
    assert third[0] == second[1] != third[1]
    after = await store.glance("tea")
    assert after is not None
    assert after.last == third[1]
    await store.delete("tea")
    gone = await store.glance("tea")
    assert gone is not None
    assert gone.is_deleted
    assert await store.add_turn("tea", turn(3)) is None


async def test_two_tabs_see_what_the_other_stores(shared: Callable[[], Store]) -> None:
    one, two = shared(), shared()
    await said(one, "tea", 1)
    await two.add_turn("tea", turn(2))
    await one.add_turn("tea", turn(3))
    for store in (one, two):
        back = await store.get("tea")
        assert back is not None
        assert [each.id for each in back.turns] == ["turn-1", "turn-2", "turn-3"]
    await two.delete("tea")
    assert await one.get("tea") is None


async def test_a_stale_tab_takes_no_number_away(shared: Callable[[], Store]) -> None:
    one, two = shared(), shared()
    stale, session = record(mode="agent"), OpenSession(record(mode="agent"))
    answered(session, 1, range(1, 9))
    await kept(one, session)
    await two.put(stale)
    back = await one.get("tea")
    assert back is not None
    assert back.sources == session.record.sources


WRITER = """
import asyncio, sys
from pathlib import Path
from tests.assistant.conversations import turn
from citeseek.assistant.session import Record
from citeseek import Settings
from citeseek.conversations.store import open_store

async def main(name):
    store = open_store(Settings.load(config={}, agents={}))
    await store.put(Record(id="shared", created_at=1.0))
    await store.put(Record(id=name, created_at=1.0))
    for number in range(10):
        await store.add_turn("shared", turn(number, id=f"{name}-{number}"))
        await store.add_turn(name, turn(number))
    await store.close()

asyncio.run(main(sys.argv[1]))
"""


COUNT = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())"


async def test_a_process_that_ends_takes_nothing_from_those_that_go_on(
    opened: Open, path: Path
) -> None:
    """SQLite's locks are those of a process, and any closing of the file ends them."""
    store = opened()
    opened()
    await store.put(Record(id="mine", created_at=1.0))
    root = Path(__file__).parents[2]
    writer = [sys.executable, "-c", WRITER, "other"]
    env = {**os.environ, "CITESEEK_SESSIONS": str(path)}
    assert await (await asyncio.create_subprocess_exec(*writer, cwd=root, env=env)).wait() == 0
    await store.add_turn("mine", turn(1))
    counter = [sys.executable, "-c", COUNT, str(path), "SELECT count(*) FROM turns"]
    reader = await asyncio.create_subprocess_exec(*counter, stdout=asyncio.subprocess.PIPE)
    assert await reader.communicate() == (b"21\n", None)


async def test_processes_that_write_at_one_time_lose_nothing(
    shared: Callable[[], Store], place: dict[str, str]
) -> None:
    """They also make the file at one time."""
    names = ("one", "two", "three")
    writers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", WRITER, name),
            cwd=Path(__file__).parents[2],
            env={**os.environ, **place},
        )
        for name in names
    ]
    assert [await writer.wait() for writer in writers] == [0, 0, 0]
    store = shared()
    shared = await store.get("shared")
    assert shared is not None
    for name in names:
        mine = [each.id for each in shared.turns if each.id.startswith(f"{name}-")]
        assert mine == [f"{name}-{number}" for number in range(10)]
    assert {each.id: each.turns for each in await store.list(10)} == {
        "shared": 30,
        "one": 10,
        "two": 10,
        "three": 10,
    }


def test_many_may_make_the_file_at_one_time(tmp_path: Path) -> None:
    """SQLite refuses some of those who change the journal together, without waiting."""
    ready = threading.Barrier(8)

    def made(path: Path) -> None:
        ready.wait(10)
        sqlite_file.open_database(path).dispose()

    with ThreadPoolExecutor(8) as threads:
        for number in range(20):
            list(threads.map(made, [tmp_path / f"{number}.sqlite3"] * 8))


@pytest.mark.parametrize("last", [300, pytest.param(2000, marks=pytest.mark.release)])
async def test_the_last_turn_costs_what_the_10th_did(last: int, opened: Open, path: Path) -> None:
    """Counted in statements and in bytes written, each with a search that gives out 5 numbers."""
    store, session = opened(), OpenSession(record(mode="agent"))
    db, log = store._writer.driver, path.with_name(path.name + "-wal")
    costs: dict[int, tuple[int, int]] = {}
    for number in range(last + 1):
        answered(session, number, range(number * 5, number * 5 + 5))
        if number not in (10, last):
            await kept(store, session)
            continue
        change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        statements: list[str] = []
        await store._do(store._writer, partial(db.set_trace_callback, statements.append))
        await kept(store, session)
        await store._do(store._writer, partial(db.set_trace_callback, None))
        costs[number] = len(statements), log.stat().st_size
    assert costs[last][0] == costs[10][0] < 30
    # A deeper tree has a few pages more on the way to a leaf.
    assert costs[last][1] <= costs[10][1] + 8 * 4120
    assert costs[last][1] < 100_000
    back = await store.get("tea")
    assert back is not None
    assert (len(back.turns), len(back.sources)) == (last + 1, 5 * (last + 1))


@pytest.mark.parametrize("table", ["turns", "sources", "rounds", "sessions"])
@pytest.mark.parametrize("value", ['\'{"of": "another version"}\'', "x'ff00'", "'{'", "7"])
async def test_what_cannot_be_read_is_skipped_with_a_warning(
    table: str, value: str, opened: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, session = opened(), OpenSession(record(mode="agent"))
    for number in (1, 2):
        answered(session, number, range(number, number + 1))
        await kept(store, session)
    await said(store, "coffee", 1)
    change(path, f"UPDATE {table} SET value = {value} WHERE rowid = 1")  # noqa: S608
    back = await store.get("tea")
    if table == "turns":
        assert back is not None
        assert [each.id for each in back.turns] == ["turn-2"]
    else:
        assert back is None
    assert "is skipped" in caplog.text
    assert await store.get("coffee")


async def test_a_mode_of_a_later_version_is_left_out_of_the_list(
    opened: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = opened()
    await said(store, "tea", 1)
    await said(store, "coffee", 2)
    change(path, "UPDATE sessions SET mode = 'research' WHERE id = 'tea'")
    assert [each.id for each in await store.list(10)] == ["coffee"]
    assert "is skipped" in caplog.text


async def test_fields_of_a_later_version_do_no_harm(opened: Open, path: Path) -> None:
    store = opened()
    await said(store, "tea", 1)
    for table in ("sessions", "turns"):
        change(path, f"UPDATE {table} SET value = json_set(value, '$.mood', 'good')")  # noqa: S608
    back = await store.get("tea")
    assert back is not None
    assert back.turns == [turn(1, follows="")]


def unusable(path: Path, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason) as caught:
        SqliteStore(path)
    assert str(path) in caught.value.message
    assert "assistant.sessions" in caught.value.hint
    assert "CITESEEK_SESSIONS" in caught.value.hint


def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    content = "not a database, and longer than the header of one. " * 20
    path.write_text(content)
    unusable(path, "not a database")
    assert path.read_text() == content


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    unusable(tmp_path / "file" / "sessions.sqlite3", "cannot be used")
    unusable(tmp_path, "Is a directory")


def test_the_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite3"
    change(path, "CREATE TABLE theirs (x)", f"PRAGMA user_version = {VERSION}")
    path.chmod(0o644)
    unusable(path, "another program")
    assert path.stat().st_mode & 0o777 == 0o644
    assert not path.with_name(path.name + "-wal").exists()


def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "later.sqlite3"
    change(
        path,
        "CREATE TABLE later (x)",
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {VERSION + 1}",
    )
    unusable(path, "later version")


async def test_damage_that_shows_later_is_named_as_well(
    opened: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = opened()
    await said(store, "tea", 1)
    change(path, "DROP TABLE turns")
    with caplog.at_level("WARNING"), pytest.raises(CiteseekError, match="damaged") as caught:
        await store.get("tea")
    assert not caught.value.retryable
    # Who runs the server reads where it is; who asks it does not.
    assert str(path) in caplog.text
    assert str(path) not in str(caught.value)
    await store.put(record("coffee"))
    assert await store.list(5)


async def test_a_full_disk_is_named_and_what_was_kept_stays(opened: Open) -> None:
    store = opened()
    await said(store, "tea", 1)
    db = store._writer.driver
    (pages,) = await store._do(store._writer, lambda: db.execute("PRAGMA page_count").fetchone())
    await store._do(store._writer, lambda: db.execute(f"PRAGMA max_page_count = {pages}"))
    with pytest.raises(Busy, match="full") as caught:
        await store.add_turn("tea", turn(2, message="x" * 100_000))
    assert caught.value.retryable
    assert str(store._path) not in str(caught.value)
    await store._do(store._writer, lambda: db.execute(f"PRAGMA max_page_count = {pages + 100}"))
    await store.add_turn("tea", turn(3))
    back = await store.get("tea")
    assert back is not None
    assert [each.id for each in back.turns] == ["turn-1", "turn-3"]
    assert (await store.list(1))[0].turns == 2


async def test_nobody_else_may_read_the_file(opened: Open, path: Path) -> None:
    await said(opened(), "tea", 1)
    names = sorted(file.name for file in path.parent.iterdir())
    assert names == ["sessions.sqlite3", "sessions.sqlite3-shm", "sessions.sqlite3-wal"]
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(path: Path) -> None:
    for _ in range(2):
        asyncio.run(SqliteStore(path).close())
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o644)


async def test_a_store_may_be_closed_twice(store: Store) -> None:
    await store.close()
    await store.close()


@pytest.mark.parametrize("way", ["delete", "clear"])
async def test_what_is_deleted_leaves_the_disk(way: str, opened: Open, path: Path) -> None:
    store, secret = opened(), "a secret that nobody may read"
    await store.put(record(title=secret))
    for number in range(20):
        await store.add_turn("tea", turn(number, message=secret * 100))
    await getattr(store, way)("tea")
    await store.put(record("coffee"))
    assert not any(secret.encode() in file.read_bytes() for file in path.parent.iterdir())


async def test_memory_ends_with_the_store() -> None:
    store = MemoryStore()
    await said(store, "tea", 1)
    await store.close()
    other = MemoryStore()
    assert await other.get("tea") is None
    await other.close()


async def test_new_records_can_be_stored(store: Store) -> None:
    new = new_record(agent_id="a", mode="agent")
    await store.put(new)
    assert await store.get(new.id) == new


async def test_a_change_of_another_is_seen(shared: Callable[[], Store]) -> None:
    store, other = shared(), shared()
    before = await store.change()
    for change in (
        other.put(record()),
        other.add_turn("tea", turn(1)),
        other.rename("tea", "Tea"),
        other.delete("tea"),
    ):
        await change
        assert await store.change() != before
        before = await store.change()


async def test_a_change_is_seen_in_memory_as_well() -> None:
    store = MemoryStore()
    before = await store.change()
    assert await store.change() == before
    await store.put(new_record(mode="chat"))
    assert await store.change() != before
    await store.close()


async def test_conversations_are_found_by_all_that_was_said_in_them(store: Store) -> None:
    said = {
        "a": ("What is tea?", "A plant. 绿茶不发酵。"),
        "b": ("Answer me", 'He said "no way" \\ and left.'),
        "c": ("Coffee?", "Roasted beans."),
    }
    for at, (id_, (message, answer)) in enumerate(said.items(), 1):
        await store.put(Record(id=id_, created_at=float(at), title=f"Talk {id_.upper()}"))
        await store.add_turn(id_, turn(at, message=message, written=answer, answer=answer))

    async def found(text: str) -> list[tuple[str, str]]:
        return [
            (each.summary.id, each.excerpt.text if each.excerpt else "")
            for each in await store.search(text, 10)
        ]

    assert await found("TEA") == [("a", "What is tea?")]
    assert await found("不发酵") == [("a", "A plant. 绿茶不发酵。")]
    assert await found('"no way" \\') == [("b", 'He said "no way" \\ and left.')]
    assert await found("talk c") == [("c", "")]
    # Not in the names under which it is stored.
    assert await found("answer") == [("b", "Answer me")]
    assert await found("outcome") == []
    assert await found("%") == []


async def test_what_is_found_comes_in_pages_and_in_an_excerpt(store: Store) -> None:
    for number in range(1, 8):
        await store.put(Record(id=f"c{number}", created_at=float(number), title="Talk"))
        said = f"outcome {'word ' * 30}needle {number} {'word ' * 30}"
        answer = said if number % 2 else "outcome"
        # What is shown of it has no addresses.
        linked = answer.replace("needle", "[[1]](https://a.example/) needle")
        await store.add_turn(f"c{number}", turn(number, message="?", written=answer, answer=linked))
    first = await store.search("needle", 2)
    assert [each.summary.id for each in first] == ["c7", "c5"]
    excerpt = first[0].excerpt
    assert excerpt
    assert excerpt.text == f"…{'word ' * 4}needle 7 {'word ' * 10}word…"
    assert (excerpt.match, first[0].turn_id) == ("needle", "turn-7")
    rest = await store.search("needle", 10, first[-1].summary.place)
    assert [each.summary.id for each in rest] == ["c3", "c1"]


async def test_titles_and_versions_that_are_not_shown_are_searched(store: Store) -> None:
    await store.put(Record(id="c", created_at=1.0, title="What is tea?"))
    await store.add_turn("c", turn(1, message="What is tea?", written="A plant.", follows=""))
    await store.add_turn("c", turn(2, message="And cocoa?", written="Beans.", follows="turn-1"))
    await store.add_turn("c", turn(3, message="And coffee?", written="Berries.", follows="turn-1"))

    async def find(text: str) -> SessionFound:
        (found,) = await store.search(text, 10)
        return found

    # The question is the title: it is not said twice, and the turn that has it is known.
    titled = await find("TEA")
    assert titled.title == Mention("What is ", "tea", "?")
    assert (titled.excerpt, titled.turn_id) == (None, "turn-1")
    shown, other = await find("berries"), await find("beans")
    assert (shown.title, shown.excerpt, shown.turn_id) == (
        None,
        Mention("", "Berries", "."),
        "turn-3",
    )
    assert (other.title, other.excerpt, other.turn_id) == (
        None,
        Mention("", "Beans", "."),
        "turn-2",
    )
    await store.rename("c", "Drinks")
    summary = structs.replace(titled.summary, title="Drinks")
    assert await find("drinks") == SessionFound(summary=summary, title=Mention("", "Drinks", ""))
    assert (await find("tea")).excerpt == Mention("What is ", "tea", "?")


async def test_for_everybody_else_there_is_no_such_conversation(store: Store) -> None:
    mine = new_record()
    with acting_as(Person("alice", "member")):
        await store.put(mine)
        await store.add_turn(mine.id, turn(1))
        kept = await store.get(mine.id)
        assert kept is not None
    with acting_as(Person("bob", "member")):
        assert await store.get(mine.id) is None
        assert await store.list(9) == []
        assert await store.search(turn(1).message, 9) == []
        assert await store.count() == 0
        assert await store.rename(mine.id, "his") is False
        assert await store.delete(mine.id) is False
        assert await store.drop_turn(mine.id, turn(1).id) is False
        assert await store.amend(mine.id, turn(1, written="his")) is None
        assert await store.add_turn(mine.id, turn(2)) is None
        await store.put(Record(id=mine.id, created_at=1.0, mode="agent", title="his"))
        await store.show(mine.id, "")
        await store.clear(mine.id)
        await store.drop_empty(0)
        # The id is taken, by whomever.
        glance = await store.glance(mine.id)
        assert glance is not None
        assert glance.is_deleted
        assert glance.about is None
    with acting_as(Person("alice", "guest")):
        # It is the name that counts.
        assert await store.get(mine.id) == kept
        assert [each.id for each in await store.list(9)] == [mine.id]
        assert await store.count() == 1
        assert await store.delete(mine.id) is True
