"""The tool behind LangChain's interface, driven by LangChain itself."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterator

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_openai import ChatOpenAI
from tests.conftest import client_at, page
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.loopback.models import KEY, ModelServer

from citeseek import Client
from citeseek.tools.langchain import WebSearchTool, web_search_tool

SENTENCE = "搜索互联网获取实时信息。当需要了解最新事件、实时数据、当前新闻或验证信息时使用此工具。"
QUERY = "搜索查询关键词,应该具体、清晰、针对性强"
DELAY = 0.5


@pytest.fixture
async def client(server: LoopbackServer) -> AsyncIterator[Client]:
    server.on("/search", replies.html(page("searxng/search.json")))
    async with client_at(server.base_url, "searxng") as opened:
        yield opened


@pytest.fixture
def tool(client: Client) -> WebSearchTool:
    return web_search_tool(client)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def chat(model: ModelServer) -> ChatOpenAI:
    return ChatOpenAI(model="test", base_url=model.base_url, api_key=KEY, max_retries=0)


def late(server: LoopbackServer, seconds: float) -> None:
    """Answer each query with two pages of its own, late."""

    def answer(request: object) -> Reply:
        query = request.param("q")  # type: ignore[attr-defined]
        found = [
            {"title": query, "url": f"https://e.example/{query}/{n}", "content": "x"}
            for n in (1, 2)
        ]
        reply = replies.as_json({"query": query, "results": found})
        return Reply(200, reply.headers, reply.body, delay=seconds)

    server.on("/search", answer)


@pytest.mark.requirement("S0-12", "S0-14", "S0-15", "S1-160", "S1-162")
def test_it_is_a_langchain_tool(tool: WebSearchTool) -> None:
    assert isinstance(tool, BaseTool)
    assert tool.name == "web_search"
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool.name)


@pytest.mark.requirement("S1-159", "S1-163", "S1-165", "S1-166", "S1-167", "S1-168")
def test_what_a_model_is_told(
    tool: WebSearchTool,
) -> None:
    told = convert_to_openai_tool(tool)["function"]
    query = told["parameters"]["properties"].pop("query")
    assert told["name"] == "web_search"
    assert SENTENCE in told["description"]
    assert "不需要使用" in told["description"]
    assert "示例" in told["description"]
    assert told["parameters"]["properties"] == {}
    assert told["parameters"]["required"] == ["query"]
    assert (query["type"], query["description"]) == ("string", QUERY)
    assert len(query["examples"]) == 2


@pytest.mark.requirement("S0-14", "S1-162")
async def test_an_agent_calls_it(
    tool: WebSearchTool, model: ModelServer, server: LoopbackServer
) -> None:
    model.calls("web_search", {"query": "tyre pressure chart"})
    model.says("50 kg: 4 bar [1].")
    agent = create_agent(chat(model), [tool])
    told = await agent.ainvoke({"messages": [("user", "how much air?")]})
    assert server.requests[0].param("q") == "tyre pressure chart"
    assert SENTENCE in model.requests[0].body["tools"][0]["function"]["description"]
    assert "[1] Bicycle tyre pressure chart" in model.requests[1].prompt
    message = told["messages"][2]
    assert isinstance(message, ToolMessage)
    assert message.artifact["count"] == 5


async def test_an_agent_goes_on_after_a_failure(
    tool: WebSearchTool, model: ModelServer, server: LoopbackServer
) -> None:
    server.on("/search", Reply(500))
    model.calls("web_search", {"query": "tea"}, {"qwery": "tea"}, {"query": "tea", "self": 1})
    model.says("I could not search.")
    agent = create_agent(chat(model), [tool])
    told = await agent.ainvoke({"messages": [("user", "tea?")]})
    texts = [message.content for message in told["messages"] if message.type == "tool"]
    assert [text.partition(" ")[0] for text in texts] == ["Search", "Invalid", "Search"]


@pytest.mark.requirement("S0-16", "S0-17")
def test_it_is_called_from_plain_code(tool: WebSearchTool) -> None:
    text = tool.invoke({"query": "tea"})
    assert isinstance(text, str)
    assert "[5] " in text


@pytest.mark.requirement("S0-16", "S0-20", "S2-47")
async def test_sync_and_async_give_the_same_text(tool: WebSearchTool) -> None:
    text = tool.invoke({"query": "tea"})  # inside a running loop
    assert await tool.ainvoke({"query": "tea"}) == text
    assert tool.invoke("tea") == await tool.ainvoke("tea") == text
    call = {"type": "tool_call", "id": "1", "name": "web_search", "args": {"query": "tea"}}
    message = await tool.ainvoke(call)
    assert message.content == text
    assert [item["url"] for item in message.artifact["results"]] == re.findall(r"<(http.+)>", text)


@pytest.mark.requirement("S0-19")
async def test_the_loop_is_not_blocked(tool: WebSearchTool, server: LoopbackServer) -> None:
    late(server, DELAY)
    call = asyncio.create_task(tool.ainvoke({"query": "tea"}))
    ticks, longest, before = 0, 0.0, time.perf_counter()
    while not call.done():
        await asyncio.sleep(0.005)
        now = time.perf_counter()
        ticks, longest, before = ticks + 1, max(longest, now - before), now
    assert ticks > 10
    assert longest < DELAY / 2


@pytest.mark.requirement("S0-21")
async def test_five_at_a_time_have_numbers_of_their_own(
    tool: WebSearchTool, server: LoopbackServer
) -> None:
    late(server, DELAY)
    queries = [f"tea-{n}" for n in range(5)]
    began = time.perf_counter()
    texts = await asyncio.gather(*(tool.ainvoke({"query": query}) for query in queries))
    assert time.perf_counter() - began < len(queries) * DELAY
    assert all(f"/{query}/1>" in text for query, text in zip(queries, texts, strict=True))
    numbers = re.findall(r"^\[(\d+)\]", "\n".join(texts), re.MULTILINE)
    assert sorted(map(int, numbers)) == list(range(1, 11))


@pytest.mark.requirement("S0-18")
def test_a_failure_is_returned(tool: WebSearchTool, server: LoopbackServer) -> None:
    server.on("/search", replies.html("<title>Sign in</title>"))
    assert tool.invoke({"query": "tea"}).startswith("Search failed")


@pytest.mark.requirement("S0-18", "P12")
async def test_only_cancellation_passes_through(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    async with client_at(server.base_url, "ddg_html") as client:
        tool = web_search_tool(client, engine="ddg_html")
        call = asyncio.create_task(tool.ainvoke({"query": "tea"}))
        await server.requests.reach(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await server.requests[0].closed


@pytest.mark.parametrize("name", ["self", "config", "run_manager", "callbacks", "tool_call_id"])
async def test_an_argument_that_nobody_asked_for_is_ignored(tool: WebSearchTool, name: str) -> None:
    assert "[1] " in tool.invoke({"query": "tea", name: {"a": 1}})
    assert "[1] " in await tool.ainvoke({"query": "tea", name: None})


async def test_a_client_that_was_given_stays_open(client: Client) -> None:
    async with web_search_tool(client) as tool:
        await tool.ainvoke("tea")
    tool.close()
    assert (await client.search("more tea", engine="searxng")).count == 10
