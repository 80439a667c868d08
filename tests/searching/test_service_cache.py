"""The one search service: what it keeps, and searches that share an answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

import pytest
from tests.shelf import RESULT, Shelf, in_turn

from citeseek.errors import NetworkError, Timeout
from citeseek.http import Transports
from citeseek.models import SearchResponse
from citeseek.query import Query
from citeseek.searching.cache import Cache, MemoryCache, NoCache, session_cache
from citeseek.searching.runner import Runner
from citeseek.searching.service import Service, cache_key

TEA = Query.of("tea")
NO_CACHE = NoCache()


@pytest.fixture
def service() -> Service:
    return Service(Runner(Transports()))


async def ask(
    service: Service, *engines: Shelf, cache: Cache, query: Query = TEA
) -> SearchResponse:
    return await service.search(query, in_turn(*engines), cache=cache)


@pytest.mark.requirement("S1-150", "S1-151", "S1-152")
async def test_a_repeat_is_answered_from_the_cache(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    shelf, cache = Shelf(), session_cache()
    first = await ask(service, shelf, cache=cache)
    second = await ask(service, shelf, cache=cache)
    assert len(shelf.calls) == 1
    assert second.items == first.items
    assert (first.cached, second.cached, second.took_ms) == (False, True, 0)
    assert any("cache hit" in line and "tea" in line for line in caplog.messages)


@pytest.mark.parametrize(
    "other",
    [
        Query.of("Tea"),
        Query.of("tea", count=3),
        Query.of("tea", category="news"),
        Query.of("tea", page=2),
        Query.of("tea", language="zh"),
        Query.of("tea", country="cn"),
        Query.of("tea", freshness="day"),
        Query.of("tea", safesearch="off"),
        Query.of("tea", site="e.example"),
    ],
    ids=[
        "text",
        "count",
        "category",
        "page",
        "language",
        "country",
        "freshness",
        "safesearch",
        "site",
    ],
)
@pytest.mark.requirement("P6", "S2-37", "S2-38")
async def test_another_query_is_another_key(service: Service, other: Query) -> None:
    assert cache_key([["one"]], other) != cache_key([["one"]], TEA)
    shelf, cache = Shelf(), session_cache()
    await ask(service, shelf, cache=cache)
    assert not (await ask(service, shelf, query=other, cache=cache)).cached


@pytest.mark.parametrize("others", [[["two"]], [["one", "two"]], [["one"], ["two"]], [["on", "e"]]])
@pytest.mark.requirement("P6")
def test_other_engines_are_another_key(others: list[list[str]]) -> None:
    assert cache_key(others, TEA) != cache_key([["one"]], TEA)


@pytest.mark.requirement("P6")
def test_the_same_question_is_the_same_key() -> None:
    assert cache_key([["one"]], TEA) == cache_key([("one",)], Query.of("  tea\n"))
    assert hash(cache_key([["one"]], TEA)) == hash(cache_key([["one"]], Query.of("tea")))


@pytest.mark.requirement("S1-148")
async def test_a_key_of_the_callers_own_stands_for_the_query(service: Service) -> None:
    shelf, cache = Shelf(), session_cache()
    await service.search(TEA, in_turn(shelf), cache=cache, key="tea")
    again = await service.search(Query.of("tea", count=3), in_turn(shelf), cache=cache, key="tea")
    assert again.cached
    assert len(cache) == 1


@pytest.mark.requirement("P6")
async def test_a_failure_is_never_stored(service: Service) -> None:
    shelf, cache = Shelf(NetworkError("Refused.")), session_cache()
    with pytest.raises(NetworkError):
        await ask(service, shelf, cache=cache)
    assert len(cache) == 0
    shelf.outcome = [RESULT]
    assert (await ask(service, shelf, cache=cache)).count == 1


@pytest.mark.requirement("P6")
async def test_an_answer_beside_a_failure_is_not_stored(service: Service) -> None:
    first, second, cache = Shelf(Timeout("Late.")), Shelf(), session_cache()
    await ask(service, first, second, cache=cache)
    first.outcome = [RESULT]
    again = await ask(service, first, second, cache=cache)
    assert (again.provider, again.cached) == ("one", False)


@pytest.mark.requirement("P6")
async def test_nothing_found_may_be_stored(service: Service) -> None:
    shelf, cache = Shelf([]), session_cache()
    await ask(service, shelf, cache=cache)
    assert (await ask(service, shelf, cache=cache)).cached
    assert len(shelf.calls) == 1


async def asked_at_once(
    service: Service, shelf: Shelf, *caches: Cache, limits: Sequence[float] = ()
) -> list[SearchResponse | BaseException]:
    """Ask once for each cache while the engine is held, then let it answer."""
    shelf.open.clear()
    tasks = [
        asyncio.create_task(service.search(TEA, in_turn(shelf, seconds=seconds), cache=cache))
        for cache, seconds in zip(caches, limits or [5] * len(caches), strict=True)
    ]
    async with asyncio.timeout(60):
        await shelf.called.wait()
    for _ in range(5):
        await asyncio.sleep(0)
    shelf.open.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize("cache", [NoCache, session_cache, lambda: MemoryCache(9, ttl=60)])
async def test_equal_searches_at_once_are_one_call(
    service: Service, cache: Callable[[], Cache]
) -> None:
    shelf, shared = Shelf(), cache()
    answers = await asked_at_once(service, shelf, *[shared] * 5)
    assert len(shelf.calls) == 1
    assert [response.count for response in answers] == [1] * 5  # type: ignore[union-attr]


async def test_equal_searches_at_once_share_a_failure(service: Service) -> None:
    shelf = Shelf(NetworkError("Refused."))
    ended = await asked_at_once(service, shelf, *[NO_CACHE] * 3)
    assert [type(error) for error in ended] == [NetworkError] * 3
    assert len(shelf.calls) == 1


async def test_nobody_shares_the_limit_of_a_more_impatient_caller(service: Service) -> None:
    shelf = Shelf()
    await asked_at_once(service, shelf, NO_CACHE, NO_CACHE, limits=[5, 6])
    assert len(shelf.calls) == 2


@pytest.mark.requirement("S1-146")
async def test_sessions_that_search_at_once_each_keep_the_answer(service: Service) -> None:
    shelf, mine, yours = Shelf(), session_cache(), session_cache()
    await asked_at_once(service, shelf, mine, yours)
    assert (await ask(service, shelf, cache=mine)).cached
    assert (await ask(service, shelf, cache=yours)).cached
