"""Agent mode from end to end: what the model is told, what it may call, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool
from tests.assistant.agent_runs import Bench, Heard, address, bench, heard, results
from tests.conftest import page
from tests.loopback import Reply, faults, replies
from tests.loopback.models import CUT, HANG

from citeseek import Settings
from citeseek.assistant.assistant import Assistant
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import (
    Aside,
    Citation,
    Notice,
    SearchBroken,
    SearchDone,
    SearchStarted,
    Started,
    Token,
)
from citeseek.conversations.conversation_record import Choices, Search

SENTENCE = "搜索互联网获取实时信息。当需要了解最新事件、实时数据、当前新闻或验证信息时使用此工具。"
PARAMETER = "搜索查询关键词,应该具体、清晰、针对性强"
SEARCHING = {"enabled": True, "provider": "searxng"}


@pytest.fixture
def at() -> Iterator[Bench]:
    with bench() as made:
        yield made


@pytest.fixture
async def assistant(at: Bench) -> AsyncIterator[Assistant]:
    async with Assistant(at.load) as opened:
        yield opened


@pytest.fixture
async def talk(assistant: Assistant) -> Conversation:
    return await assistant.open(mode="agent")


def agents(**searching: dict[str, Any]) -> dict[str, Any]:
    return {"agents": [{"id": name, "webSearch": search} for name, search in searching.items()]}


async def asked(talk: Conversation, text: str = "hi") -> Heard:
    return await heard(talk.stream(text))


@pytest.mark.requirement("S0-5", "S0-6", "S0-7", "S0-11")
async def test_the_agents_own_query_and_its_results(at: Bench, talk: Conversation) -> None:
    at.model.calls("web_search", {"query": "苹果公司 2026 营收"})
    at.model.says("很好 [1]。")
    await asked(talk, "苹果最近怎么样")
    assert at.queries == ["苹果公司 2026 营收"]
    first, second = (request.messages for request in at.model.requests)
    assert second[: len(first)] == first
    call, answer = second[len(first) :]
    assert [call["role"], answer["role"]] == ["assistant", "tool"]
    assert "[1] 苹果公司 2026 营收 1" in answer["content"]
    assert "Leaf 3 of 苹果公司 2026 营收." in answer["content"]
    assert first[-1] == {"role": "user", "content": "苹果最近怎么样"}


@pytest.mark.requirement("S0-11", "S0-34", "S0-38", "S1-169", "S1-170", "S1-171")
async def test_the_prompt_has_examples(at: Bench, talk: Conversation) -> None:
    at.model.says("Hello.")
    await asked(talk, "你好")
    (request,) = at.model.requests
    assert "具体、有针对性的关键词，可以与用户的原话不同" in request.system
    assert "→ 不好：苹果最近怎么样 → 好：苹果公司" in request.system
    assert "[3] 某报：某城地铁四号线通车 <https://news.example/line-4>" in request.system
    assert "四号线全长 21 公里 [3]" in request.system


@pytest.mark.requirement("S0-34", "S0-35", "S0-36", "S0-37", "S1-161", "S1-164", "S1-165")
async def test_the_tool_that_the_model_sees(at: Bench, talk: Conversation) -> None:
    at.model.says("Hello.")
    await asked(talk, "你好")
    offered, _ = at.model.requests[0].body["tools"]
    function = offered["function"]
    assert function["name"] == "web_search"
    assert function["description"].startswith(SENTENCE)
    assert "不需要使用：常识、数学计算、写作、翻译、代码" in function["description"]
    query = function["parameters"]["properties"]["query"]
    assert query["type"] == "string"
    assert query["description"] == PARAMETER
    assert query["examples"]
    assert function["parameters"]["required"] == ["query"]


@pytest.mark.requirement("S0-49", "S0-50", "S0-51")
async def test_an_answer_from_the_models_own_knowledge(at: Bench, talk: Conversation) -> None:
    at.model.says("2 + 2 = 4, as [1] says.", chunk=3)
    answer = await asked(talk)
    assert answer.text == "2 + 2 = 4, as [1] says."
    assert not answer.done.searched
    assert not answer.of(Citation)
    assert not answer.of(SearchStarted)
    notices = {notice.code: notice.text for notice in answer.of(Notice)}
    assert notices.keys() == {"no_search", "unknown_sources"}
    assert "本次回答未使用搜索" in notices["no_search"]
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Found [1].")
    assert (await asked(talk)).notices == []


@pytest.mark.requirement("S2-4")
async def test_the_models_own_search_is_never_asked_for(at: Bench, talk: Conversation) -> None:
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Found [1].")
    await asked(talk)
    for request in at.model.requests:
        assert not {"web_search_options", "plugins", "grounding", "extra_body"} & set(request.body)
        assert {offered["type"] for offered in request.body["tools"]} == {"function"}


@tool
def browser(url: str) -> str:
    """Open a page."""
    if url == "fail":
        raise RuntimeError("secret-detail")
    return f"The page {url}."


@pytest.mark.requirement("S2-5")
async def test_the_agents_other_tools_are_left_as_they_are(at: Bench) -> None:
    async with Assistant(at.load, tools=[browser]) as assistant:
        at.model.calls("browser", {"url": "a"})
        at.model.says("Seen.")
        answer = await heard(assistant.stream("hi", mode="agent"))
    assert sorted(at.model.requests[0].tools) == ["browser", "web_fetch", "web_search"]
    described = {t["function"]["name"]: t["function"] for t in at.model.requests[0].body["tools"]}
    assert described["browser"]["description"] == "Open a page."
    assert list(described["browser"]["parameters"]["properties"]) == ["url"]
    assert at.told(1) == ["The page a."]
    assert answer.text == "Seen."
    assert answer.notices == ["no_search"]


async def test_another_tool_that_fails_is_told_to_the_model(at: Bench) -> None:
    async with Assistant(at.load, tools=[browser]) as assistant:
        at.model.calls("browser", {"url": "fail"})
        at.model.says("It did not open.")
        answer = await heard(assistant.stream("hi", mode="agent"))
    assert answer.text == "It did not open."
    (told,) = at.told(1)
    assert "browser" in told
    assert "secret-detail" not in told


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.requirement("P22", "S2-50", "S2-54", "S2-55")
async def test_an_agent_searches_only_if_it_is_enabled(
    at: Bench,
    enabled: bool,  # noqa: FBT001
) -> None:
    at.agents = agents(one={**SEARCHING, "enabled": enabled})
    at.model.says("Hello.")
    async with Assistant(at.load, tools=[browser]) as assistant:
        talk = await assistant.open(agent_id="one", mode="agent")
        answer = await asked(talk)
        assert ("未启用" in talk.state.switch.hint) is not enabled
    assert ("web_search" in at.model.requests[0].tools) is enabled
    assert "browser" in at.model.requests[0].tools
    assert answer.text == "Hello."


@pytest.mark.requirement("P22")
async def test_an_agent_without_any_tool_answers(at: Bench) -> None:
    at.agents = agents(one={"enabled": False})
    at.model.says("Hello.")
    async with Assistant(at.load) as assistant:
        answer = await heard(assistant.stream("hi", mode="agent", agent_id="one"))
    assert at.model.requests[0].tools == []
    assert answer.text == "Hello."


@pytest.mark.requirement("P22")
async def test_the_apps_own_agent_always_has_the_tool(at: Bench, talk: Conversation) -> None:
    at.agents = agents(one={"enabled": False})
    at.model.says("Hello.")
    await asked(talk)
    assert at.model.requests[0].tools == ["web_search", "web_fetch"]


@pytest.mark.requirement("S2-56")
async def test_an_open_session_keeps_its_engine(at: Bench, tmp_path: Path) -> None:
    at.engine.on("/res/v1/web/search", replies.as_json({"web": {"results": []}}))
    at.agents = agents(one={"enabled": True})

    def write(provider: str) -> None:
        config = {
            "tools": {"webSearch": {"defaultProvider": provider}},
            "engines": {
                "searxng": {"base_url": at.engine.base_url},
                "brave": {"base_url": at.engine.base_url, "api_key": "brave-key-0123"},
            },
        }
        (tmp_path / "config.json").write_text(json.dumps(config))
        (tmp_path / "agents.json").write_text(json.dumps(at.agents))

    def load() -> Settings:
        return Settings.load(env={**at.model.env, "CITESEEK_HOME": str(tmp_path)})

    async def providers(talk: Conversation, query: str) -> str:
        at.model.calls("web_search", {"query": query})
        at.model.says("So.")
        (found,) = (await asked(talk)).of(SearchDone)
        return found.provider

    write("searxng")
    async with Assistant(load) as assistant:
        opened = await assistant.open(agent_id="one", mode="agent")
        assert await providers(opened, "a") == "searxng"
        write("brave")
        assert await providers(opened, "b") == "searxng"
        later = await assistant.open(agent_id="one", mode="agent")
        assert await providers(later, "c") == "brave"
        assert await providers(opened, "d") == "searxng"
    assert [r.path for r in at.engine.requests] == [
        "/search",
        "/search",
        "/res/v1/web/search",
        "/search",
    ]


@pytest.mark.requirement("S2-68")
async def test_todays_weather(at: Bench) -> None:
    at.agents = agents(weather={"enabled": True, "provider": "searxng"})
    at.replies["合肥 今天 天气 2026"] = replies.as_json(
        {
            "results": [
                {
                    "url": "https://w.example/hf",
                    "title": "合肥天气",
                    "content": "多云，12 到 19 度。",
                }
            ]
        }
    )
    at.model.calls("web_search", {"query": "合肥 今天 天气 2026"}, text="我查一下。")
    at.model.says("合肥今天多云，12 到 19 度 [1]。", chunk=2)
    async with Assistant(at.load) as assistant:
        answer = await heard(assistant.stream("今天天气怎么样？", mode="agent", agent_id="weather"))
    assert "多云，12 到 19 度。" in at.told(1)[0]
    assert answer.text.startswith("合肥今天多云，12 到 19 度 [[1]](https://w.example/hf)。")
    assert "1. [合肥天气](https://w.example/hf) - w.example" in answer.text
    assert [aside.text for aside in answer.of(Aside)] == ["我查一下。"]


async def test_events_come_in_order(at: Bench, talk: Conversation) -> None:
    at.model.calls("web_search", {"query": "x"}, text="Let me look.")
    at.model.says("Found [1] and [1].", chunk=3)
    answer = await asked(talk)
    kinds = [type(event) for event in answer.events if not isinstance(event, Token)]
    assert kinds[:4] == [Started, Aside, SearchStarted, SearchDone]
    assert kinds[4] is Citation
    assert len(answer.of(Citation)) == 1
    tokens = "".join(token.text for token in answer.of(Token))
    assert tokens == "Let me look." + answer.text


async def test_the_searches_of_an_answer_are_limited(at: Bench) -> None:
    at.env["CITESEEK_MAX_SEARCHES"] = "2"
    for query in ("a", "b"):
        at.model.calls("web_search", {"query": query})
    at.model.says("Enough [1][4].")
    async with Assistant(at.load) as assistant:
        talk = await assistant.open(mode="agent")
        answer = await asked(talk)
        assert at.queries == ["a", "b"]
        assert [request.tools for request in at.model.requests] == [
            ["web_search", "web_fetch"],
            ["web_search", "web_fetch"],
            ["web_fetch"],
        ]
        assert answer.notices == ["search_limit"]
        assert answer.done.outcome == "answered"
        # The limit is one of each answer.
        at.model.calls("web_search", {"query": "c"})
        at.model.says("More [7].")
        answer = await asked(talk)
    assert answer.notices == []
    tools = ["web_search", "web_fetch"]
    assert at.model.requests[3].tools == at.model.requests[4].tools == tools
    assert f"[[7]]({address('c', 1)})" in answer.text


async def test_parallel_searches_beyond_the_limit_are_not_made(at: Bench) -> None:
    at.env["CITESEEK_MAX_SEARCHES"] = "2"
    at.model.calls("web_search", *({"query": query} for query in "abcd"))
    at.model.says("Enough [6].")
    async with Assistant(at.load) as assistant:
        answer = await heard(assistant.stream("hi", mode="agent"))
    assert sorted(filter(None, at.queries)) == ["a", "b"]
    assert answer.notices == ["search_limit"]
    assert answer.done.cited == (6,)
    assert len(at.told(1)) == 4


async def test_a_model_that_calls_for_ever_fails(at: Bench) -> None:
    at.env["CITESEEK_MAX_SEARCHES"] = "1"
    at.model.calls("web_search", {"query": "x"}, always=True)
    async with Assistant(at.load) as assistant:
        answer = await heard(assistant.stream("hi", mode="agent"))
    assert at.queries == ["x"]
    assert answer.done.outcome == "failed"
    assert answer.notices[-1] == "model"
    assert "一直调用工具" in answer.of(Notice)[-1].text
    assert len(answer.done.sources) == 3


@pytest.mark.release
async def test_a_model_that_calls_another_tool_for_ever_fails(at: Bench) -> None:
    at.model.calls("browser", {"url": "x"}, always=True)
    async with Assistant(at.load, tools=[browser]) as assistant:
        answer = await heard(assistant.stream("hi", mode="agent"))
    assert answer.done.outcome == "failed"
    assert "一直调用工具" in answer.of(Notice)[-1].text


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(500), "unavailable"),
        (faults.reset(), "network"),
        (replies.html("<title>no</title>"), "configuration"),
    ],
)
async def test_an_answer_goes_on_after_a_search_that_failed(
    at: Bench, talk: Conversation, reply: Reply, code: str
) -> None:
    at.replies["x"] = reply
    at.model.calls("web_search", {"query": "x"})
    at.model.says("I could not look.")
    answer = await asked(talk)
    (told,) = at.told(1)
    assert told.startswith("Search failed")
    (broken,) = answer.of(SearchBroken)
    assert (broken.call, broken.query) == (1, "x")
    assert broken.failure.type
    assert answer.text == "I could not look."
    assert answer.done.searched
    assert answer.notices == [code]


async def test_nothing_found_is_no_failure(at: Bench, talk: Conversation) -> None:
    at.replies["x"] = results("x", 0)
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Nothing is known.")
    answer = await asked(talk)
    (found,) = answer.of(SearchDone)
    assert found.sources == ()
    assert at.told(1) == ["Nothing found"]


async def stopped_in_a_search(at: Bench, talk: Conversation, how: str) -> None:
    at.engine.otherwise(faults.hang())
    at.model.calls("web_search", {"query": "x"}, text="Let me look.")

    async def listen() -> None:
        async with aclosing(talk.stream("hi")) as events:
            async for event in events:
                if how == "aclose" and isinstance(event, SearchStarted):
                    await at.engine.requests.reach(1)
                    return

    task = asyncio.create_task(listen())
    if how == "cancel":
        await at.engine.requests.reach(1)
        task.cancel()
    await asyncio.wait([task], timeout=2)
    assert task.done()
    assert task.cancelled() is (how == "cancel")


@pytest.mark.parametrize("how", ["cancel", "aclose"])
async def test_who_stops_in_a_search_closes_it_and_the_turn_is_kept(at: Bench, how: str) -> None:
    """A page for browsers: requests to an API stay open until their deadline, whoever goes."""
    at.config = {
        "chat": {"engine": "ddg_html"},
        "engines": {"ddg_html": {"base_url": at.engine.base_url}},
    }
    async with Assistant(at.load) as assistant:
        talk = await assistant.open(mode="agent")
        await stopped_in_a_search(at, talk, how)
        async with asyncio.timeout(2):
            assert await at.engine.requests[0].closed
        kept = await assistant.store.get(talk.id)
        assert kept is not None
        (turn,) = kept.turns
        assert (turn.message, turn.outcome) == ("hi", "stopped")
        assert turn.searches == (Search(query="x", was_stopped=True),)
        assert not talk.session.busy.locked()
        at.model.says("Here again.")
        assert (await asked(talk, "again")).text == "Here again."
    assert "(The answer was not finished.)" in str(at.model.requests[1].messages)


async def test_who_stops_in_the_answer_closes_the_model(at: Bench, talk: Conversation) -> None:
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Found [1] half of", HANG)
    async with aclosing(talk.stream("hi")) as events:
        async for event in events:
            if isinstance(event, Token) and "half" in event.text:
                break
    assert await at.model.requests[1].http.closed
    (turn,) = talk.session.record.turns
    assert turn.outcome == "stopped"
    assert turn.written == "Found [1] half of"
    assert turn.cited == (1,)
    assert len(turn.sources) == 3


@pytest.mark.release
@pytest.mark.parametrize("before", ["", "half"])
async def test_a_silent_model_is_not_waited_for(at: Bench, before: str) -> None:
    at.env["CITESEEK_MODEL_TIMEOUT"] = "1"
    at.model.calls("web_search", {"query": "x"})
    at.model.says(before, HANG)
    async with Assistant(at.load) as assistant:
        async with asyncio.timeout(30):
            answer = await heard(assistant.stream("hi", mode="agent"))
    assert answer.done.outcome == "failed"
    assert answer.text == before
    (notice,) = answer.of(Notice)
    assert "1 秒" in notice.text
    assert len(answer.done.sources) == 3


@pytest.mark.release
async def test_a_search_may_take_longer_than_the_model_may_be_silent(at: Bench) -> None:
    at.env["CITESEEK_MODEL_TIMEOUT"] = "1"
    at.replies["x"] = Reply(**{**vars_of(results("x", 3)), "delay": 1.3})
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Found [1].")
    async with Assistant(at.load) as assistant:
        answer = await heard(assistant.stream("hi", mode="agent"))
    assert answer.done.outcome == "answered"


def vars_of(reply: Reply) -> dict[str, Any]:
    return {"status": reply.status, "headers": reply.headers, "body": reply.body}


@pytest.mark.parametrize("how", ["status", "cut", "empty"])
async def test_a_model_that_fails_after_a_search_leaves_its_sources(
    at: Bench, talk: Conversation, how: str
) -> None:
    at.model.calls("web_search", {"query": "x"})
    if how == "status":
        at.model.fails(500, always=True)
    elif how == "cut":
        at.model.says("Found [2] and", CUT)
    else:
        at.model.says()
    answer = await asked(talk)
    assert answer.done.outcome == "failed"
    assert [source.number for source in answer.done.sources] == [1, 2, 3]
    assert [round_.query for round_ in answer.done.rounds] == ["x"]
    (notice,) = answer.of(Notice)
    assert notice.code == "model"
    assert "已找到的来源列在下面" in notice.text
    assert ("References" in answer.text) is (how == "cut")
    assert talk.session.record.turns[0].outcome == "failed"


async def test_a_model_that_fails_at_once_has_no_sources(at: Bench, talk: Conversation) -> None:
    at.model.fails(401)
    answer = await asked(talk)
    assert answer.done.outcome == "failed"
    assert answer.text == ""
    assert answer.notices == ["model"]


async def test_an_unknown_tool_is_told_to_the_model(at: Bench, talk: Conversation) -> None:
    at.model.calls("google_search", {"query": "x"})
    at.model.says("Without it, then.")
    answer = await asked(talk)
    (told,) = at.told(1)
    assert "google_search" in told
    assert answer.text == "Without it, then."
    assert at.queries == []


@pytest.mark.parametrize("arguments", ["{query: x", "no json", "[]", '"x"'])
async def test_broken_arguments_are_told_to_the_model(
    at: Bench, talk: Conversation, arguments: str
) -> None:
    at.model.calls("web_search", arguments)
    at.model.says("Sorry.")
    answer = await asked(talk)
    assert answer.text == "Sorry."
    assert len(at.told(1)) == 1
    assert at.queries == []


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": None}, {"query": ["x"]}])
async def test_arguments_without_a_query_are_told_to_the_model(
    at: Bench, talk: Conversation, arguments: dict[str, Any]
) -> None:
    at.model.calls("web_search", arguments)
    at.model.says("Sorry.")
    answer = await asked(talk)
    assert answer.text == "Sorry."
    assert "query" in at.told(1)[0]
    assert "Invalid argument" in at.told(1)[0]


async def test_what_a_person_chose_holds_in_agent_mode(at: Bench, talk: Conversation) -> None:
    await talk.choose(Choices(results=3, language="en"))
    at.replies["x"] = results("x", 9)
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Found [3].")
    answer = await asked(talk)
    assert len(answer.done.sources) == 3
    assert at.engine.requests[0].param("language") == "en"


async def test_the_page_of_a_real_instance_is_read(at: Bench, talk: Conversation) -> None:
    at.engine.on("/search", replies.html(page("searxng/search.json")))
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Found [3].")
    answer = await asked(talk)
    assert answer.done.cited == (3,)


async def test_no_key_of_the_model_is_logged(
    at: Bench, talk: Conversation, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "citeseek")
    at.model.fails(401)
    await asked(talk)
    assert "sk-loopback" not in caplog.text


async def test_a_broken_call_beside_a_good_one_does_not_stop_it(
    at: Bench, talk: Conversation
) -> None:
    at.model.calls("web_search", {"query": "x"}, "no json")
    at.model.says("Found [1].")
    answer = await asked(talk)
    assert answer.done.cited == (1,)
    called, *told = at.model.requests[1].messages[-3:]
    ids = [call["id"] for call in called["tool_calls"]]
    assert sorted(message["tool_call_id"] for message in told) == sorted(ids)
    assert len(ids) == 2


@pytest.mark.release
async def test_a_model_whose_calls_are_always_broken_fails(at: Bench, talk: Conversation) -> None:
    at.model.calls("web_search", "no json", always=True)
    answer = await asked(talk)
    assert answer.done.outcome == "failed"
    assert at.queries == []


async def test_marks_in_a_remark_are_links_but_not_of_the_answer(
    at: Bench, talk: Conversation
) -> None:
    at.model.calls("web_search", {"query": "a"})
    at.model.calls("web_search", {"query": "b"}, text="As [1] says, more is needed.")
    at.model.says("Found [4].", chunk=1)
    answer = await asked(talk)
    (aside,) = answer.of(Aside)
    assert aside.text.startswith(f"As [[1]]({address('a', 1)}) says")
    assert answer.done.cited == (4,)
    assert "more is needed" not in answer.text


async def test_answers_of_one_conversation_wait_for_each_other(
    at: Bench, talk: Conversation
) -> None:
    at.model.calls("web_search", {"query": "a"})
    at.model.says("First [1].")
    at.model.says("Second [1].")
    one, two = await asyncio.gather(asked(talk, "one"), asked(talk, "two"))
    assert one.text.startswith("First [[1]]")
    assert two.text.startswith(f"Second [[1]]({address('a', 1)})")
    assert [turn.message for turn in talk.session.record.turns] == ["one", "two"]
