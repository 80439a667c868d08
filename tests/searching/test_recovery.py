"""A breaker speaks of its engine: callers leave no mark on it, and who finds it well closes it."""

from __future__ import annotations

import asyncio

import pytest
from msgspec import structs
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.shelf import Shelf, in_turn, together

from citeseek import Client
from citeseek.errors import BadGateway, NetworkError, SearchFailed, Timeout, WebBlocked
from citeseek.health.engine_checks import check_engines
from citeseek.health.startup import Startup
from citeseek.http import Transports
from citeseek.query import Query
from citeseek.searching.cache import NoCache
from citeseek.searching.engine_limits import EngineLimits, Limits
from citeseek.searching.runner import Runner
from citeseek.searching.service import Service
from citeseek.settings import Settings

TEA = Query.of("tea")
FOUND = replies.as_json({"results": [{"title": "Tea", "url": "https://e.example/", "content": ""}]})


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(clock: Clock) -> Service:
    return Service(Runner(Transports()), EngineLimits(Limits(clock=clock)))


def at(server: LoopbackServer) -> Settings:
    return settings({"engines": {"searxng": {"base_url": server.base_url}}})


async def fails(service: Service, shelf: Shelf, *others: Shelf) -> SearchFailed:
    groups = [together(shelf, *others)] if others else in_turn(shelf)
    with pytest.raises(SearchFailed) as caught:
        await service.search(TEA, groups, cache=NoCache())
    return caught.value


# Who leaves no mark


async def test_callers_who_wait_for_less_than_usual_close_nothing_for_others(
    server: LoopbackServer,
) -> None:
    slow = Reply(FOUND.status, FOUND.headers, FOUND.body, delay=0.3)
    server.on("/search", *[slow] * 4, FOUND)
    async with Client(at(server)) as client:
        for number in range(4):
            with pytest.raises(Timeout) as caught:
                await client.search(f"tea {number}", engine="searxng", seconds=0.1)
            assert not caught.value.is_cooling
        assert client.engine_states()["searxng"].state == "closed"
        assert (await client.search("tea", engine="searxng")).count == 1


async def test_a_full_length_timeout_counts(server: LoopbackServer) -> None:
    server.on("/search", faults.hang())
    config = {"engines": {"searxng": {"base_url": server.base_url, "timeout_ms": 100}}}
    async with Client(settings(config)) as client:
        for number in range(3):
            with pytest.raises(Timeout):
                await client.search(f"tea {number}", engine="searxng")
        assert client.engine_states()["searxng"].opened_by == "Timeout"


async def test_callers_who_cancel_leave_no_mark_and_give_the_probe_back(
    service: Service, clock: Clock
) -> None:
    shelf = Shelf(WebBlocked("Too many.", detail_code="http_429"))
    await fails(service, shelf)
    clock.now += 60
    shelf.outcome = []
    shelf.open.clear()
    for _ in range(3):
        shelf.called.clear()
        probe = asyncio.create_task(service.search(TEA, in_turn(shelf), cache=NoCache()))
        await shelf.called.wait()
        assert service.limits.state()["shelf"].state == "half_open"
        probe.cancel()
        await asyncio.gather(probe, return_exceptions=True)
    shelf.open.set()
    await service.search(TEA, in_turn(shelf), cache=NoCache())
    assert service.limits.state()["shelf"].state == "closed"


async def test_calls_in_flight_during_one_hiccup_count_once(service: Service, clock: Clock) -> None:
    shelf = Shelf(NetworkError("Cut."))
    for hiccup in range(3):
        assert all(state.state == "closed" for state in service.limits.state().values())
        shelf.open.clear()
        shelf.called.clear()
        queries = [Query.of(f"tea {hiccup} {number}") for number in range(3)]
        calls = [
            asyncio.create_task(service.search(query, in_turn(shelf), cache=NoCache()))
            for query in queries
        ]
        await shelf.called.wait()
        clock.now += 0.7
        shelf.open.set()
        await asyncio.gather(*calls, return_exceptions=True)
        clock.now += 1
    assert service.limits.state()["shelf"].state == "open"


async def test_what_was_refused_here_tells_nothing_of_the_engine(
    service: Service, clock: Clock
) -> None:
    """An engine of one's own that searches with Citeseek hands its refusals on."""
    shelf = Shelf(NetworkError("Refused."))
    for _ in range(2):
        await fails(service, shelf)
        clock.now += 1
    cooling = Timeout("Cooling down.")
    cooling.is_cooling = True
    shelf.outcome = cooling
    for _ in range(5):
        await fails(service, shelf)
        clock.now += 1
    assert service.limits.state()["shelf"].state == "closed"
    shelf.outcome = NetworkError("Refused.")
    await fails(service, shelf)
    assert service.limits.state()["shelf"].state == "open"


# Who closes it


