"""The tool without a framework: what a model is shown, by which numbers, and what it may send."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.conftest import client_at, page, settings
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.shelf import Shelf

from citeseek import Client
from citeseek.citations import CitationRegistry
from citeseek.faces import AGENT
from citeseek.searching.cache import session_cache
from citeseek.tools.web_search import CONFIGURED_WEB_SEARCH, BegunCall, Call, WebSearch
from citeseek.urls import same_page_key

CJK, EMOJI = "茶" * 1_000, "👩‍🔬" * 1_000


def results(*numbers: int, snippet: str = "A leaf.") -> dict[str, Any]:
    """Return SearXNG's answer with a page for each of ``numbers``."""
    found = [
        {"title": f"Tea {n}", "url": f"https://tea.example/{n}", "content": snippet, "engine": "x"}
        for n in numbers
    ]
    return {"query": "tea", "results": found, "unresponsive_engines": []}


@pytest.fixture
async def client(server: LoopbackServer) -> AsyncIterator[Client]:
    server.on("/search", replies.as_json(results(*range(20))))
    async with client_at(server.base_url, "searxng") as opened:
        yield opened


def numbers(call: Call) -> list[int]:
    return [int(number) for number in re.findall(r"^\[(\d+)\]", call.text, re.MULTILINE)]


@pytest.mark.requirement("S0-13")
async def test_the_calls_arrive_at_the_service_that_was_given(
    client: Client, server: LoopbackServer
) -> None:
    await WebSearch(client).run({"query": "green tea"})
    assert [request.param("q") for request in server.requests] == ["green tea"]


@pytest.mark.requirement("S0-22", "S0-24")
async def test_the_first_five_of_twenty_are_shown_in_order(client: Client) -> None:
    call = await WebSearch(client).run({"query": "tea"})
    assert re.findall(r"<(\S+)>", call.text) == [f"https://tea.example/{n}" for n in range(5)]


@pytest.mark.requirement("S0-9", "S0-10", "S0-17", "S0-41")
async def test_a_result_is_two_lines_that_begin_with_its_number(
    client: Client,
) -> None:
    call = await WebSearch(client).run({"query": "tea"})
    opening, *shown, closing = call.text.splitlines()
    assert shown[:4] == [
        "[1] Tea 0 <https://tea.example/0>",
        "  A leaf.",
        "[2] Tea 1 <https://tea.example/1>",
        "  A leaf.",
    ]
    assert opening.startswith("<web-results id=")
    assert closing == opening.replace("<", "</")
    assert len(shown) == 10


@pytest.mark.parametrize("snippet", [CJK, EMOJI], ids=["cjk", "emoji"])
@pytest.mark.requirement("S0-23", "S0-24", "P11")
async def test_a_summary_has_at_most_200_characters_and_no_half_one(
    client: Client, server: LoopbackServer, snippet: str
) -> None:
    server.on("/search", replies.as_json(results(1, snippet=snippet)))
    call = await WebSearch(client).run({"query": "tea"})
    summary = call.text.splitlines()[2].removeprefix("  ")
    assert 190 < len(summary) <= 200
    assert summary.endswith("…")
    assert snippet.startswith(summary[:-1])
    assert not summary[:-1].endswith("\u200d")
    assert snippet[len(summary) - 1] in "茶👩"
    assert call.response
    assert call.response.items[0].snippet == snippet


@pytest.mark.requirement("P8", "S0-40")
async def test_numbers_go_on_and_a_page_keeps_its_own(
    client: Client, server: LoopbackServer
) -> None:
    pages = [results(1, 2, 3), results(3, 4)]
    server.on("/search", *map(replies.as_json, pages))
    tool = WebSearch(client)
    first, second = await tool.run({"query": "tea"}), await tool.run({"query": "more tea"})
    assert (numbers(first), numbers(second)) == ([1, 2, 3], [3, 4])
    assert (first.round, second.round) == (1, 2)
    assert [source.number for source in second.sources] == [3, 4]


async def test_an_empty_registry_that_is_given_is_the_one_that_is_filled(client: Client) -> None:
    registry = CitationRegistry(same_page_key=same_page_key)
    await WebSearch(client, registry=registry).run({"query": "tea"})
    assert len(registry) == 5


@pytest.mark.requirement("P8")
async def test_a_repeat_from_the_session_opens_no_round(client: Client) -> None:
    tool = WebSearch(client, cache=session_cache())
    first, again = await tool.run({"query": "tea"}), await tool.run({"query": " tea "})
    assert again.text == first.text
    assert (again.round, len(tool.registry.rounds)) == (0, 1)


@pytest.mark.requirement("P6", "P8")
async def test_another_sessions_answer_is_a_round_and_ones_own_is_not(
    client: Client, server: LoopbackServer
) -> None:
    mine = WebSearch(client, CONFIGURED_WEB_SEARCH, face=AGENT, engine="searxng")
    yours = WebSearch(client, CONFIGURED_WEB_SEARCH, face=AGENT, engine="searxng")
    calls = [await tool.run({"query": "tea"}) for tool in (mine, yours, yours)]
    assert [call.round for call in calls] == [1, 1, 0]
    assert len(server.requests) == 1


async def test_a_repeat_that_shows_more_is_a_round(client: Client) -> None:
    registry = CitationRegistry(same_page_key=same_page_key)
    cache = session_cache()
    few = WebSearch(client, registry=registry, cache=cache, max_results=2)
    many = WebSearch(client, registry=registry, cache=cache, max_results=4)
    await few.run({"query": "tea"})
    call = await many.run({"query": "tea"})
    assert (call.round, numbers(call)) == (2, [1, 2, 3, 4])


