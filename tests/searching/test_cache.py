"""Caches forget by use and by age, and equal questions asked at one time share a search."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from citeseek.concurrency.single_flight import SingleFlight
from citeseek.errors import Timeout
from citeseek.models import SearchResponse
from citeseek.query import Query
from citeseek.searching.cache import PROCESS_ENTRIES, MemoryCache, NoCache, session_cache

DAY = 86_400.0
MINUTE = 60.0


class Clock:
    """Seconds that pass when the test says so."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def answer(text: str) -> SearchResponse:
    return SearchResponse(query=Query.of(text), provider="stub", items=())


async def fill(cache: MemoryCache, *keys: str) -> None:
    for key in keys:
        await cache.put(key, answer(key))


@pytest.mark.requirement("S1-148")
async def test_the_key_tells_answers_apart() -> None:
    cache = session_cache()
    await fill(cache, "tea", "coffee")
    assert await cache.get("tea") == answer("tea")
    assert await cache.get("coffee") == answer("coffee")
    assert await cache.get("water") is None


@pytest.mark.requirement("S1-156")
async def test_the_least_recently_used_of_21_answers_goes() -> None:
    cache = session_cache()
    await fill(cache, *(f"q{number}" for number in range(1, 21)))
    assert await cache.get("q1")
    await fill(cache, "q21")
    assert await cache.get("q2") is None
    assert await cache.get("q1")
    assert await cache.get("q21")


@pytest.mark.requirement("S1-157", "S1-158")
async def test_a_session_keeps_20_answers() -> None:
    cache = session_cache()
    for number in range(1000):
        await fill(cache, f"q{number}")
        assert len(cache) == min(number + 1, 20)


@pytest.mark.requirement("S1-149")
async def test_without_a_time_to_live_age_does_not_matter() -> None:
    clock = Clock()
    cache = MemoryCache(20, clock=clock)
    await fill(cache, "tea")
    clock.now += DAY
    assert await cache.get("tea")


@pytest.mark.requirement("S1-153", "S1-154", "S1-155")
async def test_sessions_share_nothing_and_end_empty() -> None:
    mine, yours = session_cache(), session_cache()
    await fill(mine, "tea")
    assert await yours.get("tea") is None
    mine.close()
    assert len(mine) == 0
    assert await mine.get("tea") is None


@pytest.mark.requirement("S2-11")
async def test_an_answer_of_4_59_is_kept_and_one_of_5_01_is_not() -> None:
    clock = Clock()
    cache = MemoryCache(PROCESS_ENTRIES, ttl=5 * MINUTE, clock=clock)
    await fill(cache, "tea")
    clock.now += 5 * MINUTE - 1
    assert await cache.get("tea")
    clock.now += 2
    assert await cache.get("tea") is None


async def test_being_read_makes_an_answer_no_younger() -> None:
    clock = Clock()
    cache = MemoryCache(PROCESS_ENTRIES, ttl=MINUTE, clock=clock)
    await fill(cache, "tea")
    clock.now += 50
    assert await cache.get("tea")
    clock.now += 50
    assert await cache.get("tea") is None


async def test_a_cache_with_a_time_to_live_is_bounded_as_well() -> None:
    cache = MemoryCache(2, ttl=MINUTE, clock=Clock())
    await fill(cache, "a", "b")
    assert await cache.get("a")
    await fill(cache, "c")
    assert [await cache.get(key) is not None for key in "abc"] == [True, False, True]


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Let threads interrupt each other as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("impatient_threads")
@pytest.mark.parametrize("ttl", [None, DAY], ids=["by use", "by age"])
def test_loops_in_several_threads_may_share_a_cache(ttl: float | None) -> None:
    cache, tea = MemoryCache(8, ttl=ttl), answer("tea")

    async def use(thread: int) -> None:
        for number in range(5000):
            await cache.put((7 * thread + number) % 24, tea)
            await cache.get(5 * number % 24)
            assert len(cache) <= 8
            if number % 500 == 0:
                cache.close()

    with ThreadPoolExecutor(3) as threads:
        running = [threads.submit(asyncio.run, use(thread)) for thread in range(3)]
    for thread in running:
        thread.result()


async def test_no_cache_keeps_nothing() -> None:
    cache = NoCache()
    await cache.put("tea", answer("tea"))
    assert await cache.get("tea") is None


class Search:
    """A search that counts its calls and ends when ``done`` is set."""

    def __init__(self, outcome: SearchResponse | Exception) -> None:
        self.outcome = outcome
        self.calls = 0
        self.started = asyncio.Event()
        self.done = asyncio.Event()

    async def __call__(self) -> SearchResponse:
        self.calls += 1
        self.started.set()
        await self.done.wait()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


async def start(
    flights: SingleFlight, search: Callable[[], Awaitable[SearchResponse]], *keys: str
) -> list[asyncio.Task[SearchResponse]]:
    """Start a caller for each key, until all of them wait."""
    tasks = [asyncio.create_task(flights.run(key, search)) for key in keys]
    await everybody_waits()
    return tasks


async def everybody_waits() -> None:
    """Let every task run until it waits for something."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_equal_questions_share_one_answer() -> None:
    flights, search = SingleFlight(), Search(answer("tea"))
    tasks = await start(flights, search, "tea", "tea", "tea")
    search.done.set()
    assert await asyncio.gather(*tasks) == [answer("tea")] * 3
    assert search.calls == 1


async def test_different_questions_share_nothing() -> None:
    flights, search = SingleFlight(), Search(answer("tea"))
    tasks = await start(flights, search, "tea", "coffee")
    search.done.set()
    await asyncio.gather(*tasks)
    assert search.calls == 2


async def test_equal_questions_share_one_error() -> None:
    flights, error = SingleFlight(), Timeout("Late.")
    search = Search(error)
    tasks = await start(flights, search, "tea", "tea")
    search.done.set()
    assert await asyncio.gather(*tasks, return_exceptions=True) == [error, error]
    assert search.calls == 1


@pytest.mark.parametrize("outcome", [answer("tea"), Timeout("Late.")], ids=["answer", "error"])
async def test_what_was_shared_is_over_when_it_ended(outcome: SearchResponse | Exception) -> None:
    flights, search = SingleFlight(), Search(outcome)
    search.done.set()
    for _ in range(2):
        await asyncio.gather(flights.run("tea", search), return_exceptions=True)
    assert search.calls == 2


async def test_when_the_first_caller_is_cancelled_one_other_searches() -> None:
    flights, search = SingleFlight(), Search(answer("tea"))
    first, *others = await start(flights, search, "tea", "tea", "tea")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await everybody_waits()
    search.done.set()
    assert await asyncio.gather(*others) == [answer("tea")] * 2
    assert search.calls == 2


async def test_a_caller_who_waits_can_be_cancelled_alone() -> None:
    flights, search = SingleFlight(), Search(answer("tea"))
    first, second = await start(flights, search, "tea", "tea")
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    search.done.set()
    assert await first == answer("tea")
    assert search.calls == 1


async def test_all_callers_can_be_cancelled_at_once() -> None:
    flights, search = SingleFlight(), Search(answer("tea"))
    tasks = await start(flights, search, "tea", "tea", "tea")
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in ended] == [asyncio.CancelledError] * 3
    assert search.calls == 1


async def test_a_caller_who_waits_keeps_its_own_deadline() -> None:
    flights, search = SingleFlight(), Search(answer("tea"))
    (first,) = await start(flights, search, "tea")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await flights.run("tea", search)
    search.done.set()
    assert await first == answer("tea")