FAULTS = {
    "down": replies.status(503),
    "limited": replies.status(429, retry_after=1800),
    "cut": faults.reset(),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.requirement("P41", "S4-9")
async def test_after_four_failures_whoever_finds_it_well_lets_the_next_search_go(
    fault: str, server: LoopbackServer
) -> None:
    server.on("/search", FAULTS[fault])
    async with Client(at(server)) as client:
        for number in range(4):
            with pytest.raises(SearchFailed):
                await client.search(f"tea {number}", engine="searxng")
        assert client.engine_states()["searxng"].state == "open"
        server.on("/search", FOUND)
        with pytest.raises(SearchFailed, match="Cooling down"):
            await client.search("tea", engine="searxng")
        await client.found_well("searxng")
        assert (await client.search("tea", engine="searxng")).count == 1


@pytest.mark.requirement("P41")
async def test_engines_check_asks_whatever_the_breaker_says_and_closes_it(
    server: LoopbackServer, tmp_path: object
) -> None:
    server.on("/search", replies.status(429, retry_after=1800))
    config = at(server)
    async with Client(config) as client:
        with pytest.raises(WebBlocked):
            await client.search("tea", engine="searxng")
        server.on("/search", FOUND)
        (check,) = await check_engines(client, ["searxng"], config.evidence_folder)
        assert check.state == "ok"
        assert (await client.search("tea", engine="searxng")).count == 1


@pytest.mark.requirement("P41")
async def test_a_persons_retry_is_always_sent(server: LoopbackServer) -> None:
    server.on("/search", replies.status(429, retry_after=1800))
    entry = {"base_url": server.base_url, "rate_per_minute": 1}
    async with Client(settings({"engines": {"searxng": entry}})) as client:
        for number in range(3):
            with pytest.raises(WebBlocked) as caught:
                await client.search(f"tea {number}", engine="searxng", retry=True)
            assert not caught.value.is_cooling
        server.on("/search", FOUND)
        assert (await client.search("tea", engine="searxng", retry=True)).count == 1
        assert client.engine_states()["searxng"].state == "closed"
    assert len(server.requests) == 4


async def test_a_look_that_finds_searxng_well_says_so(server: LoopbackServer) -> None:
    about = {"engines": [], "instance_name": "x", "version": "2026.11.1", "brand": {}}
    server.on("/healthz", Reply(200, {"Content-Type": "text/plain"}, "OK"))
    server.on("/config", replies.as_json(about))
    server.on("/search", replies.status(503))
    well: list[bool] = []

    async def found_well() -> None:
        well.append(True)

    startup = Startup(lambda: at(server), found_well=found_well)
    assert not (await startup.check()).ok
    assert not well
    server.on("/search", FOUND)
    assert (await startup.check()).ok
    assert well == [True]


# For how long the only one is left alone


@pytest.mark.parametrize(
    ("failure", "seconds"),
    [
        (WebBlocked("Prove it.", detail_code="captcha_required"), 60),
        (WebBlocked("Consent.", detail_code="consent_required"), 60),
        (WebBlocked("Go away.", detail_code="http_403"), 60),
        (WebBlocked("Too many.", detail_code="http_429", retry_after=20), 20),
        (WebBlocked("Too many.", detail_code="http_429", retry_after=600), 600),
        (WebBlocked("Too many.", detail_code="http_429", retry_after=86_400), 3600),
    ],
)
async def test_the_only_engine_cools_a_minute_or_as_long_as_it_asked(
    failure: WebBlocked, seconds: int, service: Service, clock: Clock
) -> None:
    shelf = Shelf(failure)
    alone = [(structs.replace(candidate, alone=True),) for (candidate,) in in_turn(shelf)]
    for _ in range(8):
        with pytest.raises(WebBlocked) as sent:
            await service.search(TEA, alone, cache=NoCache())
        assert not sent.value.is_cooling
        with pytest.raises(WebBlocked) as refused:
            await service.search(TEA, alone, cache=NoCache())
        assert (refused.value.is_cooling, refused.value.retry_after) == (True, seconds)
        clock.now += seconds


async def test_who_has_another_engine_waits_longer(service: Service, clock: Clock) -> None:
    shelf, other = Shelf(BadGateway("Down.", retry_after=600)), Shelf(BadGateway("Down."))
    await fails(service, shelf, other)
    clock.now += 300
    refused = await fails(service, shelf)
    assert (refused.is_cooling, refused.retry_after) == (True, 300)


async def test_the_plan_tells_the_only_engine_from_others(server: LoopbackServer) -> None:
    server.on("/search", replies.html("<p>Go away.", 403))
    engines = {"mojeek": {"base_url": server.base_url}}

    async def refused(search: dict[str, object]) -> float | None:
        async with Client(settings({"engines": engines, "search": search})) as client:
            waits: list[float | None] = []
            for number in range(2):
                try:
                    response = await client.search(f"tea {number}")
                    waits.append(response.errors[0].retry_after)
                except WebBlocked as error:
                    waits.append(error.retry_after)
            return waits[1]

    assert await refused({"engine": "mojeek"}) == 60
    assert await refused({"engine": "mojeek", "fallback": ["stub"]}) == 300
