"""The tool of an agent with online search: when there is one, and that it obeys its options."""

from __future__ import annotations

import ast
import logging
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool as as_tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_openai import ChatOpenAI
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.loopback.models import KEY as MODEL_KEY
from tests.loopback.models import ModelServer
from tests.shelf import Shelf

import citeseek
from citeseek import Client, Settings, create_web_search_tool, load_agent_config
from citeseek.citations import CitationRegistry
from citeseek.errors import InvalidInput
from citeseek.searching.cache import MemoryCache
from citeseek.tools.langchain import WebSearchTool
from citeseek.tools.search_options import WebSearchOptions
from citeseek.urls import same_page_key

ADDITION = "联网搜索，支持多 Provider；无 Key 时使用 duck-duck-scrape"
SENTENCE = "搜索互联网获取实时信息。当需要了解最新事件、实时数据、当前新闻或验证信息时使用此工具。"
KEY = "brave-key-82"
ON = {"enabled": True}
BRAVE = {"enabled": True, "provider": "brave", "apiKey": KEY}
ROOT = Path(citeseek.__file__).parent


@pytest.fixture
def engines() -> Iterator[LoopbackServer]:
    """Give DuckDuckGo and Brave on one server."""
    with LoopbackServer() as running:
        running.on("/html/", replies.html(page("ddg_html/html_results.html")))
        running.on("/res/v1/web/search", replies.html(page("brave/web.json")))
        yield running


def at(server: LoopbackServer, search: dict[str, Any] | None = None, **entry: Any) -> Settings:
    """Return settings whose DuckDuckGo and Brave are ``server``."""
    reached = {"base_url": server.base_url, **entry}
    return settings(
        {"engines": {"ddg_html": reached, "brave": reached}, "tools": {"webSearch": search or {}}}
    )


def made(options: Any, *, using: Settings | None = None, **choices: Any) -> WebSearchTool:
    tool = create_web_search_tool(options, settings=using or settings(), **choices)
    assert tool is not None
    return tool


def asked(server: LoopbackServer) -> list[str]:
    return [request.path for request in server.requests]


def artifact(tool: WebSearchTool, **arguments: Any) -> dict[str, Any]:
    call = {"type": "tool_call", "id": "1", "name": "web_search", "args": arguments}
    found: dict[str, Any] = tool.invoke(call).artifact
    return found


@pytest.mark.parametrize("enabled", [False, "true", 1, None, "yes", [], {}])
@pytest.mark.requirement("S2-3", "S2-40", "S2-43")
def test_without_a_plain_true_there_is_no_tool(enabled: Any) -> None:
    assert create_web_search_tool({"enabled": enabled}) is None
    assert create_web_search_tool({}) is None
    assert create_web_search_tool(None) is None
    assert create_web_search_tool(WebSearchOptions(enabled=enabled)) is None


@pytest.mark.requirement("S2-44", "S2-45", "P23")
def test_what_a_model_is_told() -> None:
    told = convert_to_openai_tool(made(ON))["function"]
    assert told["name"] == "web_search"
    assert ADDITION in told["description"]
    assert SENTENCE in told["description"]
    parameters = told["parameters"]
    assert list(parameters["properties"]) == ["query", "count", "country", "freshness"]
    assert parameters["required"] == ["query"]
    count = parameters["properties"]["count"]
    assert (count["type"], count["minimum"], count["maximum"]) == ("integer", 1, 10)
    query = parameters["properties"]["query"]
    assert query["description"] == "搜索查询关键词,应该具体、清晰、针对性强"


@pytest.mark.requirement("S2-2", "S2-34", "S2-36")
def test_without_a_key_duckduckgo_is_asked(engines: LoopbackServer) -> None:
    with made(ON, using=at(engines)) as tool:
        found = artifact(tool, query="tea")
    assert found["provider"] == "duck-duck-scrape"
    assert asked(engines) == ["/html/"]
    secrets = {"authorization", "x-subscription-token", "cookie"}
    assert not secrets & engines.requests[0].headers.keys()


