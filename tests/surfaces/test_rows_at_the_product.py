"""Rows of the requirements as a user or a program meets them: over real requests, at real doors."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, faults, refused_port, replies
from tests.loopback.models import ModelServer
from tests.serving.running import Caller, running

from citeseek import Client
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.errors import SearchFailed, WebParseError
from citeseek.surfaces.server.app import create_app
from citeseek.tools.contract import WebProvider
from citeseek.tools.langchain import browser_search_tool, web_search_tool

MARKER = "marked-outside-of-what-is-used"


class Many:
    """An engine with more results than anybody asks for."""

    id = "many"

    def __init__(self) -> None:
        self.asked: list[int] = []

    async def search(self, query: str, num_results: int) -> list[dict[str, str]]:
        self.asked.append(num_results)
        return [
            {"title": f"{query} {n}", "url": f"https://e{n}.example/", "snippet": "A leaf."}
            for n in range(12)
        ]


@pytest.mark.requirement("S4-18")
async def test_the_browser_tool_gives_ten_of_twelve() -> None:
    engine = Many()
    async with Client(settings({"browser": {"engine": "many"}}), engines=[engine]) as client:
        shown = json.loads(await browser_search_tool(client).ainvoke("tea"))
    assert len(shown["results"]) == 10
    assert engine.asked == [10]


@pytest.mark.requirement("S0-15")
async def test_the_tool_gives_name_description_and_schema_to_openai() -> None:
    async with Client(settings()) as client:
        told = convert_to_openai_tool(web_search_tool(client))
    function = told["function"]
    assert (told["type"], function["name"]) == ("function", "web_search")
    assert function["description"].startswith("搜索互联网获取实时信息。")
    assert function["parameters"]["required"] == ["query"]
    query = function["parameters"]["properties"]["query"]
    assert query["description"] == "搜索查询关键词,应该具体、清晰、针对性强"


@pytest.mark.requirement("S3-26")
async def test_bocha_is_asked_as_its_settings_say(server: LoopbackServer) -> None:
    found = {"name": "Tea", "url": "https://tea.example/", "snippet": "A leaf."}
    answer = replies.as_json({"code": 200, "data": {"webPages": {"value": [found]}}})
    server.otherwise(answer)
    bocha = {"api_key": "k-5f3a9c", "base_url": server.base_url, "timeout_ms": 300,
             "top_k_default": 7}  # fmt: skip
    chosen = settings({"web": {"providers": {"bocha": bocha}}})
    provider = WebProvider(settings=chosen, backend="bocha")
    try:
        given = await provider.invoke("web.search", {"query": "tea"})
        assert [item["url"] for item in given["items"]] == ["https://tea.example/"]
        (sent,) = server.requests
        assert sent.headers["authorization"] == "Bearer k-5f3a9c"
        assert json.loads(sent.body)["count"] == 7
        server.otherwise(faults.hang())
        with pytest.raises(SearchFailed, match=r"0\.3 s"):
            await provider.invoke("web.search", {"query": "green tea"})
    finally:
        await provider.aclose()


@pytest.mark.requirement("S1-54")
async def test_requests_arrive_where_the_variable_says(server: LoopbackServer) -> None:
    server.on("/search", replies.as_json({"query": "tea", "results": []}))
    async with Client(settings(env={"SEARXNG_BASE_URL": server.base_url})) as client:
        assert (await client.search("tea", engine="searxng")).items == ()
    assert [request.path for request in server.requests] == ["/search"]


@pytest.mark.requirement("S3-16")
async def test_what_an_engine_sent_beside_its_results_is_shown_nowhere(
    server: LoopbackServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="citeseek")
    found = {"title": "Tea", "url": "https://tea.example/", "content": "A leaf.", "engine": "own"}
    answers = [
        replies.as_json({"query": "tea", "results": [{**found, "extra": MARKER}], "x": MARKER}),
        Reply(500, body=MARKER.encode()),
        Reply(500, body=MARKER.encode()),
        Reply(403, body=MARKER.encode()),
        replies.html(f"<p>{MARKER}</p>"),
    ]
    server.on("/search", *answers)
    said: list[str] = []
    chosen = settings(env={"SEARXNG_BASE_URL": server.base_url, "WEB_SEARCH_BACKEND": "searxng"})
    provider = WebProvider(settings=chosen)
    try:
        for query in ("tea", "green tea", "black tea", "white tea"):
            try:
                said.append(repr(await provider.invoke("web.search", {"query": query})))
            except SearchFailed as error:
                said.append(f"{error} {error!r}")
    finally:
        await provider.aclose()
    assert len(said) == 4
    assert MARKER not in "".join(said) + caplog.text


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"{}", b"", b"<html><p>Hello</p></html>"])
@pytest.mark.requirement("S3-41")
async def test_a_page_that_is_not_understood_has_its_code_at_the_tool(
    body: bytes, server: LoopbackServer
) -> None:
    server.otherwise(Reply(200, body=body, headers={"Content-Type": "application/json"}))
    chosen = settings(env={"SEARXNG_BASE_URL": server.base_url, "WEB_SEARCH_BACKEND": "searxng"})
    provider = WebProvider(settings=chosen)
    try:
        with pytest.raises(WebParseError) as caught:
            await provider.invoke("web.search", {"query": "tea"})
    finally:
        await provider.aclose()
    assert caught.value.error_code == "WebParseError"


@pytest.mark.parametrize("how", ["down", "slow", "blocked"])
@pytest.mark.requirement("S4-8")
async def test_the_agent_is_told_what_failed_and_what_to_do(
    how: str, server: LoopbackServer
) -> None:
    server.otherwise(
        faults.hang() if how == "slow" else replies.html(page("ddg_html/blocked_anomaly.html"), 202)
    )
    with refused_port() as port:
        url = f"http://127.0.0.1:{port}" if how == "down" else server.base_url
        config: dict[str, Any] = {"browser": {"engine": "ddg_html", "timeout_seconds": 0.5}}
        async with Client(settings(config, env={"CITESEEK_DDG_HTML_URL": url})) as client:
            told = await browser_search_tool(client, seconds=0.5).ainvoke("tea")
    assert told.startswith("Search failed")
    assert "this does not mean that nothing exists" in told
    said = {"down": "127.0.0.1", "slow": "0.5 s", "blocked": "A person must solve it"}[how]
    assert said in told


@pytest.mark.requirement("S2-50")
def test_a_turn_of_an_agent_has_its_search_only_if_it_is_enabled() -> None:
    agents = {
        "agents": [
            {"id": "on", "webSearch": {"enabled": True, "provider": "stub"}},
            {"id": "off", "webSearch": {"enabled": False}},
        ]
    }
    with ModelServer() as model:
        loaded = settings(agents=agents, env=model.env)
        app = create_app(lambda: loaded, store=MemoryStore(), looks=False)
        with running(app) as address:
            http = Caller(address)
            for agent_id in ("on", "off"):
                model.says("Hello.")
                session = http("POST", "/api/v1/sessions", {"agent_id": agent_id}).json()["id"]
                path = f"/api/v1/sessions/{session}/messages"
                http("POST", path, {"text": "hi"}, {"Accept": "text/event-stream"})
        offered = [request.tools for request in model.requests]
    assert offered == [["web_search"], []]


@pytest.mark.requirement("S1-14")
async def test_without_a_variable_the_usual_address_is_asked() -> None:
    try:
        usual = LoopbackServer(port=8080).__enter__()
    except OSError:
        pytest.skip("a program of this machine has the port")
    try:
        usual.on("/search", replies.as_json({"query": "tea", "results": []}))
        async with Client(settings()) as client:
            assert client.address("searxng") == "http://localhost:8080"
            await client.search("tea", engine="searxng")
        assert [request.headers["host"] for request in usual.requests] == ["localhost:8080"]
    finally:
        usual.__exit__(None, None, None)
