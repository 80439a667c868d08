"""The client and its faces on a real server."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conftest import client_at, page, settings
from tests.loopback import LoopbackProxy, LoopbackServer, Reply, Signal, faults, replies

import citeseek
from citeseek import Client, InvalidInput
from citeseek.errors import AuthError, NetworkError, SearchFailed, Timeout, WebProviderError
from citeseek.faces import AGENT, BROWSER, CHAT, CONTRACT
from citeseek.searching import planning
from citeseek.searching.cache import Cache, session_cache
from citeseek.shared_state.valkey import Valkey
from citeseek.testing import contract

EXAMPLE = Path(__file__).parents[1] / "examples/citeseek-example-engine/src/citeseek_bookshelf.py"


@pytest.fixture
def searxng(server: LoopbackServer) -> LoopbackServer:
    server.on("/search", replies.html(page("searxng/search.json")))
    return server


@pytest.mark.requirement("S1-16")
async def test_searxng_is_asked_for_json(searxng: LoopbackServer) -> None:
    async with client_at(searxng.base_url, "searxng") as client:
        response = await client.search("green tea", engine="searxng", face=CHAT)
    sent = searxng.requests[0]
    assert (sent.method, sent.path) == ("GET", "/search")
    assert sent.param("q") == "green tea"
    assert sent.param("format") == "json"
    assert sent.param("language") == "auto"
    assert response.count == 5
    assert all(item.url.startswith("http") for item in response.items)


@pytest.mark.requirement("S3-23")
async def test_the_searxng_key_is_a_bearer_token(searxng: LoopbackServer) -> None:
    async with client_at(searxng.base_url, "searxng", api_key="k-1") as client:
        await client.search("tea", engine="searxng")
    assert searxng.requests[0].headers["authorization"] == "Bearer k-1"


@pytest.mark.requirement("P28")
async def test_the_id_that_was_asked_is_the_provider(server: LoopbackServer) -> None:
    server.otherwise(replies.html(page("ddg_html/html_results.html")))
    async with client_at(server.base_url, "ddg_html") as client:
        response = await client.search("tea", face=AGENT)
    assert response.provider == "duck-duck-scrape"
    assert {item.provider for item in response.items} == {"duck-duck-scrape"}


@pytest.mark.requirement("S3-28")
async def test_the_contract_face_is_offline_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("citeseek.http.Transports.get", lambda *_: pytest.fail("network"))
    async with Client(settings()) as client:
        first = await client.search("茶", face=CONTRACT)
        second = await client.search("茶", face=CONTRACT)
    assert first.items == second.items
    assert first.provider == "stub"
    assert 2 <= first.count <= 3
    assert all("示例结果" in item.title for item in first.items)


@pytest.mark.requirement("S2-37")
async def test_the_agent_face_caches_by_query_and_count(server: LoopbackServer) -> None:
    server.otherwise(replies.html(page("ddg_html/html_results.html")))
    async with client_at(server.base_url, "ddg_html") as client:
        three = await client.search("tea", face=AGENT, count=3)
        five = await client.search("tea", face=AGENT, count=5)
        again = await client.search("tea", face=AGENT, count=5)
    assert [three.cached, five.cached, again.cached] == [False, False, True]
    assert len(server.requests) == 2
    assert again.items == five.items


@pytest.mark.requirement("P6")
async def test_a_session_cache_has_the_text_as_its_key(searxng: LoopbackServer) -> None:
    mine, yours = session_cache(), session_cache()
    async with client_at(searxng.base_url, "searxng") as client:
        await client.search("tea", face=CHAT, cache=mine)
        assert (await client.search(" tea ", face=CHAT, cache=mine)).cached
        assert not (await client.search("tea", face=CHAT, cache=yours)).cached
    assert len(searxng.requests) == 2


async def test_concurrent_equal_searches_are_one_request(searxng: LoopbackServer) -> None:
    searxng.on("/search", replies.html(page("searxng/search.json")))
    async with client_at(searxng.base_url, "searxng") as client:
        answers = await asyncio.gather(*(client.search("tea", engine="searxng") for _ in range(10)))
    assert len(searxng.requests) == 1
    assert len({answer.items for answer in answers}) == 1


@pytest.mark.requirement("S2-14")
async def test_the_key_of_config_wins_over_the_environment(searxng: LoopbackServer) -> None:
    config = {"engines": {"searxng": {"base_url": searxng.base_url, "api_key": "of-config"}}}
    async with Client(settings(config, env={"SEARXNG_API_KEY": "of-env"})) as client:
        await client.search("tea", engine="searxng")
    assert searxng.requests[0].headers["authorization"] == "Bearer of-config"


@pytest.mark.requirement("S3-20")
async def test_html_engines_use_the_network_settings_of_fetch(
    server: LoopbackServer,
) -> None:
    server.otherwise(replies.html(page("ddg_html/html_results.html")))
    with LoopbackProxy() as proxy:
        config = {
            "engines": {"ddg_html": {"base_url": server.base_url}},
            "web": {"fetch": {"proxy": proxy.url, "user_agent": "tea-reader/1"}},
        }
        async with Client(settings(config)) as client:
            await client.search("tea", engine="ddg_html")
        assert len(proxy.requests) == 1
    assert server.requests[0].headers["user-agent"] == "tea-reader/1"


@pytest.mark.parametrize(("no_proxy", "through"), [("", 1), ("127.0.0.1,localhost", 0)])
async def test_the_environment_names_proxies_and_exceptions(
    searxng: LoopbackServer, no_proxy: str, through: int
) -> None:
    with LoopbackProxy() as proxy:
        config = {"engines": {"searxng": {"base_url": searxng.base_url}}}
        env = {"http_proxy": proxy.url, "NO_PROXY": no_proxy}
        async with Client(settings(config, env=env)) as client:
            await client.search("tea", engine="searxng")
        assert len(proxy.requests) == through
    assert len(searxng.requests) == 1


@pytest.mark.requirement("S3-24")
async def test_the_engines_own_timeout_goes_before_the_shared_one(
    server: LoopbackServer,
) -> None:
    server.otherwise(faults.hang())
    config = {"engines": {"searxng": {"base_url": server.base_url}}}
    env = {"SEARXNG_TIMEOUT_MS": "200", "WEB_SEARCH_TIMEOUT_MS": "90000"}
    async with Client(settings(config, env=env)) as client:
        with pytest.raises(Timeout, match=r"0\.2 s"):
            await client.search("tea", engine="searxng")


@pytest.mark.requirement("P14")
async def test_a_named_engine_without_its_key_is_an_auth_error(
    server: LoopbackServer,
) -> None:
    from citeseek.engine import Engine, Key
    from citeseek.engines.stub import parse, request

    keyed = Engine(
        id="keyed",
        label="Keyed",
        request=request,
        parse=parse,
        key=Key(signup_url="https://keys.example/", price="free"),
    )
    async with Client(settings(), engines=[keyed]) as client:
        with pytest.raises(AuthError, match="KEYED_API_KEY"):
            await client.search("tea", engine="keyed")
    assert not server.requests


@pytest.mark.requirement("S4-32")
async def test_an_unknown_engine_of_the_browser_face_lists_the_names() -> None:
    async with Client(settings({"browser": {"engine": "gogle"}})) as client:
        with pytest.raises(InvalidInput, match="ddg_html"):
            await client.search("tea", face=BROWSER)


async def test_cancelling_a_search_passes_through_and_closes_it(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    async with client_at(server.base_url, "ddg_html") as client:
        task = asyncio.create_task(client.search("tea", engine="ddg_html"))
        assert await server.requests.reach(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert server.requests[0].closed.wait()


def test_the_plain_door_works_with_and_without_a_running_loop() -> None:
    chosen = settings()
    assert citeseek.search("tea", engine="stub", settings=chosen).count == 3

    async def inside() -> int:
        return citeseek.search("tea", engine="stub", settings=chosen).count

    assert asyncio.run(inside()) == 3


@pytest.mark.requirement("S4-30")
def test_the_sample_engine_keeps_the_contract() -> None:
    spec = importlib.util.spec_from_file_location("citeseek_bookshelf", EXAMPLE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop("citeseek_bookshelf", None)
    for check in contract(module.ENGINE):
        check()


def test_the_public_names_are_these() -> None:
    assert all(getattr(citeseek, name) is not None for name in citeseek.__all__)
    assert sorted(citeseek._HOME) == sorted(set(citeseek.__all__) - {"__version__"})


async def test_an_unknown_argument_is_an_error_of_the_program() -> None:
    async with Client(settings()) as client:
        with pytest.raises(TypeError, match="engin'"):
            await client.search("tea", engin="stub")


async def test_more_results_than_a_page_holds_are_read_from_further_pages(
    server: LoopbackServer,
) -> None:
    first = replies.html(page("ddg_html/html_results.html"))
    second = replies.html(page("ddg_html/html_results_zh.html"))
    server.on("/html/", first, second, replies.html(page("ddg_html/no_results.html")))
    async with client_at(server.base_url, "ddg_html") as client:
        response = await client.search("tea", engine="ddg_html", count=40)
    assert [request.param("s") for request in server.requests] == ["", "10", "25"]
    assert response.count == 19
    assert [item.rank for item in response.items] == list(range(1, 20))


@pytest.mark.parametrize("second", [faults.hang(), replies.status(429), replies.html("<html>")])
@pytest.mark.requirement("P3")
async def test_a_further_page_that_fails_costs_nothing(
    server: LoopbackServer, second: Reply
) -> None:
    server.on("/html/", replies.html(page("ddg_html/html_results.html")), second)
    async with client_at(server.base_url, "ddg_html") as client:
        response = await client.search("tea", engine="ddg_html", count=40, seconds=1)
    assert response.count == 10
    assert response.errors == ()


async def test_a_page_that_is_nearly_full_is_enough(server: LoopbackServer) -> None:
    server.otherwise(replies.html(page("ddg_html/html_results_zh.html")))
    async with client_at(server.base_url, "ddg_html") as client:
        response = await client.search("tea", engine="ddg_html", count=10)
    assert response.count == 9
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "asked",
    [
        {"engine": 5},
        {"engines": "stub"},
        {"engines": [None]},
        {"engines": 5},
        {"engines": ["auto", "stub"]},
        {"engine": "stub", "engines": ["stub"]},
        {"engine": "stub", "seconds": "x"},
        {"engine": "stub", "seconds": float("nan")},
    ],
    ids=repr,
)
async def test_wrong_arguments_are_bad_input(asked: dict) -> None:
    async with Client(settings()) as client:
        with pytest.raises(InvalidInput):
            await client.search("tea", **asked)


@pytest.mark.parametrize("engine_id", ["", " ", "auto", "a b", "x\n", "1x"])
def test_what_is_no_name_is_no_engine_id(engine_id: str) -> None:
    with pytest.raises(InvalidInput):
        Client(settings(), engines=[Plain(engine_id)])


class Plain:
    """An engine in the plain form that returns, or raises, what it is made with."""

    def __init__(self, engine_id: str, found: object = ()) -> None:
        self.id = engine_id
        self.found = found

    async def search(self, query: str, num_results: int) -> object:
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


@pytest.mark.parametrize(
    "found",
    [
        "hello",
        {"results": []},
        None,
        5,
        [{"title": "no address"}],
        ValueError("key=MARKED"),
        asyncio.CancelledError(),
    ],
    ids=repr,
)
@pytest.mark.requirement("S3-37")
async def test_a_plain_engine_that_misbehaves_costs_its_own_results(found: object) -> None:
    async with Client(settings(), engines=[Plain("bad", found)]) as client:
        response = await client.search("tea", engines=["bad", "stub"])
        with pytest.raises(WebProviderError) as caught:
            await client.search("tea", engine="bad")
    assert response.provider == "stub"
    assert [(e.engine, e.type) for e in response.errors] == [("bad", "WebProviderError")]
    assert "MARKED" not in str(caught.value)


async def test_a_plain_engine_may_yield_for_ever_and_one_bad_result_is_left_out() -> None:
    class Unreadable:
        def __getattr__(self, name: str) -> str:
            raise RuntimeError(name)

    def endless() -> object:
        yield Unreadable()
        number = 0
        while True:
            number += 1
            yield {"title": f"t{number}", "url": f"https://e.example/{number}"}

    async with Client(settings(), engines=[Plain("endless", endless())]) as client:
        response = await client.search("tea", engine="endless", count=3)
    assert [item.title for item in response.items] == ["t1", "t2", "t3"]


async def test_one_client_serves_two_loops() -> None:
    async with Client(settings()) as client:
        here, there = await asyncio.gather(
            client.search("tea", engine="stub"),
            asyncio.to_thread(lambda: asyncio.run(client.search("tea", engine="stub"))),
        )
    assert here.items == there.items


def test_proxies_of_the_environment_are_read_as_other_programs_write_them() -> None:
    chosen = settings(env={"HTTP_PROXY": "127.0.0.1:3128", "https_proxy": "foo://bar"})
    assert chosen.system_proxies() == ("http://127.0.0.1:3128", None, None)
    assert any("HTTPS_PROXY" in warning for warning in chosen.warnings)


@pytest.mark.requirement("S3-25")
async def test_an_engine_has_its_own_number_of_results_when_none_is_named() -> None:
    provider = {"bocha": {"api_key": "k", "top_k_default": 7}}
    with LoopbackServer() as server:
        server.otherwise(replies.html(page("bocha/web.json")))
        env = {"CITESEEK_BOCHA_URL": server.base_url}
        chosen = settings({"web": {"providers": provider, "search": {"backend": "bocha"}}}, env=env)
        async with Client(chosen) as client:
            for asked in ({}, {"count": 3}):
                await client.search("tea", face=CONTRACT, **asked)
        sent = [request.json()["count"] for request in server.requests]
    assert sent == [7, 3]


def test_a_search_from_within_a_running_loop_and_from_without() -> None:
    client = Client(settings())

    async def within() -> str:
        return client.search_sync("tea", engine="stub").provider

    assert client.search_sync("tea", engine="stub").provider == "stub"
    assert asyncio.run(within()) == "stub"
    asyncio.run(client.close())


async def test_one_call_searches_in_another_loop_while_this_one_goes_on(
    searxng: LoopbackServer,
) -> None:
    async with client_at(searxng.base_url, "searxng") as client:
        for turn in range(3):
            here, *there = await asyncio.gather(
                client.search(f"tea {turn}", engine="searxng"),
                *(
                    asyncio.to_thread(client.search_sync, f"tea {turn} {n}", engine="searxng")
                    for n in range(5)
                ),
            )
            assert {response.items for response in there} == {here.items}
    assert len(searxng.requests) == 18


@pytest.mark.parametrize("transport", ["pyreqwest", "primp"])
async def test_closing_while_a_sync_search_is_under_way(
    server: LoopbackServer, transport: str
) -> None:
    until_then = Signal()
    answer = replies.html(page("searxng/search.json"))
    server.otherwise(replies.held(answer, until_then))
    client = client_at(server.base_url, "searxng", transport=transport)

    def search() -> int | SearchFailed:
        try:
            return client.search_sync("tea", engine="searxng", seconds=10, count=5).count
        except SearchFailed as error:
            return error

    searching = asyncio.create_task(asyncio.to_thread(search))
    assert await server.requests.reach(1)
    await client.close()
    until_then.set()
    found = await searching
    assert found == 5 or isinstance(found, NetworkError)
    await client.close()


def test_threads_that_ask_at_the_same_time_open_one_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened = []
    begin = threading.Barrier(4)
    real = planning._cache_of

    def cache_of(folder: str | None, ttl: float, valkey: Valkey | None) -> Cache:
        opened.append(ttl)
        return real(folder, ttl, valkey)

    monkeypatch.setattr(planning, "_cache_of", cache_of)
    client = Client(settings({"cache": {"dir": str(tmp_path)}}))

    def search(count: int) -> int:
        begin.wait()
        return client.search_sync("tea", engine="stub", face=AGENT, count=count).count

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(search, [3] * 4)) == [3] * 4
    assert len(opened) == 1
    asyncio.run(client.close())


async def test_a_closed_client_opens_its_cache_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(settings({"cache": {"dir": str(tmp_path)}}))
    for _ in range(2):
        await client.search("tea", engine="stub", face=AGENT)
        await client.close()
    assert not caplog.records


class Asker:
    """An engine that asks another through the door for callers that are not asynchronous."""

    id = "asker"

    async def search(self, query: str, num_results: int) -> object:
        return citeseek.search(query, engine="stub", count=num_results, settings=settings()).items


def test_an_engine_may_search_through_the_door_that_it_is_asked_through() -> None:
    client = Client(settings(), engines=[Asker()])
    assert client.search_sync("tea", engine="asker").count == 3
    asyncio.run(client.close())
