"""The tools as a host uses them, over both transports and both protocols."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import jsonschema
import pytest
from mcp import MCPError
from tests.loopback import LoopbackServer, Signal, faults, replies
from tests.mcp_server.hosting import (
    BUILDERS,
    LENGTH,
    QUESTION,
    WAYS,
    a_web,
    article,
    check_fits,
    hosted,
    results,
    searching,
    text_of,
)

NAMES = [
    "web_search",
    "web_fetch",
    "verify_citations",
    "research_report",
    "start_report",
    "read_report",
]
STUB = {"CITESEEK_ENGINE": "stub"}
FAILURES = [
    (replies.status(403), "AuthError", False),
    (replies.status(429), "WebBlocked", True),
    (replies.status(502), "BadGateway", True),
    (faults.reset(), "NetworkError", True),
    (replies.html("<html><p>Welcome"), "WebParseError", False),
]

pytestmark = pytest.mark.parametrize("way", WAYS)


async def checked(client: Any, name: str, arguments: dict[str, Any], **more: Any) -> Any:
    """Call a tool; what programs are given fits the schema that was announced, also a failure."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    result = await client.call_tool(name, arguments, **more)
    check_fits(result.structured_content, tools[name].output_schema)
    return result


async def test_the_tools_are_listed_with_schemas_and_hints(way: str) -> None:
    async with hosted(way, STUB) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == NAMES
        for tool in tools:
            for schema in (tool.input_schema, tool.output_schema):
                jsonschema.Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object"
            assert tool.input_schema["additionalProperties"] is False
            for about in tool.input_schema["properties"].values():
                assert not re.search(r"[\u4e00-\u9fff]", about["description"])
                if about["type"] == "integer":
                    assert about["minimum"] < about["maximum"]
            assert tool.title
            assert 200 < len(tool.description) < 1_024
            # One is kept.
            assert tool.annotations.read_only_hint is (tool.name != "start_report")
            assert tool.annotations.open_world_hint is True
        assert client.server_info.name == "citeseek"
        assert "web_search" in client.instructions


async def test_a_search_gives_text_and_items(way: str, server: LoopbackServer) -> None:
    a_web(server)
    async with hosted(way, searching(server)) as client:
        result = await checked(client, "web_search", {"query": QUESTION, "count": "2"})
    assert not result.is_error
    items = result.structured_content["items"]
    assert [item["url"] for item in items] == [server.url("/length"), server.url("/builders")]
    assert result.structured_content["provider_meta"]["provider_name"] == "searxng"
    text = text_of(result)
    assert f"[1] length <{server.url('/length')}>" in text
    assert text.startswith("<web-results id=")


async def test_nothing_found_is_no_error(way: str, server: LoopbackServer) -> None:
    server.otherwise(results(server))
    async with hosted(way, searching(server)) as client:
        result = await checked(client, "web_search", {"query": QUESTION})
    assert not result.is_error
    assert result.structured_content["items"] == []
    assert "Nothing found" in text_of(result)


@pytest.mark.sample(2)
async def test_a_page_is_read(way: str, server: LoopbackServer) -> None:
    a_web(server)
    async with hosted(way, searching(server)) as client:
        result = await checked(client, "web_fetch", {"url": server.url("/length")})
    assert not result.is_error
    assert LENGTH in text_of(result)
    page = result.structured_content
    assert (page["status_code"], page["title"]) == (200, "The Alder Bridge")
    assert LENGTH in page["text"]


@pytest.mark.sample(1)
async def test_a_report_quotes_its_sources_and_tells_how_far_it_is(
    way: str, server: LoopbackServer
) -> None:
    a_web(server)
    told: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async with hosted(way, searching(server)) as client:
        arguments = {"question": QUESTION, "max_sources": 2.0}
        result = await checked(client, "research_report", arguments, progress_callback=progress)
    assert not result.is_error, text_of(result)
    report = result.structured_content
    assert report["ok"] is True
    quotes = [evidence["quote"] for evidence in report["artifacts"]["evidence"]]
    assert LENGTH in quotes
    assert all(quote in LENGTH + BUILDERS for quote in quotes)
    assert report["artifacts"]["report"]["text"] in text_of(result)
    done = [each[0] for each in told]
    assert done == sorted(set(done))
    assert done[-1] == 100
    assert {each[1] for each in told} == {100}
    assert any("searching" in (each[2] or "") for each in told)
    assert any(server.url("/length") in (each[2] or "") for each in told)


@pytest.mark.sample(3)
@pytest.mark.parametrize(("answer", "code", "retryable"), FAILURES)
async def test_a_failed_search_is_a_typed_error(
    way: str, server: LoopbackServer, answer: Any, code: str, retryable: object
) -> None:
    server.otherwise(answer)
    async with hosted(way, searching(server)) as client:
        result = await checked(client, "web_search", {"query": QUESTION})
    assert result.is_error
    error = result.structured_content["error"]
    assert error["error_code"] == code
    assert error["retryable"] is retryable
    assert error["engine"] == "searxng"
    assert "Search failed, this does not mean that nothing exists" in text_of(result)
    assert error["message"] in text_of(result)


