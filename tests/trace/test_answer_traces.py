"""A recorded answer, made again without network and model, is the same byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool
from tests.assistant.agent_runs import Bench, bench, results
from tests.loopback import LoopbackServer, Reply, Request, Signal, faults, replies
from tests.loopback.models import CUT, HANG
from tests.trace.recorded import replayed

from citeseek import trace
from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import SearchDone
from citeseek.conversations.conversation_record import Choices
from citeseek.conversations.switches import Mode
from citeseek.replay import bundle
from citeseek.trace.trace_file import load
from citeseek.trace.trace_record import Trace


@pytest.fixture
def at() -> Iterator[Bench]:
    with bench() as made:
        yield made


async def answered(
    at: Bench, mode: Mode, *messages: str, tools: tuple[Any, ...] = (), search: bool = True
) -> Trace:
    """Return the trace of the answer to the last of ``messages``."""
    async with Assistant(at.load, tools=tools) as assistant:
        talk = await assistant.open(mode=mode)
        await talk.set_switch(on=search)
        *earlier, last = messages
        for message in earlier:
            async for _ in talk.stream(message):
                pass
        with trace.into(None) as destination:
            async for _ in talk.stream(last):
                assert trace.current() is None
    (found,) = destination.traces
    return found


def _found(at: Bench) -> None:
    at.model.says("茶是一种叶子 [1][3]，", "见网页。", chunk=3)


def _no_search_engine(at: Bench) -> None:
    at.replies["tea"] = Reply(503, {}, "down")
    at.model.says("I do not know.")


def _nothing_found(at: Bench) -> None:
    at.replies["tea"] = replies.as_json({"results": []})
    at.model.says("Nothing.")


def _refused(at: Bench) -> None:
    at.model.fails(401, always=True)


def _cut(at: Bench) -> None:
    at.model.says("Half of an", " answer [1]", CUT)


def _silent(at: Bench) -> None:
    at.env["CITESEEK_MODEL_TIMEOUT"] = "1"
    at.model.says("Half of an", " answer [1]", HANG)


def _empty(at: Bench) -> None:
    at.model.says()


def _too_long(at: Bench) -> None:
    at.model.says("Much [1]", finish_reason="length")


CHATS = (_found, _no_search_engine, _nothing_found, _refused, _cut, _silent, _empty, _too_long)


@pytest.mark.parametrize("script", CHATS, ids=lambda script: script.__name__)
async def test_an_answer_of_chat_mode(at: Bench, script: Callable[[Bench], None]) -> None:
    script(at)
    found = await answered(at, "chat", "tea")
    assert found.call.inner("search")
    again = await replayed(found)
    assert again.call.result["outcome"] in ("answered", "failed")


@pytest.mark.release
async def test_an_answer_of_chat_mode_that_read_pages(at: Bench, server: LoopbackServer) -> None:
    """Pages that came, that were refused, and that were waited for in vain."""
    sentence = "The tea house at the lake closes at half past nine."
    server.on("/open", replies.html(f"<article><p>{sentence}</p><p>{sentence}</p></article>"))
    server.on("/wall", Reply(403, {}, "Log in."))
    server.on("/slow", faults.hang())
    urls = [server.url(path) for path in ("/slow", "/open", "/wall")]
    at.replies["tea"] = replies.as_json(
        {"results": [{"url": url, "title": "T", "content": "About tea."} for url in urls]}
    )
    at.config = {
        "chat": {"read": True, "read_seconds": 3},
        "web": {"fetch": {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0}},
    }
    # What reads pages is awake from the first answer on.
    server.on("/first", replies.html(f"<article><p>{sentence}</p><p>{sentence}</p></article>"))
    first = {"url": server.url("/first"), "title": "T", "content": "About tea."}
    at.replies["coffee"] = replies.as_json({"results": [first]})
    at.model.says("At half past nine.")
    at.model.says("At half past nine [2].")
    found = await answered(at, "chat", "coffee", "tea")
    again = await replayed(found)
    marks = [source["was_read"] for source in again.call.result["sources"]]
    assert marks == [False, True, False]
    assert sentence in str(again.call.inner("model")[0].asked["messages"])


async def test_an_answer_behind_a_gate(at: Bench, server: LoopbackServer) -> None:
    """What was struck, and what was put right, is so again; the model is not asked again."""
    said = "The tea house at the lake opened in 1912."
    server.on("/open", replies.html(f"<article><p>{said}</p><p>{said}</p></article>"))
    found_page = {"url": server.url("/open"), "title": "T", "content": "About tea."}
    at.replies["tea"] = at.replies["coffee"] = replies.as_json({"results": [found_page]})
    at.config = {
        "chat": {"read": True, "read_seconds": 60},
        "answer": {"gate": "hold"},
        "web": {"fetch": {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0}},
    }
    forged = "The tea house at the lake opened in 1921 [1]."
    at.model.says("Good morning.")
    at.model.says(f"{forged} {forged.replace('1921', '1931')}", chunk=9)
    at.model.says(f"{said[:-1]} [1].")
    at.model.says("I do not know.")
    found = await answered(at, "chat", "coffee", "tea")
    assert len(found.call.inner("model")) == 3
    again = await replayed(found)
    answer = again.call.result["answer"]
    assert answer == found.call.result["answer"]
    assert answer.startswith("The tea house at the lake opened in 1912 [")
    assert "~~The tea house at the lake opened in 1931 [" in answer


async def test_an_answer_that_read_while_engines_were_out(
    at: Bench, server: LoopbackServer
) -> None:
    """Whoever came first then, the pages that are read are the same."""
    gate = Signal()
    sentence = "The tea house at the lake closes at half past nine."

    def opened(_: Request) -> Reply:
        gate.set()
        return replies.html(f"<article><p>{sentence}</p><p>{sentence}</p></article>")

    server.on("/html/", replies.held(replies.html("<p>No results.</p>"), gate))
    server.on("/open", opened)
    at.replies["tea"] = replies.as_json(
        {"results": [{"url": server.url("/open"), "title": "T", "content": "About tea."}]}
    )
    at.config = {
        "chat": {"read": True, "read_seconds": 60},
        "engines": {"ddg_html": {"base_url": server.base_url}},
        "web": {"fetch": {"allow": ["127.0.0.1"], "fetch_delay_seconds": 0}},
    }
    at.model.says("At half past nine [1].")
    async with Assistant(at.load) as assistant:
        talk = await assistant.open(mode="chat")
        await talk.set_switch(on=True)
        await talk.choose(Choices(engines=("searxng", "ddg_html")))
        with trace.into(None) as destination:
            async for _ in talk.stream("tea"):
                pass
    again = await replayed(destination.traces[0])
    assert again.call.result["sources"][0]["was_read"]


async def test_an_answer_without_a_search(at: Bench) -> None:
    at.model.says("From memory.")
    found = await answered(at, "chat", "tea", search=False)
    assert not found.call.inner("search")
    await replayed(found)


def _searches(at: Bench) -> None:
    at.model.calls("web_search", {"query": "x"}, text="I look.")
    at.model.calls("web_search", {"query": "y"}, {"query": "x"})
    at.model.says("All [1][4].")


def _equal(at: Bench) -> None:
    at.model.calls("web_search", {"query": "x"}, {"query": "x"})
    at.model.says("All [1][3].")


def _broken_arguments(at: Bench) -> None:
    at.model.calls("web_search", '{"query": ')
    at.model.calls("no_such_tool", {})
    at.model.says("Without [1].")


def _fails_after(at: Bench) -> None:
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Found [2] and", CUT)


def _silent_after(at: Bench) -> None:
    at.env["CITESEEK_MODEL_TIMEOUT"] = "1"
    at.model.calls("web_search", {"query": "x"})
    at.model.says("Found [2] and", HANG)


def _engine_fails(at: Bench) -> None:
    at.replies["x"] = faults.reset()
    at.model.calls("web_search", {"query": "x"})
    at.model.says("It did not work.")


def _limit(at: Bench) -> None:
    at.env["CITESEEK_MAX_SEARCHES"] = "1"
    at.model.calls("web_search", {"query": "x"})
    at.model.says("So far [1].")


AGENTS = (
    _found,
    _searches,
    _equal,
    _broken_arguments,
    _fails_after,
    _silent_after,
    _engine_fails,
    _limit,
    _refused,
)


@pytest.mark.parametrize("script", AGENTS, ids=lambda script: script.__name__)
async def test_an_answer_of_agent_mode(at: Bench, script: Callable[[Bench], None]) -> None:
    script(at)
    await replayed(await answered(at, "agent", "tea"))


async def test_searches_side_by_side_come_back_in_the_order_of_then(at: Bench) -> None:
    gate = Signal()
    at.replies["slow"] = replies.held(results("slow", 3), gate)
    at.model.calls("web_search", {"query": "slow"}, {"query": "fast"})
    at.model.says("All [1][2][3][4][5][6].")
    async with Assistant(at.load) as assistant:
        talk = await assistant.open(mode="agent")
        with trace.into(None) as destination:
            async for event in talk.stream("hi"):
                if isinstance(event, SearchDone):
                    gate.set()
    again = await replayed(destination.traces[0])
    assert "[[1]](https://fast.example/1)" in again.call.result["text"]


async def test_a_later_answer_rests_on_the_turns_before_it(at: Bench) -> None:
    at.model.calls("web_search", {"query": "x"})
    at.model.says("All [1].")
    at.model.calls("web_search", {"query": "x"})
    at.model.says("As I said [1].")
    found = await answered(at, "agent", "tea", "and now?")
    assert len(found.call.asked["record"]["turns"]) == 1
    again = await replayed(found)
    assert "[[1]](https://x.example/1)" in again.call.result["text"]


async def test_tools_of_the_caller_are_not_called_again(at: Bench) -> None:
    calls = []

    @tool
    def clock() -> str:
        """Tell the time."""
        calls.append("called")
        return "noon"

    at.model.calls("clock", {})
    at.model.says("It is noon.")
    await replayed(await answered(at, "agent", "time?", tools=(clock,)))
    assert calls == ["called"]


async def test_a_model_that_was_chosen_for_the_conversation(at: Bench) -> None:
    at.model.says("From memory.")
    async with Assistant(at.load) as assistant:
        talk = await assistant.open()
        await talk.choose(Choices(model="openai:other"))
        with trace.into(None) as destination:
            async for _ in talk.stream("tea"):
                pass
    again = await replayed(destination.traces[0])
    assert again.call.result["model"] == "openai:other"


async def test_a_model_that_cannot_be_made(at: Bench) -> None:
    at.env["CITESEEK_MODEL_BASE_URL"] = "http://["
    again = await replayed(await answered(at, "chat", "tea"))
    assert again.call.result["outcome"] == "failed"


async def test_an_answer_that_was_stopped_is_kept_as_far_as_it_came(at: Bench) -> None:
    at.model.says("Half [1]", HANG)
    async with Assistant(at.load) as assistant:
        talk = await assistant.open(mode="chat")
        await talk.set_switch(on=True)
        with trace.into(None) as destination:
            stream = talk.stream("tea")
            async for event in stream:
                if "Half" in getattr(event, "text", ""):
                    break
            await stream.aclose()
    (found,) = destination.traces
    assert found.call.was_stopped
    assert "status: stopped" in bundle(found)


def test_the_key_of_the_model_is_in_no_trace(at: Bench, tmp_path: Path) -> None:
    async def answer() -> None:
        async with Assistant(at.load) as assistant:
            talk = await assistant.open(mode="agent")
            async for _ in talk.stream("tea"):
                pass

    _searches(at)
    at.config["trace"] = {"dir": str(tmp_path)}
    asyncio.run(answer())
    (file,) = tmp_path.iterdir()
    assert at.model.env["CITESEEK_MODEL_API_KEY"] not in file.read_text()
    text = bundle(load(file))
    assert "model: openai:test duration_ms=" in text
    assert "search_summary: " in text