@pytest.mark.requirement("S2-35", "S2-38", "S2-42")
def test_the_key_of_the_options_is_used(engines: LoopbackServer) -> None:
    with made(BRAVE, using=at(engines, api_key="of-config")) as tool:
        found = artifact(tool, query="tea", count=3, country="us", freshness="week")
        artifact(tool, query="tea", count=3, country="us", freshness="week")
        artifact(tool, query="tea", count=3, country="de", freshness="week")
    request, other = engines.requests
    assert found["provider"] == "brave"
    assert (request.method, request.path) == ("GET", "/res/v1/web/search")
    assert request.headers["x-subscription-token"] == KEY
    sent = {name: request.param(name) for name in ("q", "count", "country", "freshness")}
    assert sent == {"q": "tea", "count": "3", "country": "US", "freshness": "pw"}
    assert other.param("country") == "DE"


@pytest.mark.parametrize("key", [None, "", "  ", "ä", 5])
@pytest.mark.requirement("S2-41", "P14")
def test_brave_without_a_key_falls_back_and_says_so(
    engines: LoopbackServer, key: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with made({**BRAVE, "apiKey": key}, using=at(engines)) as tool:
        found = artifact(tool, query="tea")
    assert found["provider"] == "duck-duck-scrape"
    assert asked(engines) == ["/html/"]
    assert "brave has no key; duck-duck-scrape is used" in caplog.text


@pytest.mark.requirement("S2-42")
def test_the_options_may_be_a_struct(engines: LoopbackServer) -> None:
    options = WebSearchOptions(enabled=True, provider="brave", api_key=KEY, max_results=2)
    with made(options, using=at(engines)) as tool:
        assert artifact(tool, query="tea")["count"] == 2


@pytest.mark.requirement("S2-12", "S2-42", "P3")
def test_max_results_is_the_default_and_the_most(
    engines: LoopbackServer,
) -> None:
    with made({**ON, "maxResults": 3}, using=at(engines)) as tool:
        assert len(re.findall(r"^\[\d+\]", tool.invoke("tea"), re.MULTILINE)) == 3
        assert artifact(tool, query="tea", count=2)["count"] == 2
        assert artifact(tool, query="tea", count=9)["count"] == 3
        text = tool.invoke({"query": "tea", "count": 99})
    assert len(re.findall(r"^\[\d+\]", text, re.MULTILINE)) == 3
    with made({**ON, "maxResults": 10}, using=at(engines)) as tool:
        assert artifact(tool, query="tea", count=99)["count"] == 10


@pytest.mark.parametrize("number", [0, 11, -1, "x"])
@pytest.mark.requirement("P25")
def test_an_option_that_cannot_be_read_leaves_the_choice_to_the_files(
    engines: LoopbackServer, number: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with made({**ON, "maxResults": number}, using=at(engines, {"maxResults": 7})) as tool:
        assert artifact(tool, query="tea")["count"] == 7
    assert "options: maxResults" in caplog.text


def test_a_warning_names_the_option_and_no_file(caplog: pytest.LogCaptureFixture) -> None:
    with made({**ON, "provider": "nope", "timeout": 5}):
        pass
    assert "options: provider: there is no engine 'nope'" in caplog.text
    assert "options: 'timeout' is no option. Known: enabled, provider, apiKey" in caplog.text
    assert "config.json" not in caplog.text


@pytest.mark.requirement("P25")
def test_options_go_before_the_files(engines: LoopbackServer) -> None:
    files = {"defaultProvider": "duck-duck-scrape", "maxResults": 7, "cacheTtlMinutes": 5}
    options = {**BRAVE, "maxResults": 2, "cacheTtlMinutes": 0}
    with made(options, using=at(engines, files)) as tool:
        found = [artifact(tool, query="tea") for _ in range(2)]
    assert [(one["provider"], one["count"], one["cached"]) for one in found] == [
        ("brave", 2, False)
    ] * 2


@pytest.mark.parametrize(("seconds", "fails"), [(0.2, True), (5, False)])
@pytest.mark.requirement("S2-10", "S2-42")
def test_the_deadline_is_obeyed(engines: LoopbackServer, seconds: float, *, fails: bool) -> None:
    engines.on("/html/", Reply(200, {}, page("ddg_html/html_results.html"), delay=0.5))
    with made({**ON, "timeoutSeconds": seconds}, using=at(engines)) as tool:
        text = tool.invoke("tea")
    assert ("搜索超时" in text) is fails


@pytest.mark.requirement("P27")
def test_an_engines_own_shorter_limit_goes_first(engines: LoopbackServer) -> None:
    engines.on("/html/", faults.hang())
    with made({**ON, "timeoutSeconds": 9}, using=at(engines, timeout_ms=200)) as tool:
        assert "0.2 秒" in tool.invoke("tea")


@pytest.mark.requirement("S2-11", "S2-37")
def test_the_time_to_live_is_obeyed(
    engines: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]

    def cache(entries: int, *, ttl: float) -> MemoryCache:
        return MemoryCache(entries, ttl=ttl, clock=lambda: clock[0])

    monkeypatch.setattr("citeseek.searching.planning.MemoryCache", cache)
    with made({**ON, "cacheTtlMinutes": 5}, using=at(engines)) as tool:

        def cached_at(seconds: float) -> bool:
            clock[0] = seconds
            return bool(artifact(tool, query="tea")["cached"])

        cached = [cached_at(seconds) for seconds in (0, 299, 301, 599)]
    assert cached == [False, True, False, True]
    assert len(engines.requests) == 2


@pytest.mark.requirement("S2-11")
def test_with_0_nothing_is_kept(engines: LoopbackServer) -> None:
    with made({**ON, "cacheTtlMinutes": 0}, using=at(engines)) as tool:
        assert [artifact(tool, query="tea")["cached"] for _ in range(2)] == [False, False]
    assert len(engines.requests) == 2


@pytest.mark.requirement("S2-37")
def test_the_key_of_the_cache_is_query_and_count(engines: LoopbackServer) -> None:
    with made(ON, using=at(engines)) as tool:
        cached = [artifact(tool, query="tea", count=count)["cached"] for count in (3, 5, 5)]
    assert cached == [False, False, True]


@pytest.mark.requirement("P6")
def test_failures_are_not_kept(engines: LoopbackServer) -> None:
    engines.on("/html/", Reply(429), replies.html(page("ddg_html/html_results.html")))
    with made(ON, using=at(engines)) as tool:
        assert tool.invoke("tea").startswith("搜索失败")
        # Left alone after the refusal, and told so.
        assert "冷却中" in tool.invoke("tea")


@pytest.mark.parametrize("freshness", ["day", "pw", "2026-01-01..2026-01-31", None])
@pytest.mark.requirement("S2-46")
def test_freshness_breaks_no_engine(engines: LoopbackServer, freshness: str | None) -> None:
    with made(ON, using=at(engines)) as tool:
        assert artifact(tool, query="tea", freshness=freshness, country="cn")["count"] == 5


@pytest.mark.requirement("S2-28", "S2-29", "S2-33", "S2-47")
def test_text_for_the_model_and_a_structure_for_programs(
    engines: LoopbackServer,
) -> None:
    with made(ON, using=at(engines)) as ddg, made(BRAVE, using=at(engines)) as brave:
        found = [artifact(tool, query="tea") for tool in (ddg, brave)]
    keys = ["query", "provider", "results", "count", "tookMs", "cached"]
    assert [list(one) for one in found] == [keys, keys]
    for one in found:
        assert one["count"] == len(one["results"]) == 5
        for item in one["results"]:
            assert {"title", "url"} <= item.keys()
            assert item.keys() <= {"title", "url", "description", "published", "siteName"}
    assert any("published" in item for item in found[1]["results"])


@pytest.mark.requirement("P11")
def test_the_summaries_are_whole_here(engines: LoopbackServer) -> None:
    result = {"title": "Tea", "url": "https://tea.example/", "description": "茶" * 500}
    answer = {"type": "search", "web": {"results": [result]}}
    engines.on("/res/v1/web/search", replies.as_json(answer))
    with made(BRAVE, using=at(engines)) as tool:
        assert "茶" * 500 in tool.invoke("tea")


@pytest.mark.requirement("S2-2", "S2-57")
def test_an_engine_of_ones_own_needs_no_change_of_the_tool() -> None:
    shelf = Shelf(id="bookshelf")
    with made({**ON, "provider": "bookshelf"}, engines=[shelf]) as tool:
        found = artifact(tool, query="tea", count=4)
    assert found["provider"] == "bookshelf"
    assert shelf.calls == [("tea", 4)]


@pytest.mark.requirement("S2-56")
def test_provider_and_settings_stay_as_they_were(engines: LoopbackServer, tmp_path: Path) -> None:
    config, agents = tmp_path / "config.json", {"agents": [{"id": "one", "webSearch": ON}]}
    reached = f'"engines": {{"ddg_html": {{"base_url": "{engines.base_url}"}}, '
    reached += f'"brave": {{"base_url": "{engines.base_url}", "api_key": "{KEY}"}}}}'

    def session(provider: str) -> WebSearchTool:
        config.write_text(
            f'{{{reached}, "tools": {{"webSearch": {{"defaultProvider": '
            f'"{provider}", "cacheTtlMinutes": 0}}}}}}'
        )
        loaded = Settings.load(config=config, agents=agents, env={})
        return made(load_agent_config("one", settings=loaded).web_search, using=loaded)

    with session("duck-duck-scrape") as open_one, session("brave") as new:
        providers = [artifact(tool, query="tea")["provider"] for tool in (open_one, new, open_one)]
    assert providers == ["duck-duck-scrape", "brave", "duck-duck-scrape"]


@pytest.mark.requirement("S2-48")
async def test_a_client_that_fits_is_shared_and_stays_open(engines: LoopbackServer) -> None:
    loaded = at(engines)
    async with Client(loaded) as client:
        for _ in range(2):
            options = {**ON, "maxResults": 4, "timeoutSeconds": 3}
            async with made(options, using=loaded, client=client) as tool:
                await tool.ainvoke("tea")
        assert (await client.search("tea", engine="ddg_html")).count == 10
    assert len(engines.requests) == 2  # the second tool was answered from the shared cache


@pytest.mark.parametrize("option", [{"cacheTtlMinutes": 1}, BRAVE], ids=["ttl", "key"])
async def test_a_client_that_does_not_fit_is_left_alone(
    engines: LoopbackServer, option: dict[str, Any]
) -> None:
    async with Client(at(engines)) as client:
        for _ in range(2):
            async with made({**ON, **option}, using=client.settings, client=client) as tool:
                await tool.ainvoke("tea")
    assert len(engines.requests) == 2
    if option is BRAVE:
        assert engines.requests[0].headers["x-subscription-token"] == KEY


async def test_an_engine_of_the_client_comes_along(engines: LoopbackServer) -> None:
    shelf = Shelf()
    async with Client(at(engines), engines=[shelf]) as client:
        options = {**ON, "provider": "shelf", "cacheTtlMinutes": 1}
        async with made(options, using=client.settings, client=client) as tool:
            assert "Tea" in await tool.ainvoke("tea")


def test_the_numbers_may_be_those_of_a_session(engines: LoopbackServer) -> None:
    registry = CitationRegistry(same_page_key=same_page_key)
    with made(ON, using=at(engines), registry=registry) as tool:
        tool.invoke("tea")
    assert len(registry) == 5


@pytest.mark.requirement("S2-1", "S2-4", "S2-5", "S2-19", "S2-49", "S2-51", "S2-52")
async def test_only_an_enabled_agent_is_offered_it(
    engines: LoopbackServer,
) -> None:
    @as_tool
    def browser(url: str) -> str:
        """Open a page."""
        return f"opened {url}"

    agents = {"agents": [{"id": "on", "webSearch": ON}, {"id": "off"}]}
    loaded = Settings.load(config=at(engines).sources.config, agents=agents, env={})
    offered = {}
    for agent_id in ("on", "off"):
        search = create_web_search_tool(
            load_agent_config(agent_id, settings=loaded).web_search, settings=loaded
        )
        tools = [browser, *([search] if search else [])]
        with ModelServer() as model:
            model.says("Hello.")
            chat = ChatOpenAI(model="test", base_url=model.base_url, api_key=MODEL_KEY)
            await create_agent(chat, tools).ainvoke({"messages": [("user", "hi")]})
            offered[agent_id] = model.requests[0].tools
            assert "web_search_options" not in model.requests[0].body
    assert offered == {"on": ["browser", "web_search"], "off": ["browser"]}


@pytest.mark.requirement("S2-45", "S2-67", "S2-68")
async def test_the_weather_of_today_end_to_end(engines: LoopbackServer) -> None:
    options = {"enabled": True, "provider": "duck-duck-scrape"}
    with ModelServer() as model:
        model.calls("web_search", {"query": "合肥 今天 天气", "count": 2})
        model.says("今天晴 [1]。")
        chat = ChatOpenAI(model="test", base_url=model.base_url, api_key=MODEL_KEY)
        async with made(options, using=at(engines)) as tool:
            told = await create_agent(chat, [tool]).ainvoke({"messages": [("user", "天气？")]})
    assert engines.requests[0].param("q") == "合肥 今天 天气"
    assert "[2] " in model.requests[1].prompt
    assert "[3] " not in model.requests[1].prompt
    assert told["messages"][-1].content == "今天晴 [1]。"


@pytest.mark.requirement("S2-61")
def test_an_address_in_the_query_is_never_opened(engines: LoopbackServer) -> None:
    with LoopbackServer() as other, made(ON, using=at(engines)) as tool:
        tool.invoke({"query": other.url("/secret")})
        assert asked(other) == []
    assert engines.requests[0].param("q") == other.url("/secret")


@pytest.mark.requirement("S2-63")
def test_more_searches_than_the_limit_are_told_and_not_sent(engines: LoopbackServer) -> None:
    options = {**ON, "timeoutSeconds": 0.5}
    with made(options, using=at(engines, rate_per_minute=2)) as tool:
        texts = [tool.invoke(f"tea {n}") for n in range(4)]
    assert [text.startswith("搜索失败") for text in texts] == [False, False, True, True]
    assert "每分钟 2 次" in texts[2]
    assert len(engines.requests) == 2


@pytest.mark.requirement("S2-64")
def test_the_key_is_in_no_text_and_no_log(
    engines: LoopbackServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    engines.on("/res/v1/web/search", Reply(401, {}, KEY))
    with made(BRAVE, using=at(engines)) as tool:
        shown = [tool.invoke("tea"), repr(tool), str(tool), caplog.text]
    assert KEY not in "".join(shown)


@pytest.mark.requirement("S2-57")
def test_the_tools_know_no_engine() -> None:
    imported = set()
    for path in (ROOT / "tools").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                imported |= {f"{node.module}.{name.name}" for name in node.names}
            elif isinstance(node, ast.Import):
                imported |= {name.name for name in node.names}
    assert not [name for name in imported if name.startswith("citeseek.engines")]
    names = re.compile("|".join(citeseek.engines.BUILTIN))
    code = "".join(path.read_text() for path in (ROOT / "tools").glob("*.py"))
    literals = [n.value for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Constant)]
    assert not [text for text in literals if isinstance(text, str) and names.fullmatch(text)]


@pytest.mark.requirement("S2-59")
def test_brave_needs_no_library_of_its_own() -> None:
    project = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text())["project"]
    assert not [need for need in project["dependencies"] if "brave" in need.lower()]
    tree = ast.parse((ROOT / "engines/brave.py").read_text())
    modules = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert {module.partition(".")[0] for module in modules} == {"__future__", "typing", "citeseek"}


def test_without_langchain_an_enabled_tool_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "citeseek.tools.langchain", None)
    assert create_web_search_tool({"enabled": False}) is None
    with pytest.raises(InvalidInput, match=r"pip install .*langchain"):
        create_web_search_tool({"enabled": True})
