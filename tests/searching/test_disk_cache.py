"""Answers in a file outlive the process that found them, and grow old there."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from citeseek.errors import InvalidInput
from citeseek.models import SearchItem, SearchResponse
from citeseek.query import DateRange, Query
from citeseek.searching import disk_cache
from citeseek.searching.disk_cache import FILE_NAME, DiskCache
from citeseek.searching.service import cache_key

NOON = 1_780_000_000.0
Open = Callable[..., DiskCache]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open the folder ``now`` seconds after noon, as often as wanted."""
    caches: list[DiskCache] = []

    def open_at(now: float = 0.0, *, folder: Path = tmp_path / "a" / "b") -> DiskCache:
        caches.append(DiskCache(folder, ttl=60, clock=lambda: NOON + now))
        return caches[-1]

    yield open_at
    for cache in caches:
        cache.close()


def answer(text: str = "茶", count: int = 5) -> SearchResponse:
    days = DateRange(date(2026, 1, 1), date(2026, 1, 31))
    item = SearchItem(title="茶", url="https://e.example/", provider="x", rank=1, engines=("a",))
    query = Query.of(text, count=count, freshness=days)
    return SearchResponse(query=query, provider="x", items=(item,), provider_meta={"latency_ms": 3})


def key_of(response: SearchResponse) -> object:
    return cache_key(("x",), response.query)


async def test_an_answer_survives_a_new_process(opened: Open) -> None:
    await opened().put(key_of(answer()), answer())
    assert await opened().get(key_of(answer())) == answer()


@pytest.mark.parametrize("other", [answer("水"), answer(count=3)], ids=["text", "count"])
async def test_another_question_is_not_answered(opened: Open, other: SearchResponse) -> None:
    cache = opened()
    await cache.put(key_of(answer()), answer())
    assert await cache.get(key_of(other)) is None
    await cache.put(key_of(other), other)
    assert await cache.get(key_of(other)) == other
    assert await cache.get(key_of(answer())) == answer()


@pytest.mark.parametrize(("age", "kept"), [(0, True), (59, True), (60, False), (3600, False)])
async def test_an_answer_is_kept_for_its_time_to_live(
    opened: Open, age: float, *, kept: bool
) -> None:
    early, late = opened(0), opened(age)
    await early.put("tea", answer())
    assert (await late.get("tea") is not None) is kept


async def test_a_new_answer_takes_the_place_of_the_old(opened: Open) -> None:
    await opened(0).put("tea", answer("old"))
    await opened(50).put("tea", answer("new"))
    assert await opened(100).get("tea") == answer("new")


async def test_old_answers_leave_the_file_when_it_is_opened(opened: Open, tmp_path: Path) -> None:
    await opened(0, folder=tmp_path).put("tea", answer())
    assert await opened(61, folder=tmp_path).get("another") is None
    with sqlite3.connect(tmp_path / FILE_NAME) as file:
        assert file.execute("SELECT count(*) FROM answers").fetchone() == (0,)
    file.close()


async def test_the_oldest_answers_go_when_the_file_is_full(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "MAX_ENTRIES", 2)
    for now, key in enumerate("abc"):
        await opened(now).put(key, answer(key))
    last = opened(3)
    assert [await last.get(key) is not None for key in "abc"] == [False, True, True]


async def test_an_answer_that_cannot_be_read_is_a_miss(opened: Open, tmp_path: Path) -> None:
    """As after an update that gave answers another shape."""
    cache = opened(folder=tmp_path)
    await cache.put("tea", answer())
    with sqlite3.connect(tmp_path / FILE_NAME) as file:
        file.execute("""UPDATE answers SET response = '{"shape": "of another version"}'""")
    file.close()
    assert await cache.get("tea") is None


def test_a_folder_that_cannot_be_made_is_invalid_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "cache"
    with pytest.raises(InvalidInput, match="cannot be written to") as caught:
        DiskCache(folder, ttl=60)
    assert str(folder) in caught.value.message
    assert "CITESEEK_CACHE_DIR" in caught.value.hint


async def test_a_damaged_file_is_made_anew_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE_NAME).write_text("not a database, and longer than the header of one. " * 20)
    cache = DiskCache(tmp_path, ttl=60)
    assert await cache.get("tea") is None
    cache.close()
    assert "damaged" in caplog.text