@pytest.mark.sample(7)
@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        ("web_search", {}, "query is missing"),
        ("web_search", {"query": ""}, "query is empty"),
        ("web_search", {"query": "tea", "limit": 3}, "web_search takes no 'limit'. It takes query"),
        ("web_search", {"query": "tea", "count": "many"}, "count"),
        ("web_search", {"query": "tea", "freshness": "soon"}, "freshness"),
        ("web_fetch", {}, "url is missing"),
        ("web_fetch", {"url": "ftp://example.com/"}, "http"),
        ("web_fetch", {"url": "[3]"}, "[3]"),
        ("verify_citations", {}, "text is missing"),
        ("verify_citations", {"text": "The bridge is long."}, "cites nothing"),
        ("verify_citations", {"text": "The bridge is 412 metres long [1]."}, "No address is known"),
        ("research_report", {"question": ""}, "empty"),
        ("research_report", {"question": ["tea"]}, ""),
        ("research_report", {"question": "tea", "max_sources": 21}, "max_sources"),
        ("research_report", {"question": "tea", "depth": "deep"}, "depth"),
        ("research_report", {"question": "tea", "seconds": True}, ""),
    ],
)
async def test_what_cannot_be_asked_is_said_so_that_a_model_can_mend_it(
    way: str, name: str, arguments: dict[str, Any], word: str
) -> None:
    async with hosted(way, STUB) as client:
        result = await checked(client, name, arguments)
    assert result.is_error
    error = result.structured_content["error"]
    assert error["error_code"] == "InvalidInput"
    assert error["retryable"] is False
    assert word in text_of(result)
    assert "Invalid argument" in text_of(result)


async def test_an_address_that_is_not_public_is_refused(way: str, server: LoopbackServer) -> None:
    async with hosted(way, STUB) as client:
        result = await checked(client, "web_fetch", {"url": server.url("/length")})
    error = result.structured_content["error"]
    assert (error["error_code"], error["detail_code"]) == ("WebBlocked", "ssrf_blocked")
    assert error["hint"]
    assert not server.requests


async def test_a_report_without_a_page_is_an_error_with_its_steps(
    way: str, server: LoopbackServer
) -> None:
    server.on("/search", results(server, "length"))
    async with hosted(way, searching(server)) as client:
        result = await checked(client, "research_report", {"question": QUESTION})
    assert result.is_error
    told = result.structured_content
    assert told["ok"] is False
    assert told["error"]["step"] == "tool.web.fetch"
    assert told["error"]["detail_code"] == "http_404"
    assert [step["ok"] for step in told["steps"]][:2] == [True, False]
    assert "There is no report" in text_of(result)


async def test_a_model_that_cannot_be_made_is_named(way: str) -> None:
    async with hosted(way, {**STUB, "CITESEEK_MODEL": "nobody:none"}) as client:
        result = await checked(client, "research_report", {"question": QUESTION})
    error = result.structured_content["error"]
    assert (error["error_code"], error["detail_code"]) == ("ModelFailed", "unknown_model")
    assert "nobody" in text_of(result)


async def test_an_unknown_tool_is_a_fault_of_the_caller(way: str) -> None:
    async with hosted(way, STUB) as client:
        with pytest.raises(MCPError, match="web_search, web_fetch, verify_citations"):
            await client.call_tool("web_serach", {"query": "tea"})


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("web_search", {"query": QUESTION}), ("research_report", {"question": QUESTION})],
)
async def test_a_cancelled_call_stops_the_search(
    way: str, server: LoopbackServer, name: str, arguments: dict[str, Any]
) -> None:
    server.on("/html/", faults.hang())
    # Its transport hangs up at once, as a browser does.
    env = {**searching(server), "CITESEEK_ENGINE": "ddg_html"}
    async with hosted(way, {**env, "CITESEEK_DDG_HTML_URL": server.base_url}) as client:
        await client.list_tools()
        call = asyncio.create_task(client.call_tool(name, arguments))
        assert await server.requests.reach(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await server.requests[0].closed
        # The server lives on, and nothing went on behind the call.
        server.on("/length", article("A page", LENGTH))
        assert not (await client.call_tool("web_fetch", {"url": server.url("/length")})).is_error
    assert [request.path for request in server.requests] == ["/html/", "/length"]


@pytest.mark.sample(2)
async def test_calls_run_side_by_side(way: str, server: LoopbackServer) -> None:
    all_there = Signal()
    server.on("/search", replies.held(results(server, "length"), all_there))
    server.on("/page", replies.held(article("A page", LENGTH), all_there))
    async with hosted(way, searching(server)) as client:
        await client.list_tools()
        calls = [
            asyncio.create_task(client.call_tool("web_search", {"query": f"bridge {number}"}))
            for number in range(4)
        ]
        calls.append(
            asyncio.create_task(client.call_tool("web_fetch", {"url": server.url("/page")}))
        )
        assert await server.requests.reach(5)
        all_there.set()
        assert not any(result.is_error for result in await asyncio.gather(*calls))
