"""Several processes at one Valkey search as one: clients stand for them here."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from typing import Any

import pytest
from redis import Redis
from tests.command import run_citeseek
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, faults, refused_port, replies
from tests.shared_state.server import ValkeyServer

from citeseek import Client
from citeseek.errors import AuthError, InvalidInput, SearchFailed, WebBlocked
from citeseek.health.dependencies import check_valkey
from citeseek.i18n import catalogue
from citeseek.models import SearchResponse
from citeseek.searching.shared_cache import SharedCache
from citeseek.searching.shared_limits import SharedLimits
from citeseek.shared_state.valkey import Valkey, check, look

pytestmark = pytest.mark.valkey

FOUND = replies.as_json({"results": [{"title": "Tea", "url": "https://e.example/", "content": ""}]})


@pytest.fixture
async def clients(valkey: ValkeyServer, server: LoopbackServer) -> AsyncIterator[Any]:
    """Give what opens some clients that know of each other through Valkey alone."""
    async with AsyncExitStack() as stack:

        async def opened(number: int, **engine: Any) -> list[Client]:
            config = {
                "engines": {"searxng": {"base_url": server.base_url, **engine}},
                "redis": {"url": valkey.url},
            }
            return [
                await stack.enter_async_context(Client(settings(config))) for _ in range(number)
            ]

        yield opened


async def ask(client: Client, text: str = "tea") -> Any:
    return await client.search(text, engine="searxng")


async def test_equal_searches_of_all_processes_are_one(
    clients: Any, server: LoopbackServer
) -> None:
    server.on("/search", FOUND)
    several = await clients(4)
    answers = await asyncio.gather(*(ask(client) for client in several for _ in range(20)))
    assert len(server.requests) == 1
    assert {answer.items for answer in answers} == {answers[0].items}
    later = await ask((await clients(1))[0])
    assert later.cached
    assert len(server.requests) == 1


async def test_who_looked_before_another_had_searched_does_not_search_again(
    clients: Any, valkey: ValkeyServer, server: LoopbackServer
) -> None:
    server.on("/search", FOUND)
    found = await ask((await clients(1))[0])
    async with aclosing(Valkey(valkey.url)) as shared:
        early, other = SharedCache(shared, ttl=60), SharedCache(shared, ttl=60)

        async def search() -> SearchResponse:
            await other.put("tea", found)
            return found

        async def again() -> SearchResponse:
            raise AssertionError

        assert await early.get("tea") is None
        assert await other.once("tea", "alike", search) == found
        assert await early.once("tea", "alike", again) == found


async def test_a_failure_is_shared_as_well(clients: Any, server: LoopbackServer) -> None:
    server.on("/search", Reply(403))
    several = await clients(3)
    failures = await asyncio.gather(*map(ask, several), return_exceptions=True)
    assert {type(failure) for failure in failures} == {AuthError}
    assert {failure.detail_code for failure in failures if isinstance(failure, SearchFailed)} == {
        "http_403"
    }
    assert len(server.requests) == 1


async def test_an_owner_that_went_away_is_followed_by_one_of_those_who_wait(
    clients: Any, server: LoopbackServer
) -> None:
    first, second, third = await clients(3)
    server.on("/search", faults.hang(), FOUND)
    gone = asyncio.create_task(ask(first))
    await server.requests.reach(1)
    waiting = [asyncio.create_task(ask(client)) for client in (second, third)]
    await asyncio.sleep(0)
    gone.cancel()
    answers = await asyncio.gather(*waiting)
    assert answers[0].items == answers[1].items
    assert len(server.requests) == 2


async def test_a_limit_is_one_for_all(clients: Any, server: LoopbackServer) -> None:
    server.on("/search", FOUND)
    several = await clients(4, rate_per_minute=6)
    asked = await asyncio.gather(
        *(
            client.search(f"tea {number} {at}", engine="searxng", seconds=2)
            for at, client in enumerate(several)
            for number in range(5)
        ),
        return_exceptions=True,
    )
    refused = [one.detail_code for one in asked if isinstance(one, SearchFailed)]
    assert refused == ["rate_limited_here"] * 14
    assert len(server.requests) == 6


async def test_a_call_counts_for_all_until_a_minute_after_its_end(valkey: ValkeyServer) -> None:
    async with aclosing(Valkey(valkey.url)) as one, aclosing(Valkey(valkey.url)) as another:
        asking, looking = SharedLimits(one), SharedLimits(another)
        assert await asking.admit("ddg", 1) == 0.0
        began = asking.clock()
        await asking.record("ddg", None, began=began)
        assert 59 < await looking.admit("ddg", 1) <= 60
        (counted,) = looking.own.record_of("ddg").events
        assert counted > began


async def test_a_breaker_that_one_opened_holds_for_all(
    clients: Any, server: LoopbackServer
) -> None:
    server.on("/search", Reply(429, {"Retry-After": "60"}))
    first, second = await clients(2)
    with pytest.raises(WebBlocked):
        await ask(first)
    with pytest.raises(WebBlocked) as refused:
        await ask(second, "water")
    assert refused.value.is_cooling
    assert 0 < (refused.value.retry_after or 0) <= 60
    assert second.engine_states()["searxng"].opened_by == "WebBlocked/http_429"
    assert len(server.requests) == 1
    server.on("/search", FOUND)
    await first.found_well("searxng")
    await asyncio.sleep(1.0)  # What is known of a breaker is believed for a second.
    assert (await ask(second, "water")).items


@pytest.mark.parametrize("gone", ["stop", "pause"])
async def test_without_it_each_goes_on_with_its_share_and_all_is_well_again(
    clients: Any, server: LoopbackServer, valkey: ValkeyServer, gone: str
) -> None:
    server.on("/search", FOUND)
    first, second = await clients(2, rate_per_minute=6)
    assert first.valkey.process == second.valkey.process
    second.valkey.process = "another"
    for number, client in enumerate((first, second)):
        await ask(client, f"before {number}")
    for client in (first, second, first):  # Each says so, and knows that there are two.
        client.valkey._presence.counted_at = 0.0
        await client.valkey.count_processes()
    getattr(valkey, gone)()
    try:
        answers = [
            await asyncio.gather(
                *(
                    client.search(f"{at} {number}", engine="searxng", seconds=5)
                    for number in range(4)
                ),
                return_exceptions=True,
            )
            for at, client in enumerate((first, second))
        ]
        refused = [[isinstance(one, SearchFailed) for one in each].count(True) for each in answers]
        assert refused == [1, 1]
    finally:
        valkey.start() if gone == "stop" else valkey.resume()
    async with asyncio.timeout(10):
        while (await first.valkey.look()).state != "ok":  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(0.1)
    assert not first.valkey.is_gone


@pytest.mark.parametrize(
    ("options", "repair", "told"),
    [
        (("--maxmemory-policy", "allkeys-lru"), "noeviction", "noeviction"),
        (("--replicaof", "127.0.0.1", "1"), "primary", "主库"),
    ],
)
async def test_a_server_that_keeps_nothing_is_refused(
    tmp_path: Any, options: tuple[str, ...], repair: str, told: str
) -> None:
    with ValkeyServer(tmp_path, *options) as server:
        with pytest.raises(InvalidInput) as refused:
            await check(server.url)
        # A server does not start, and says the same.
        env = {**os.environ, "CITESEEK_REDIS_URL": server.url}
        done = await asyncio.to_thread(run_citeseek, "serve", "--port", "0", env=env)
    assert repair in refused.value.hint
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") <= 3


async def test_a_server_where_one_may_not_write_is_refused(tmp_path: Any) -> None:
    reader = ("--user", "reader", "on", "nopass", "~*", "+@all", "-@write")
    with ValkeyServer(tmp_path, *reader) as server:
        url = server.url.replace("//", "//reader:@")
        with pytest.raises(InvalidInput) as refused:
            await check(url)
        (finding,) = await check_valkey(settings({"redis": {"url": url}}))
    assert finding.code == "read_only"
    assert refused.value.values["case"] == "valkey_read_only"
    assert "ACL" in refused.value.hint


async def test_a_server_that_is_too_old_is_refused(
    valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None that old can be had any more.
    monkeypatch.setattr("citeseek.shared_state.valkey.LEAST_VERSION", 99)
    with pytest.raises(InvalidInput) as refused:
        await check(valkey.url)
    assert refused.value.values["case"] == "valkey_too_old"
    assert "Redis 7 or newer" in refused.value.hint


async def test_a_full_server_is_told_and_is_no_reason_not_to_start(tmp_path: Any) -> None:
    with (
        ValkeyServer(tmp_path, "--maxmemory", "6mb") as server,
        Redis.from_url(server.url) as client,
    ):
        assert (await look(server.url)).state == "ok"
        client.setrange("much", 10_000_000, b"x")
        assert (await look(server.url)).state == "full"
        (finding,) = await check_valkey(settings({"redis": {"url": server.url}}))
        assert (finding.code, finding.status) == ("full", "error")
        assert "no memory left" in finding.text(catalogue("en")).seen
        await check(server.url)
        client.delete("much")
        assert (await look(server.url)).state == "ok"


async def test_a_server_that_is_not_there_is_refused() -> None:
    with refused_port() as port, pytest.raises(InvalidInput, match="cannot be used"):
        await check(f"redis://127.0.0.1:{port}")


async def test_an_address_that_is_none_is_told_without_its_password() -> None:
    with pytest.raises(InvalidInput) as refused:
        Client(settings({"redis": {"url": "http://me:secret@e.example"}}))
    assert "secret" not in f"{refused.value} {refused.value.hint}"
    assert "redis" in str(refused.value)
