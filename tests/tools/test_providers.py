"""The provider interface: every engine answers in one structure."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.shelf import Shelf

from citeseek import Client, InvalidInput, Settings, get_web_search_provider
from citeseek.errors import AuthError, BadGateway, Timeout, WebBlocked
from citeseek.tools.configured_search import MAX_CLIENTS

KEY = "brave-key-83"


@pytest.fixture
def engines() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        running.on("/html/", replies.html(page("ddg_html/html_results.html")))
        running.on("/res/v1/web/search", replies.html(page("brave/web.json")))
        yield running


def at(server: LoopbackServer, **entry: Any) -> Settings:
    reached = {"base_url": server.base_url, **entry}
    return settings({"engines": {"ddg_html": reached, "brave": reached}})


@pytest.mark.parametrize("provider_id", ["duck-duck-scrape", "brave", " Brave ", "mojeek", "stub"])
@pytest.mark.requirement("S2-27", "S2-39")
def test_a_known_id_is_a_provider(provider_id: str) -> None:
    provider = get_web_search_provider(provider_id, settings=settings())
    assert provider.id == provider_id.strip().lower()


@pytest.mark.parametrize("provider_id", ["perplexity", "", "auto", "../brave"])
@pytest.mark.requirement("S2-39")
def test_an_unknown_id_is_an_error_that_lists_the_known(provider_id: str) -> None:
    with pytest.raises(InvalidInput, match=r"Known: ddg_html.*brave"):
        get_web_search_provider(provider_id, settings=settings())


@pytest.mark.parametrize(
    ("provider_id", "key", "available"),
    [
        ("brave", None, False),
        ("brave", "", False),
        ("brave", " ", False),
        ("brave", "\n", False),
        ("brave", "k", True),
        ("duck-duck-scrape", None, True),
        ("duck-duck-scrape", "", True),
        ("duck-duck-scrape", "k", True),
        ("searxng", None, True),
        ("bocha", None, False),
        ("bocha", "k", True),
    ],
)
@pytest.mark.requirement("S2-30", "S2-32")
def test_only_a_key_that_is_needed_makes_the_difference(
    provider_id: str, key: str | None, *, available: bool
) -> None:
    provider = get_web_search_provider(provider_id, settings=settings())
    assert provider.is_available(api_key=key) is available


@pytest.mark.requirement("S2-14", "S2-30")
def test_the_key_of_the_settings_counts() -> None:
    provider = get_web_search_provider("brave", settings=settings(env={"BRAVE_API_KEY": KEY}))
    assert provider.is_available()


@pytest.mark.requirement("S2-31", "S2-33", "S2-65")
async def test_both_give_the_same_structure(engines: LoopbackServer) -> None:
    found = []
    for provider_id in ("duck-duck-scrape", "brave"):
        async with get_web_search_provider(provider_id, settings=at(engines)) as provider:
            found.append(
                await provider.search(
                    "tea",
                    count=3,
                    api_key=KEY,
                    timeout_seconds=5,
                    cache_ttl_minutes=5,
                    country="us",
                    freshness="week",
                )
            )
    assert [one["provider"] for one in found] == ["duck-duck-scrape", "brave"]
    assert found[0].keys() == found[1].keys()
    assert [(one["query"], one["count"], len(one["results"])) for one in found] == [
        ("tea", 3, 3)
    ] * 2
    ddg, brave = engines.requests
    assert brave.headers["x-subscription-token"] == KEY
    assert KEY not in repr(ddg.headers) + ddg.body.decode()
    assert (ddg.param("df"), brave.param("freshness"), brave.param("country")) == ("w", "pw", "US")


@pytest.mark.requirement("S2-31", "S2-36")
async def test_further_options_pass_through_and_unknown_ones_break_nothing(
    engines: LoopbackServer,
) -> None:
    async with get_web_search_provider("duck-duck-scrape", settings=at(engines)) as provider:
        await provider.search("tea", safeSearch="strict", language="de", colour="red", offset=None)
    assert engines.requests[0].param("kp") == "1"
    assert engines.requests[0].param("kl") == "de-de"


@pytest.mark.requirement("S2-37", "S2-38")
async def test_equal_searches_are_kept_for_the_time_that_was_asked(
    engines: LoopbackServer,
) -> None:
    async with get_web_search_provider("brave", settings=at(engines)) as provider:

        async def cached(**asked: Any) -> bool:
            answer = await provider.search("tea", api_key=KEY, **asked)
            return bool(answer["cached"])

        asked: list[dict[str, Any]] = [
            {},
            {},
            {"count": 3},
            {"country": "de"},
            {"country": "de"},
            {"cache_ttl_minutes": 1},
            {"cache_ttl_minutes": 1},
            {"cache_ttl_minutes": 0},
            {"cache_ttl_minutes": 0},
        ]
        hits = [await cached(**one) for one in asked]
    assert hits == [False, True, False, False, True, False, True, False, False]
    assert len(engines.requests) == hits.count(False)


@pytest.mark.parametrize(("count", "asked"), [(None, "5"), (1, "1"), (0, "1"), (99, "10")])
@pytest.mark.requirement("P3")
async def test_the_count_is_taken_into_1_to_10(
    engines: LoopbackServer, count: int | None, asked: str
) -> None:
    async with get_web_search_provider("brave", settings=at(engines, api_key=KEY)) as provider:
        await provider.search("tea", count=count)
    assert engines.requests[0].param("count") == asked


@pytest.mark.requirement("S2-31")
async def test_the_deadline_is_obeyed(engines: LoopbackServer) -> None:
    engines.on("/html/", faults.hang())
    async with get_web_search_provider("duck-duck-scrape", settings=at(engines)) as provider:
        with pytest.raises(Timeout, match=r"0\.2 s"):
            await provider.search("tea", timeout_seconds=0.2)
        with pytest.raises(InvalidInput):
            await provider.search("tea", timeout_seconds=0)


@pytest.mark.requirement("P14")
async def test_without_a_key_a_provider_that_was_named_is_an_auth_error(
    engines: LoopbackServer,
) -> None:
    async with get_web_search_provider("brave", settings=at(engines)) as provider:
        with pytest.raises(AuthError, match="BRAVE_API_KEY"):
            await provider.search("tea")
    assert not engines.requests


@pytest.mark.requirement("P12")
async def test_a_failure_is_raised_here(engines: LoopbackServer) -> None:
    engines.on("/html/", Reply(502))
    async with get_web_search_provider("duck-duck-scrape", settings=at(engines)) as provider:
        with pytest.raises(BadGateway):
            await provider.search("tea")


@pytest.mark.requirement("S2-2")
async def test_an_engine_of_ones_own_is_a_provider() -> None:
    shelf = Shelf()
    async with get_web_search_provider("shelf", settings=settings(), engines=[shelf]) as provider:
        assert provider.is_available(api_key=None)
        answer = await provider.search("tea", count=2, freshness="week")
    assert (answer["provider"], answer["count"]) == ("shelf", 1)
    assert shelf.calls == [("tea", 2)]


async def test_a_client_that_was_given_stays_open(engines: LoopbackServer) -> None:
    async with Client(at(engines)) as client:
        async with get_web_search_provider("duck-duck-scrape", client=client) as provider:
            await provider.search("tea")
        assert (await client.search("more tea", engine="ddg_html")).count == 10


@pytest.mark.requirement("S2-64")
def test_no_key_shows() -> None:
    provider = get_web_search_provider("brave", settings=settings(env={"BRAVE_API_KEY": KEY}))
    assert repr(provider) == "WebSearchProvider('brave')"


@pytest.mark.release
async def test_a_client_for_each_key_is_not_kept_for_ever(server: LoopbackServer) -> None:
    server.on("/search", replies.as_json({"results": []}))
    chosen = settings({"engines": {"tavily": {"base_url": server.base_url}}})

    def clients() -> int:
        gc.collect()
        return sum(isinstance(each, Client) for each in gc.get_objects())

    before = clients()
    async with get_web_search_provider("tavily", settings=chosen) as provider:
        for number in range(MAX_CLIENTS + 4):
            await provider.search("tea", api_key=f"key-{number}")
        assert clients() - before <= MAX_CLIENTS + 1
        await provider.search("tea", api_key=f"key-{MAX_CLIENTS + 3}")
    keys = [request.headers["authorization"] for request in server.requests]
    assert keys == [f"Bearer key-{number}" for number in range(MAX_CLIENTS + 4)]


async def test_clients_of_other_keys_share_connections_and_not_cool_downs(
    server: LoopbackServer,
) -> None:
    found = replies.as_json({"results": []})
    server.on("/search", replies.status(429, retry_after=600), found)
    chosen = settings({"engines": {"tavily": {"base_url": server.base_url}}})
    async with Client(chosen) as client:
        provider = get_web_search_provider("tavily", client=client)
        with pytest.raises(WebBlocked):
            await provider.search("tea", api_key="used-up")
        assert (await provider.search("tea", api_key="another"))["count"] == 0
        with pytest.raises(WebBlocked, match="Cooling down"):
            await provider.search("water", api_key="used-up")
        await provider.aclose()
        # The client is its owner's: it goes on.
        assert (await client.search("tea", engine="stub")).count
