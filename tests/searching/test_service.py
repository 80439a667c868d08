"""The one search service: engines one after the other and side by side, and their failures."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time

import pytest
from tests.conftest import settings
from tests.shelf import RESULT, Shelf, in_turn, together

from citeseek import Client
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
from citeseek.searching.cache import NoCache
from citeseek.searching.runner import Runner
from citeseek.searching.service import Service

TEA = Query.of("tea")


@pytest.fixture
def service() -> Service:
    return Service(Runner(Transports()))


async def ask(service: Service, *engines: Shelf, query: Query = TEA) -> SearchResponse:
    return await service.search(query, in_turn(*engines), cache=NoCache())


@pytest.mark.requirement("S4-29", "S3-5")
async def test_a_plain_engine_answers_under_the_name_that_was_asked(
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


@pytest.mark.requirement("S3-3", "S3-6")
async def test_unusable_and_repeated_results_leave_no_gap_in_the_ranks(
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
        WebBlocked("CAPTCHA.", detail_code="captcha_required"),
        WebParseError("Drift."),
    ],
    ids=lambda error: f"{error.error_code} {error.detail_code}",
)
async def test_the_next_engine_answers_where_another_may(
    service: Service, error: SearchFailed
) -> None:
    first, second = Shelf(error, id="first"), Shelf(id="second")
    response = await ask(service, first, second)
    assert response.provider == "two"
    (failure,) = response.errors
    assert (failure.engine, failure.type) == ("one", error.error_code)
    assert (failure.detail_code, failure.retryable) == (error.detail_code, error.retryable)
    assert len(first.calls) == len(second.calls) == 1


@pytest.mark.parametrize(
    ("error", "kind"),
    [(AuthError("No key."), AuthError), (RuntimeError("a bug"), WebProviderError)],
    ids=["AuthError", "RuntimeError"],
)
async def test_a_failure_that_someone_must_mend_ends_the_search(
    service: Service, error: Exception, kind: type[SearchFailed]
) -> None:
    second = Shelf()
    with pytest.raises(kind) as caught:
        await ask(service, Shelf(error), second)
    assert caught.value.engine == "one"
    assert second.calls == []


async def test_a_missing_key_beside_an_engine_that_is_down_leaves_the_fallback(
    service: Service,
) -> None:
    down, keyless, fallback = Shelf(NetworkError("Refused.")), Shelf(AuthError("No key.")), Shelf()
    one, two, three = together(down, keyless, fallback)
    response = await service.search(TEA, [(one, two), (three,)], cache=NoCache())
    assert response.provider == "three"
    assert {failure.engine for failure in response.errors} == {"one", "two"}


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


async def test_engines_of_one_group_are_asked_at_the_same_time(service: Service) -> None:
    first, second = Shelf(), Shelf([{**RESULT, "url": "https://f.example/"}])
    first.open.clear()
    task = asyncio.create_task(service.search(TEA, [together(first, second)], cache=NoCache()))
    await second.ended.wait()
    first.open.set()
    response = await task
    assert (response.provider, response.errors) == ("one+two", ())
    assert {item.url for item in response.items} == {"https://e.example/", "https://f.example/"}


async def test_a_failure_beside_an_answer_is_named_and_asks_nobody_else(service: Service) -> None:
    group, spare = together(Shelf(AuthError("No key.")), Shelf()), Shelf()
    response = await service.search(TEA, [group, *in_turn(spare)], cache=NoCache())
    assert response.provider == "two"
    assert [(failure.engine, failure.type) for failure in response.errors] == [("one", "AuthError")]
    assert spare.calls == []


@pytest.mark.requirement("S3-37")
async def test_an_unexpected_exception_is_a_provider_error_cut_short(
    service: Service,
) -> None:
    with pytest.raises(WebProviderError) as caught:
        await ask(service, Shelf(RuntimeError("boom " * 1000)))
    assert "RuntimeError" in caught.value.message
    assert len(caught.value.message) < 300


@pytest.mark.requirement("S3-39", "S4-42")
async def test_a_late_engine_is_a_timeout_that_names_the_limit(
    service: Service,
) -> None:
    shelf = Shelf()
    shelf.open.clear()
    with pytest.raises(Timeout, match=r"No complete answer within 0\.01 s"):
        await service.search(TEA, in_turn(shelf, seconds=0.01), cache=NoCache())


@pytest.mark.requirement("P4")
async def test_the_deadline_is_that_of_the_whole_call_whoever_is_asked_in_it() -> None:
    engines = [Shelf(id="one"), Shelf(id="two"), Shelf(id="three")]
    for engine in engines:
        engine.open.clear()
    chosen = settings({"search": {"engine": "one", "fallback": ["two", "three"]}})
    async with Client(chosen, engines=engines) as client:
        began = time.perf_counter()
        with pytest.raises(SearchFailed):
            await client.search("tea", seconds=1)
        took = time.perf_counter() - began
    assert took < 2.5


@pytest.mark.requirement("S1-70")
async def test_a_failure_is_logged_with_its_code(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "citeseek.searching.service")
    with pytest.raises(SearchFailed):
        await ask(service, Shelf(NetworkError("Refused.")))
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert all(part in record.getMessage() for part in ("NetworkError", "one", "Refused."))


async def told(service: Service, caplog: pytest.LogCaptureFixture, *engines: Shelf) -> list[str]:
    """Ask ``engines`` one after the other and return what was logged of failures."""
    caplog.set_level(logging.WARNING, "citeseek.searching.service")
    with contextlib.suppress(SearchFailed):
        await ask(service, *engines)
    return [f"{record.levelname} {record.getMessage()}" for record in caplog.records]


async def test_an_engine_that_failed_is_a_warning_where_another_one_answered(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    assert await told(service, caplog, Shelf(NetworkError("Refused.")), Shelf(id="other")) == [
        "WARNING engine failed: NetworkError one: Refused."
    ]


async def test_a_search_that_failed_is_one_error_after_a_warning_for_each_engine(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    engines = Shelf(NetworkError("Refused.")), Shelf(BadGateway("Down."), id="other")
    assert await told(service, caplog, *engines) == [
        "WARNING engine failed: NetworkError one: Refused.",
        "WARNING engine failed: BadGateway two: Down.",
        "ERROR search failed: BadGateway two: Down.",
    ]


@pytest.mark.requirement("P12")
async def test_cancellation_passes_through_to_the_engine(service: Service) -> None:
    shelf = Shelf()
    shelf.open.clear()
    task = asyncio.create_task(ask(service, shelf))
    await shelf.called.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert shelf.ended.is_set()