async def test_loops_in_different_threads_share_one(opened: Open) -> None:
    cache = opened()

    async def use(name: str) -> int:
        for number in range(50):
            await cache.put(f"{name} {number}", answer(name))
        return sum([await cache.get(f"{name} {number}") is not None for number in range(50)])

    loops = [asyncio.to_thread(lambda name=name: asyncio.run(use(name))) for name in "abc"]
    assert await asyncio.gather(*loops) == [50, 50, 50]
    assert await cache.get("a 1") == answer("a")


async def test_another_thread_may_close_it_while_it_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = DiskCache(tmp_path, ttl=60)
    await cache.put("tea", answer())
    begun = threading.Event()

    async def use() -> None:
        while await cache.get("tea") is not None:
            begun.set()

    using = asyncio.create_task(asyncio.to_thread(asyncio.run, use()))
    assert await asyncio.to_thread(begun.wait, 10)
    cache.close()
    await using
    await cache.put("tea", answer())
    assert "closed database" in caplog.text


def rows(folder: Path) -> int:
    file = sqlite3.connect(folder / FILE_NAME)
    count: int = file.execute("SELECT count(*) FROM answers").fetchone()[0]
    file.close()
    return count


async def test_it_never_holds_more_than_its_entries(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "MAX_ENTRIES", 10)
    cache = opened(folder=tmp_path)
    for number in range(50):
        await cache.put(f"tea {number}", answer())
        assert rows(tmp_path) == min(number + 1, 10)


async def test_expired_answers_leave_the_file_while_it_is_used(
    tmp_path: Path,
) -> None:
    now = [NOON]
    cache = DiskCache(tmp_path, ttl=60, clock=lambda: now[0])
    for number in range(5):
        await cache.put(f"tea {number}", answer())
    now[0] += 60
    await cache.put("late", answer())
    assert rows(tmp_path) == 1
    cache.close()


async def test_a_cache_of_a_shorter_time_to_live_leaves_anothers_answers(
    tmp_path: Path,
) -> None:
    now = [NOON]
    long, short = (DiskCache(tmp_path, ttl=ttl, clock=lambda: now[0]) for ttl in (3600, 60))
    await long.put("tea", answer("tea"))
    await long.put("water", answer("water"))
    now[0] += 30
    await short.put("water", answer("fresh water"))
    now[0] += 600
    await short.put("milk", answer("milk"))
    assert [await short.get(key) for key in ("tea", "water")] == [None, None]
    assert await long.get("tea") == answer("tea")
    assert await long.get("water") == answer("fresh water")
    for cache in (long, short):
        cache.close()


async def test_an_answer_from_the_future_is_stale(opened: Open, tmp_path: Path) -> None:
    await opened(365 * 86_400, folder=tmp_path).put("tea", answer())
    now = opened(0, folder=tmp_path)
    assert await now.get("tea") is None
    await now.put("water", answer("water"))
    assert rows(tmp_path) == 1


@pytest.mark.release
async def test_while_another_process_holds_the_file_nothing_is_found_and_nobody_waits(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = DiskCache(tmp_path, ttl=60)
    await cache.put("tea", answer())
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        await asyncio.gather(*(cache.put(f"tea {number}", answer()) for number in range(200)))
        await asyncio.gather(*(cache.get(f"tea {number}") for number in range(200)))
        assert time.monotonic() - began < 20
        assert len(caplog.messages) == 1
        holder.execute("ROLLBACK")
    cache.close()


async def test_a_file_that_is_held_at_the_start_is_opened_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "PAUSE_SECONDS", 0.0)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        cache = DiskCache(tmp_path, ttl=60)
        await cache.put("tea", answer())
        assert await cache.get("tea") is None
        holder.execute("ROLLBACK")
        await cache.put("tea", answer())
        assert await cache.get("tea") == answer()
    cache.close()


async def test_the_loop_goes_on_while_sqlite_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "BUSY_SECONDS", 0.3)
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.01)
            turns += 1

    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        cache = DiskCache(tmp_path, ttl=60)
        turning = asyncio.create_task(turn())
        await cache.put("tea", answer())
        turning.cancel()
        holder.execute("ROLLBACK")
    assert turns >= 3
    cache.close()


async def test_answers_of_another_version_are_forgotten(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        file.execute("CREATE TABLE answers (key TEXT PRIMARY KEY, stored_at REAL, response BLOB)")
        file.commit()
    cache = DiskCache(tmp_path, ttl=60)
    await cache.put("tea", answer())
    assert await cache.get("tea") == answer()
    cache.close()
