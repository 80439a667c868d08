"""Answers in a file outlive the process that found them, and grow old there."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from citeseek import disk_cache
from citeseek.disk_cache import FILE_NAME, DiskCache
from citeseek.errors import InvalidInput
from citeseek.models import SearchItem, SearchResponse
from citeseek.query import DateRange, Query
from citeseek.service import cache_key

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
    opened(61, folder=tmp_path)
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
