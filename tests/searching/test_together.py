"""Several engines at once, one after the other, and engines that are left alone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, faults, refused_port, replies

from citeseek import Client, InvalidInput
from citeseek.errors import BadGateway, SearchFailed, WebBlocked
from citeseek.health.engine_checks import check_engines
from citeseek.i18n import catalogue
from citeseek.tools.search_formats import failure_text

RESULTS = {
    "ddg_html": replies.html(page("ddg_html/html_results.html")),
    "bing_html": replies.html(page("bing/results.html")),
    "mojeek": replies.html(page("mojeek/results.html")),
    "searxng": Reply(200, {"Content-Type": "application/json"}, page("searxng/search.json")),
    "brave": Reply(200, {"Content-Type": "application/json"}, page("brave/web.json")),
}


@contextmanager
def engines(answers: dict[str, Reply], **search: object) -> Iterator[tuple[Client, dict]]:
    """Give a client whose engines are a server each, and the servers."""
    with ExitStack() as stack:
        servers = {}
        config = {}
        for name, answer in answers.items():
            servers[name] = stack.enter_context(LoopbackServer())
            servers[name].otherwise(answer)
            config[name] = {"base_url": servers[name].base_url, "api_key": "k"}
        yield Client(settings({"engines": config, "search": search})), servers


def late(reply: Reply, seconds: float) -> Reply:
    return Reply(reply.status, reply.headers, reply.body, delay=seconds)


async def test_engines_are_asked_at_the_same_time_and_merged() -> None:
    with engines({name: late(reply, 1) for name, reply in RESULTS.items()}) as (client, _):
        began = time.perf_counter()
        response = await client.search("bicycle tyre pressure", engines=list(RESULTS), count=30)
        took = time.perf_counter() - began
    assert took < len(RESULTS)
    assert response.provider == "ddg_html+bing_html+mojeek+searxng+brave"
    assert [item.rank for item in response.items] == list(range(1, response.count + 1))
    assert len({item.url for item in response.items}) == response.count
    assert any(len(item.engines) > 1 for item in response.items)
    assert response.pending == ()
    assert response.errors == ()


async def test_the_order_does_not_depend_on_who_comes_first() -> None:
    names = ["ddg_html", "mojeek", "brave"]
    urls = set()
    for delays in ((0.0, 0.1, 0.2), (0.2, 0.1, 0.0)):
        answers = {n: late(RESULTS[n], d) for n, d in zip(names, delays, strict=True)}
        with engines(answers) as (client, _):
            response = await client.search("tyre", engines=names)
            urls.add(tuple(item.url for item in response.items))
    assert len(urls) == 1


async def test_a_hanging_engine_costs_its_own_results_and_is_named() -> None:
    answers = {"ddg_html": RESULTS["ddg_html"], "mojeek": faults.hang()}
    with engines(answers) as (client, _):
        began = time.perf_counter()
        response = await client.search("tyre", engines=["ddg_html", "mojeek"], seconds=0.5)
        took = time.perf_counter() - began
    assert 0.4 < took < 4
    assert response.count
    assert [(e.engine, e.type) for e in response.errors] == [("mojeek", "Timeout")]


async def test_with_a_quorum_the_hanging_engine_is_not_waited_for() -> None:
    healthy = {name: late(RESULTS[name], 0.2) for name in ("ddg_html", "brave")}
    answers = {**healthy, "mojeek": faults.hang()}
    with engines(answers) as (client, servers):
        began = time.perf_counter()
        response = await client.search("tyre", engines=list(answers), quorum=2, seconds=30)
        assert time.perf_counter() - began < 15
        assert servers["mojeek"].requests[0].closed.wait()
    assert [(e.engine, e.detail_code) for e in response.errors] == [("mojeek", "not_waited_for")]


async def test_answers_arrive_as_a_stream() -> None:
    answers = {"ddg_html": RESULTS["ddg_html"], "brave": late(RESULTS["brave"], 1)}
    with engines(answers) as (client, _):
        arrived = [each async for each in client.stream("tyre", engines=list(answers))]
    assert [response.pending for response in arrived] == [("brave",), ()]
    assert arrived[0].provider == "ddg_html"
    assert arrived[-1].provider == "ddg_html+brave"


async def test_leaving_a_stream_early_ends_the_other_searches() -> None:
    answers = {"ddg_html": late(RESULTS["ddg_html"], 0.2), "mojeek": faults.hang()}
    with engines(answers) as (client, servers):
        stream = client.stream("tyre", engines=list(answers))
        async for _ in stream:
            break
        await stream.aclose()
        assert servers["mojeek"].requests[0].closed.wait()


async def test_one_failure_is_named_and_all_failures_are_an_error() -> None:
    blocked = replies.html(page("ddg_html/blocked_anomaly.html"), 202)
    with engines({"ddg_html": blocked, "brave": RESULTS["brave"]}) as (client, _):
        response = await client.search("tyre", engines=["ddg_html", "brave"])
    assert response.provider == "brave"
    assert [(e.engine, e.detail_code) for e in response.errors] == [
        ("ddg_html", "captcha_required")
    ]
    both = {"ddg_html": blocked, "brave": replies.status(503)}
    with engines(both) as (client, _), pytest.raises(SearchFailed) as caught:
        await client.search("tyre", engines=list(both))
    assert {type(e) for e in (caught.value, *caught.value.earlier)} == {WebBlocked, BadGateway}


async def test_an_answer_with_failures_is_not_kept() -> None:
    answers = {"ddg_html": RESULTS["ddg_html"], "brave": replies.status(503)}
    with engines(answers) as (client, servers):
        await client.search("tyre", engines=list(answers))
        servers["brave"].otherwise(RESULTS["brave"])
        second = await client.search("tyre", engines=list(answers))
        third = await client.search("tyre", engines=list(answers))
    assert (second.cached, second.errors) == (False, ())
    assert third.cached


async def test_settings_name_engines_a_quorum_and_a_fallback() -> None:
    search = {"engines": ["mojeek"], "fallback": "brave, ddg_html"}
    answers = {"mojeek": replies.status(503), "brave": RESULTS["brave"]}
    with engines(answers, **search) as (client, _):
        response = await client.search("tyre")
    assert response.provider == "brave"
    assert [(e.engine, e.type) for e in response.errors] == [("mojeek", "BadGateway")]


async def test_a_key_that_is_refused_does_not_fall_over() -> None:
    search = {"engine": "brave", "fallback": ["mojeek"]}
    answers = {"brave": replies.status(401), "mojeek": RESULTS["mojeek"]}
    with engines(answers, **search) as (client, servers), pytest.raises(SearchFailed):
        await client.search("tyre")
    assert not servers["mojeek"].requests


async def test_engines_of_one_index_have_one_vote() -> None:
    same = {"ddg_html": RESULTS["ddg_html"], "bing_html": RESULTS["bing_html"]}
    with engines({**same, "brave": RESULTS["brave"]}) as (client, _):
        response = await client.search("tyre", engines=[*same, "brave"], count=50)
    both = {item.url for item in response.items if {"ddg_html", "bing_html"} <= set(item.engines)}
    first = response.items[0]
    assert "brave" in first.engines or not both


async def test_filters_that_an_engine_cannot_do_carry_its_name() -> None:
    with engines({"ddg_html": RESULTS["ddg_html"], "wikipedia": replies.status(500)}) as (c, _):
        response = await c.search("tyre", engines=["ddg_html", "stub"], freshness="week")
    assert response.ignored == ("stub.freshness",)


@pytest.mark.parametrize("quorum", [0, -1, 21, True])
async def test_a_quorum_out_of_range_is_bad_input(quorum: object) -> None:
    async with Client(settings()) as client:
        with pytest.raises(InvalidInput, match="quorum"):
            await client.search("tyre", engines=["stub"], quorum=quorum)


@pytest.mark.requirement("S2-63")
async def test_an_html_engine_has_a_rate_limit() -> None:
    with LoopbackServer() as server:
        server.otherwise(RESULTS["ddg_html"])
        entry = {"base_url": server.base_url, "rate_per_minute": 2}
        async with Client(settings({"engines": {"ddg_html": entry}})) as client:
            await client.search("one", engine="ddg_html")
            await client.search("two", engine="ddg_html")
            with pytest.raises(WebBlocked, match="rate_per_minute") as caught:
                await client.search("three", engine="ddg_html", seconds=1)
        assert len(server.requests) == 2
    assert caught.value.retryable
    assert caught.value.retry_after


async def test_a_blocked_engine_is_left_alone_and_says_so() -> None:
    blocked = replies.html(page("ddg_html/blocked_anomaly.html"), 202)
    with engines({"ddg_html": blocked}) as (client, servers):
        for _ in range(3):
            with pytest.raises(WebBlocked) as caught:
                await client.search("tyre", engine="ddg_html")
    assert len(servers["ddg_html"].requests) == 1
    assert caught.value.detail_code == "captcha_required"
    assert "Cooling down" in str(caught.value)
    assert "冷却中" in failure_text(caught.value, catalogue("zh"))
    assert caught.value.retry_after


async def test_engines_check_tells_the_states_apart(tmp_path: Path) -> None:
    answers = {
        "ddg_html": RESULTS["ddg_html"],
        "bing_html": replies.html(page("bing/blocked.html")),
        "mojeek": replies.html(page("mojeek/drift.html")),
        "baidu_html": replies.html(page("baidu_html/no_results.html")),
        "searxng": replies.status(502),
        "brave": replies.status(401),
    }
    with engines(answers) as (client, _), refused_port() as port:
        client.settings.sources.config["engines"]["wikipedia"] = {  # type: ignore[index]
            "base_url": f"http://127.0.0.1:{port}"
        }
        found = await check_engines(client, [*answers, "wikipedia", "tavily"], tmp_path)
    states = {finding.engine: finding.state for finding in found}
    assert states == {
        "ddg_html": "ok",
        "bing_html": "blocked",
        "mojeek": "drifted",
        "baidu_html": "empty",
        "searxng": "unreachable",
        "brave": "key_refused",
        "wikipedia": "unreachable",
        "tavily": "no_key",
    }
    kept = {f.engine: Path(f.evidence) for f in found if f.evidence}
    assert kept["mojeek"].read_bytes() == page("mojeek/drift.html")
    about = json.loads(kept["mojeek"].with_suffix(".meta.json").read_text())
    assert about["detail_code"] == "drift"
    assert about["status"] == 200


async def test_fifty_searches_leave_no_task_behind() -> None:
    """S1-12: a local SearXNG, used for a while."""
    with LoopbackServer() as server:
        server.otherwise(RESULTS["searxng"])
        entry = {"base_url": server.base_url}
        async with Client(settings({"engines": {"searxng": entry}})) as client:
            for number in range(50):
                await client.search(f"tyre {number}", engine="searxng")
        assert len(server.requests) == 50
        assert server.connections <= 2
    assert asyncio.all_tasks() == {asyncio.current_task()}
