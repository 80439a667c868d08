"""The one search service: cache, single flight, and the chain of engines that may answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from citeseek.cache import Cache, MemoryCache, NoCache, session_cache
from citeseek.engine import EngineOptions
from citeseek.errors import (
    AuthError,
    BadGateway,
    NetworkError,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
    WebProviderError,
)
from citeseek.http import Transports
from citeseek.models import SearchResponse
from citeseek.query import Query
from citeseek.runner import Route, Runner
from citeseek.service import Candidate, Service, cache_key

TEA = Query.of("tea")
NO_CACHE = NoCache()
RESULT = {"title": "Tea", "url": "https://e.example/", "snippet": "A leaf."}


class Shelf:
    """An engine that gives ``outcome``, once ``open`` is set, and counts its calls."""

    id = "shelf"

    def __init__(self, outcome: list[Any] | Exception | None = None) -> None:
        self.outcome: list[Any] | Exception = [RESULT] if outcome is None else outcome
        self.calls: list[tuple[str, int]] = []
        self.called = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    async def search(self, query: str, num_results: int) -> Sequence[object]:
        self.calls.append((query, num_results))
        self.called.set()
        await self.open.wait()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.fixture
def service() -> Service:
    return Service(Runner(Transports()))


def chain(*engines: Shelf, seconds: float = 5) -> list[Candidate]:
    """Return a chain whose engines are asked as one, two, …."""
    names = ("one", "two", "three")[: len(engines)]
    route = Route(options=EngineOptions())
    return [
        Candidate(name, engine, route, seconds) for name, engine in zip(names, engines, strict=True)
    ]


async def ask(
    service: Service, *engines: Shelf, query: Query = TEA, cache: Cache = NO_CACHE
) -> SearchResponse:
    return await service.search(query, chain(*engines), cache=cache)


async def test_s4_29_s3_5_a_plain_engine_answers_under_the_name_that_was_asked(
    service: Service,
) -> None:
    shelf = Shelf()
    response = await ask(service, shelf)
    (item,) = response.items
    assert (item.title, item.url, item.snippet) == ("Tea", "https://e.example/", "A leaf.")
    assert (item.provider, item.rank, response.provider) == ("one", 1, "one")
    assert (response.query, response.cached, response.errors) == (TEA, False, ())
    assert response.provider_meta["provider_name"] == "one"
    assert shelf.calls == [("tea", 10)]


async def test_s3_3_s3_6_unusable_and_repeated_results_leave_no_gap_in_the_ranks(
    service: Service,
) -> None:
    urls = ["https://a.example/", None, 5, "ftp://x.example/", "http://www.a.example", "", "//b/c"]
    shelf = Shelf(
        [{"title": str(url), "url": url, "rank": 7} for url in [*urls, "https://c.example"]]
    )
    response = await ask(service, shelf)
    assert [(item.rank, item.url) for item in response.items] == [
        (1, "https://a.example/"),
        (2, "https://c.example"),
    ]


async def test_no_more_items_than_were_asked_for(service: Service) -> None:
    shelf = Shelf([{**RESULT, "url": f"https://e.example/{number}"} for number in range(20)])
    assert (await ask(service, shelf, query=Query.of("tea", count=5))).count == 5


@pytest.mark.parametrize(
    "error",
    [
        Timeout("Late."),
        NetworkError("Refused."),
        BadGateway("Down."),
        WebBlocked("Too many.", detail_code="http_429"),
    ],
    ids=lambda error: error.error_code,
)
async def test_the_next_engine_answers_after_a_failure_that_may_pass(
    service: Service, error: SearchFailed
) -> None:
    first, second = Shelf(error), Shelf()
    response = await ask(service, first, second)
    assert response.provider == "two"
    (failure,) = response.errors
    assert (failure.engine, failure.type, failure.retryable) == ("one", error.error_code, True)
    assert len(first.calls) == len(second.calls) == 1


@pytest.mark.parametrize(
    "error",
    [
        WebBlocked("CAPTCHA.", detail_code="captcha_required"),
        WebBlocked("Refused.", detail_code="http_403"),
        AuthError("No key."),
        WebParseError("Drift."),
        RuntimeError("a bug"),
    ],
    ids=lambda error: f"{type(error).__name__} {getattr(error, 'detail_code', '')}",
)
async def test_p30_every_other_failure_ends_the_search(service: Service, error: Exception) -> None:
    second = Shelf()
    with pytest.raises(SearchFailed) as caught:
        await ask(service, Shelf(error), second)
    assert caught.value.engine == "one"
    assert second.calls == []


async def test_an_honest_nothing_found_is_an_answer(service: Service) -> None:
    second = Shelf()
    response = await ask(service, Shelf([]), second)
    assert (response.provider, response.items) == ("one", ())
    assert second.calls == []


async def test_when_all_fail_the_last_failure_knows_the_earlier_ones(service: Service) -> None:
    engines = Shelf(Timeout("Late.")), Shelf(NetworkError("Refused.")), Shelf(BadGateway("Down."))
    with pytest.raises(BadGateway) as caught:
        await ask(service, *engines)
    assert caught.value.engine == "three"
    assert [(error.engine, error.error_code) for error in caught.value.earlier] == [
        ("one", "Timeout"),
        ("two", "NetworkError"),
    ]


async def test_an_empty_chain_is_a_mistake_of_the_program(service: Service) -> None:
    with pytest.raises(ValueError, match="at least one engine"):
        await ask(service)


async def test_s3_37_an_unexpected_exception_is_a_provider_error_cut_short(
    service: Service,
) -> None:
    with pytest.raises(WebProviderError) as caught:
        await ask(service, Shelf(RuntimeError("boom " * 1000)))
    assert "RuntimeError" in caught.value.message
    assert len(caught.value.message) < 300


async def test_s3_39_s4_42_a_late_engine_is_a_timeout_that_names_the_limit(
    service: Service,
) -> None:
    shelf = Shelf()
    shelf.open.clear()
    with pytest.raises(Timeout, match=r"0\.01 s.*搜索超时"):
        await service.search(TEA, chain(shelf, seconds=0.01), cache=NO_CACHE)


async def test_s1_70_a_failure_is_logged_with_its_code(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "citeseek.service")
    with pytest.raises(SearchFailed):
        await ask(service, Shelf(NetworkError("Refused.")))
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert all(part in record.getMessage() for part in ("NetworkError", "one", "Refused."))


async def test_p12_cancellation_passes_through_to_the_engine(service: Service) -> None:
    ended = asyncio.Event()

    class Waiting(Shelf):
        async def search(self, *_: object) -> Sequence[object]:
            self.called.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return []

    shelf = Waiting()
    task = asyncio.create_task(ask(service, shelf))
    await shelf.called.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_s1_150_s1_151_s1_152_a_repeat_is_answered_from_the_cache(
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
        Query.of("tea", page=2),
        Query.of("tea", language="zh"),
        Query.of("tea", country="cn"),
        Query.of("tea", freshness="day"),
        Query.of("tea", safesearch="off"),
        Query.of("tea", site="e.example"),
    ],
    ids=["text", "count", "page", "language", "country", "freshness", "safesearch", "site"],
)
async def test_p6_s2_37_s2_38_another_query_is_another_key(service: Service, other: Query) -> None:
    assert cache_key(("one",), other) != cache_key(("one",), TEA)
    shelf, cache = Shelf(), session_cache()
    await ask(service, shelf, cache=cache)
    assert not (await ask(service, shelf, query=other, cache=cache)).cached


def test_p6_another_engine_is_another_key() -> None:
    assert cache_key(("one",), TEA) != cache_key(("two",), TEA)
    assert cache_key(("one",), TEA) == cache_key(("one",), Query.of("  tea\n"))


async def test_s1_148_a_key_of_the_callers_own_stands_for_the_query(service: Service) -> None:
    shelf, cache = Shelf(), session_cache()
    await service.search(TEA, chain(shelf), cache=cache, key="tea")
    again = await service.search(Query.of("tea", count=3), chain(shelf), cache=cache, key="tea")
    assert again.cached
    assert len(cache) == 1


async def test_p6_a_failure_is_never_stored(service: Service) -> None:
    shelf, cache = Shelf(NetworkError("Refused.")), session_cache()
    with pytest.raises(NetworkError):
        await ask(service, shelf, cache=cache)
    assert len(cache) == 0
    shelf.outcome = [RESULT]
    assert (await ask(service, shelf, cache=cache)).count == 1


async def test_p6_an_answer_beside_a_failure_is_not_stored(service: Service) -> None:
    first, second, cache = Shelf(Timeout("Late.")), Shelf(), session_cache()
    await ask(service, first, second, cache=cache)
    first.outcome = [RESULT]
    again = await ask(service, first, second, cache=cache)
    assert (again.provider, again.cached) == ("one", False)


async def test_p6_nothing_found_may_be_stored(service: Service) -> None:
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
        asyncio.create_task(service.search(TEA, chain(shelf, seconds=seconds), cache=cache))
        for cache, seconds in zip(caches, limits or [5] * len(caches), strict=True)
    ]
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


async def test_s1_146_sessions_that_search_at_once_each_keep_the_answer(service: Service) -> None:
    shelf, mine, yours = Shelf(), session_cache(), session_cache()
    await asked_at_once(service, shelf, mine, yours)
    assert (await ask(service, shelf, cache=mine)).cached
    assert (await ask(service, shelf, cache=yours)).cached