async def test_equal_searches_at_one_time_are_one_round(
    client: Client, server: LoopbackServer
) -> None:
    server.on("/search", Reply(200, {}, replies.as_json(results(1, 2)).body, delay=0.05))
    tool = WebSearch(client, cache=session_cache())
    calls = await asyncio.gather(*(tool.run({"query": "tea"}) for _ in range(4)))
    assert sorted(call.round for call in calls) == [0, 0, 0, 1]
    assert {call.text for call in calls} == {calls[0].text}
    assert len(server.requests) == 1


async def test_one_page_twice_in_an_answer_has_one_number(
    client: Client, server: LoopbackServer
) -> None:
    server.on("/search", replies.as_json(results(1, 1, 2)))
    assert numbers(await WebSearch(client).run({"query": "tea"})) == [1, 2]


async def test_nothing_found_is_said_and_is_no_failure(
    client: Client, server: LoopbackServer
) -> None:
    server.on("/search", replies.html(page("searxng/no_results.json")))
    call = await WebSearch(client).run({"query": "tea"})
    assert (call.text, call.error) == ("Nothing found", None)


@pytest.mark.parametrize(
    "reply",
    [Reply(500), faults.reset(), faults.hang(), replies.html("<title>Sign in</title>")],
    ids=["500", "reset", "timeout", "bad json"],
)
@pytest.mark.requirement("S0-18", "P12")
async def test_a_failure_is_readable_text(
    client: Client, server: LoopbackServer, reply: Reply
) -> None:
    server.on("/search", reply)
    call = await WebSearch(client, seconds=0.3).run({"query": "tea"})
    assert call.text.startswith("Search failed, this does not mean that nothing exists")
    assert "searxng" in call.text
    assert "Nothing found" not in call.text
    assert (call.artifact, call.response) == (None, None)


@pytest.mark.requirement("S0-18")
async def test_a_fault_of_our_own_is_text_as_well() -> None:
    async with Client(settings()) as client:
        call = await WebSearch(client, cited=lambda: 1 / 0, engine="stub").run({"query": "tea"})  # type: ignore[arg-type,return-value]
    assert "broke off unexpectedly" in call.text


@pytest.mark.parametrize("query", [None, "", "  \u3000\n", 5, ["tea"], {"q": "tea"}])
@pytest.mark.requirement("P37")
async def test_what_is_no_query_is_an_argument_to_mend(query: Any) -> None:
    shelf = Shelf()
    async with Client(settings(), engines=[shelf]) as client:
        call = await WebSearch(client, engine="shelf").run({"query": query})
    assert call.text.startswith("Invalid argument: ")
    assert "query" in call.text
    assert shelf.calls == []


@pytest.mark.parametrize(
    ("sent", "asked"),
    [(3, 3), (3.0, 3), ("3", 3), (" 3 ", 3), (0, 1), (-5, 1), (11, 10), (999, 10), (None, 5)],
)
@pytest.mark.requirement("P3", "S2-46")
async def test_the_count_of_a_model_is_taken_into_1_to_10(sent: Any, asked: int) -> None:
    shelf = Shelf()
    async with Client(settings(), engines=[shelf]) as client:
        tool = WebSearch(client, CONFIGURED_WEB_SEARCH, face=AGENT, engine="shelf")
        await tool.run({"query": "tea", "count": sent})
    assert shelf.calls == [("tea", asked)]


@pytest.mark.parametrize("count", ["five", 2.5, True, [5], {}, float("inf"), float("nan")])
@pytest.mark.requirement("S2-46")
async def test_a_count_that_is_no_number_is_named(count: Any) -> None:
    shelf = Shelf()
    async with Client(settings(), engines=[shelf]) as client:
        tool = WebSearch(client, CONFIGURED_WEB_SEARCH, face=AGENT, engine="shelf")
        call = await tool.run({"query": "tea", "count": count})
    assert "count must be a whole number from 1 to 10" in call.text
    assert shelf.calls == []


@pytest.mark.parametrize(("written", "meant"), [("pw", "week"), ("WEEK", "week"), (" ", None)])
@pytest.mark.requirement("P33")
async def test_freshness_may_be_written_as_brave_writes_it(
    client: Client, written: str, meant: str | None
) -> None:
    tool = WebSearch(client, CONFIGURED_WEB_SEARCH, face=AGENT, engine="searxng")
    call = await tool.run({"query": "tea", "freshness": written, "country": " US "})
    assert call.response
    assert call.response.query.freshness == meant
    assert call.response.query.country == "us"


@pytest.mark.requirement("P33")
async def test_a_range_may_be_written_as_brave_writes_it(client: Client) -> None:
    tool = WebSearch(client, CONFIGURED_WEB_SEARCH, face=AGENT, engine="searxng")
    call = await tool.run({"query": "tea", "freshness": "2026-01-01to2026-01-31"})
    assert call.response
    assert str(call.response.query.freshness) == "2026-01-01..2026-01-31"


@pytest.mark.parametrize("name", ["country", "freshness"])
@pytest.mark.requirement("S2-46")
async def test_a_filter_that_nobody_understands_is_named(client: Client, name: str) -> None:
    tool = WebSearch(client, CONFIGURED_WEB_SEARCH, face=AGENT, engine="searxng")
    for value in ("soon-ish", 7):
        call = await tool.run({"query": "tea", name: value})
        assert call.text.startswith("Invalid argument")
        assert name in call.text


async def test_the_listener_hears_each_call_begin_and_end(client: Client) -> None:
    heard: list[BegunCall | Call] = []
    tool = WebSearch(client, listener=heard.append)
    first = await tool.run({"query": "tea"})
    second = await tool.run({"query": None})
    assert heard == [BegunCall(number=1, query="tea"), first, BegunCall(number=2, query=""), second]
