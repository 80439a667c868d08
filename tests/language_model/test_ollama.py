"""Ollama's own protocol: its ends are told as with other servers, and so is thinking."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage
from tests.assistant.agent_runs import bench, heard
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Notice
from citeseek.errors import ModelFailed
from citeseek.language_model.model import load_model
from citeseek.language_model.streaming.answer import pieces
from citeseek.language_model.streaming.pieces import THINKING


def line(content: str = "", reason: str | None = None, **more: Any) -> dict[str, Any]:
    done = {"done": True, "done_reason": reason} if reason else {"done": False}
    return {"model": "m", "message": {"role": "assistant", "content": content, **more}, **done}


def ndjson(*lines: dict[str, Any]) -> Reply:
    body = "".join(json.dumps(each) + "\n" for each in lines)
    return Reply(200, {"Content-Type": "application/x-ndjson", "Connection": "close"}, body)


async def said(*lines: dict[str, Any], **env: str) -> AIMessageChunk:
    """Return all pieces of an answer as one."""
    with LoopbackServer() as server:
        server.on("/api/chat", ndjson(*lines))
        where = {"CITESEEK_MODEL": "ollama:m", "CITESEEK_MODEL_BASE_URL": server.base_url}
        model = load_model(settings(env={**where, **env}))
        found = AIMessageChunk(content="")
        async for piece in pieces(model, [HumanMessage("hello")]):
            found += piece
        return found


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (line(reason="stop"), "stop"),
        (line(reason="length"), "length"),
        ({**line(), "done": True}, "stop"),
        (line("!"), "connection"),
    ],
)
async def test_an_answer_says_how_it_ended(last: dict[str, Any], reason: str) -> None:
    told = await said(line("Tea is"), last)
    assert told.text.startswith("Tea is")
    assert told.response_metadata["finish_reason"] == reason


@pytest.mark.parametrize(("reason", "code"), [("length", "length"), ("stop", "empty")])
async def test_nothing_said_has_its_reason(reason: str, code: str) -> None:
    with pytest.raises(ModelFailed) as caught:
        await said(line(), line(reason=reason))
    assert caught.value.detail_code == code


async def test_a_stream_that_says_nothing_at_all_was_cut() -> None:
    with pytest.raises(ModelFailed) as caught:
        await said(line())
    assert caught.value.detail_code == "cut"


async def test_an_answer_is_cut_at_its_length() -> None:
    told = await said(*[line("x" * 9)] * 100, line(reason="stop"), CITESEEK_MODEL_MAX_CHARS="100")
    assert (told.text, told.response_metadata["finish_reason"]) == ("x" * 100, "max_chars")


async def test_thinking_is_no_part_of_the_answer() -> None:
    told = await said(line("<think>h"), line("m</th"), line("ink>Tea."), line(reason="stop"))
    assert (told.text, told.additional_kwargs[THINKING]) == ("Tea.", "hm")


async def test_a_call_in_agent_mode_searches_and_a_cut_answer_is_told() -> None:
    function = {"name": "web_search", "arguments": {"query": "tea"}}
    with bench() as at, LoopbackServer() as server:
        server.on(
            "/api/chat",
            ndjson(line(tool_calls=[{"function": function}]), line(reason="stop")),
            ndjson(line("Steamed [1].")),
        )
        at.env |= {"CITESEEK_MODEL": "ollama:m", "CITESEEK_MODEL_BASE_URL": server.base_url}
        async with Assistant(at.load) as assistant:
            conversation = await assistant.open(mode="agent")
            answer = await heard(conversation.stream("tea?"))
    assert at.queries == ["tea"]
    assert answer.done.cited == (1,)
    assert [each.code for each in answer.of(Notice)] == ["cut_connection"]
