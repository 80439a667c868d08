"""Calls of a model answered by name: what it is given, what programs are given, what goes wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, faults, replies
from tests.mcp_server.hosting import BUILDERS, LENGTH, LOOPBACK, QUESTION, a_web, searching

from citeseek import Client
from citeseek.errors import CiteseekError, InvalidInput, ToolNotFound, WebBlocked
from citeseek.tools.toolset import ToolAnswer, Toolset

SEARCH, FETCH = "web_search", "web_fetch"


@pytest.fixture
async def client(server: LoopbackServer) -> AsyncIterator[Client]:
    a_web(server)
    async with Client(settings(env=searching(server))) as opened:
        yield opened


async def both(toolset: Toolset, name: str, arguments: Any) -> ToolAnswer:
    """Return the answer of the asynchronous door; the other one says the same of a failure."""
    answer = await toolset.answer(name, arguments)
    if answer.error:
        other = await asyncio.to_thread(toolset.answer_sync, name, arguments)
        assert other.text == answer.text
    return answer


async def test_a_search_is_text_with_numbers_and_json(
    client: Client, server: LoopbackServer
) -> None:
    toolset = Toolset(client)
    answer = await toolset.answer(SEARCH, json.dumps({"query": QUESTION, "count": 2}))
    assert f"[1] length <{server.url('/length')}>" in answer.text
    assert answer.artifact is not None
    assert [found["title"] for found in answer.artifact["results"]] == ["length", "builders"]
    assert [(one.number, one.url) for one in answer.sources] == [
        (1, server.url("/length")),
        (2, server.url("/builders")),
    ]
    assert answer.error is None


async def test_numbers_go_on_through_the_conversation(
    client: Client, server: LoopbackServer
) -> None:
    toolset = Toolset(client)
    page = await toolset.answer(FETCH, {"url": server.url("/builders")})
    found = await toolset.answer(SEARCH, {"query": QUESTION})
    again = await toolset.answer(FETCH, {"url": "[2]"})
    assert BUILDERS in page.text
    assert LENGTH in again.text
    assert [one.number for one in page.sources] == [1]
    assert [one.number for one in found.sources] == [2, 1]
    assert [one.number for one in again.sources] == [2]
    assert len(toolset.registry) == 2


async def test_both_doors_give_the_same(client: Client, server: LoopbackServer) -> None:
    arguments = {"query": QUESTION}
    texts = [Toolset(client).answer_sync(SEARCH, arguments).sources for _ in range(2)]
    texts.append((await Toolset(client).answer(SEARCH, arguments)).sources)
    assert texts[0] == texts[1] == texts[2]
    page = Toolset(client).answer_sync(FETCH, {"url": server.url("/length")})
    assert LENGTH in page.text


async def test_its_choices_are_those_of_the_searches(client: Client) -> None:
    answer = await Toolset(client, engine="stub").answer(SEARCH, {"query": "tea", "count": "2"})
    assert answer.artifact is not None
    assert answer.artifact["provider"] == "stub"
    assert answer.artifact["count"] == 2


@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        (SEARCH, "", "query is missing"),
        (SEARCH, " \n", "query is missing"),
        (SEARCH, None, "query is missing"),
        (SEARCH, "{}", "query is missing"),
        (SEARCH, "null", "query is missing"),
        (SEARCH, '{"query": "te', "no JSON"),
        (SEARCH, '{"query": "tea"} and more', "no JSON"),
        (SEARCH, '["tea"]', "must be an object, not list"),
        (SEARCH, '"tea"', "must be an object, not str"),
        (SEARCH, "5", "must be an object, not int"),
        (SEARCH, "[" * 100_000, "no JSON"),
        (SEARCH, "\ud800", "no JSON"),
        (SEARCH, {"query": "tea", "count": "many"}, "count"),
        (FETCH, "{}", "url is missing"),
        (FETCH, {"url": "[7]"}, "There is no result [7]"),
    ],
    ids=range(15),
)
async def test_what_cannot_be_carried_out_is_said_so_that_a_model_can_mend_it(
    client: Client, server: LoopbackServer, name: str, arguments: Any, word: str
) -> None:
    answer = await both(Toolset(client), name, arguments)
    assert answer.text.startswith("参数错误：")
    assert word in answer.text
    assert isinstance(answer.error, InvalidInput)
    assert (answer.artifact, answer.sources) == (None, ())
    assert not server.requests


@pytest.mark.parametrize("name", ["web.search", "search", "", "Web_Search", "x" * 10_000])
async def test_a_tool_that_there_is_not_is_named_with_those_that_there_are(
    client: Client, name: str
) -> None:
    answer = await both(Toolset(client), name, {"query": "tea"})
    assert isinstance(answer.error, ToolNotFound)
    assert answer.text.startswith("参数错误")
    assert "Known: web_search, web_fetch." in answer.text
    assert len(answer.text) < 200


async def test_a_failure_is_text_and_a_typed_error(client: Client, server: LoopbackServer) -> None:
    server.on("/search", replies.status(429))
    toolset = Toolset(client)
    failed = await toolset.answer(SEARCH, {"query": QUESTION})
    assert isinstance(failed.error, WebBlocked)
    assert failed.error.detail_code == "http_429"
    assert "不表示没有" in failed.text
    page = await toolset.answer(FETCH, {"url": server.url("/nowhere")})
    assert isinstance(page.error, CiteseekError)
    assert "网页的内容不明" in page.text


async def test_with_the_texts_of_the_user_no_address_is_made_up(
    client: Client, server: LoopbackServer
) -> None:
    toolset = Toolset(client, named_in=[f"Read {server.url('/length')}"])
    for url in (server.url("/length?secret=1"), server.url("/builders")):
        refused = await toolset.answer(FETCH, {"url": url})
        assert "stands in no result" in refused.text
    assert LENGTH in (await toolset.answer(FETCH, {"url": server.url("/length")})).text
    await toolset.answer(SEARCH, {"query": QUESTION})
    assert BUILDERS in (await toolset.answer(FETCH, {"url": server.url("/builders")})).text


async def test_cancellation_passes_through(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    env = {"CITESEEK_DDG_HTML_URL": server.base_url, **LOOPBACK}
    async with Client(settings(env=env)) as client:
        toolset = Toolset(client, engine="ddg_html")
        call = asyncio.create_task(toolset.answer(SEARCH, {"query": "tea"}))
        await server.requests.reach(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await server.requests[0].closed


async def test_schemas_are_those_that_it_answers(client: Client) -> None:
    toolset = Toolset(client)
    for form in ("openai", "responses", "anthropic"):
        assert len(toolset.schemas(form)) == 2
    for form in ("contract", "gemini"):
        with pytest.raises(InvalidInput):
            toolset.schemas(form)
