"""The scripted model does exactly what it is told, seen through the real OpenAI client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import openai
import pytest
from tests.loopback import Signal
from tests.loopback.models import CUT, HANG, KEY, ModelServer, Thought

USER = {"role": "user", "content": "hello"}
TOOL = {"type": "function", "function": {"name": "web_search", "parameters": {"type": "object"}}}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
async def client(model: ModelServer) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=model.base_url, api_key=KEY, max_retries=0) as made:
        yield made


async def stream(client: openai.AsyncOpenAI, **more: Any) -> Any:
    return await client.chat.completions.create(model="test", messages=[USER], stream=True, **more)


async def deltas(client: openai.AsyncOpenAI, **more: Any) -> list[Any]:
    return [event.choices[0].delta async for event in await stream(client, **more) if event.choices]


async def test_text_comes_in_the_pieces_that_were_asked_for(
    model: ModelServer, client: openai.AsyncOpenAI
) -> None:
    model.says("绿茶不发酵 [1]。", chunk=4)
    pieces = [delta.content for delta in await deltas(client) if delta.content]
    assert pieces == ["绿茶不发", "酵 [1", "]。"]


async def test_turns_go_in_order_and_requests_are_recorded(
    model: ModelServer, client: openai.AsyncOpenAI
) -> None:
    model.says("one")
    model.says("two")
    first = await client.chat.completions.create(model="test", messages=[USER], tools=[TOOL])
    second = await client.chat.completions.create(
        model="test", messages=[{"role": "system", "content": "be brief"}, USER]
    )
    assert [a.choices[0].message.content for a in (first, second)] == ["one", "two"]
    assert [asked.tools for asked in model.requests] == [["web_search"], []]
    assert (model.requests[1].system, model.requests[1].prompt) == ("be brief", "hello")
    assert model.requests[0].http.headers["authorization"] == f"Bearer {KEY}"


async def test_tools_are_called_at_the_same_time(
    model: ModelServer, client: openai.AsyncOpenAI
) -> None:
    model.calls("web_search", {"query": "茶"}, "{broken", text="Let me look.")
    names: dict[int, str] = {}
    arguments: dict[int, str] = {0: "", 1: ""}
    for delta in await deltas(client):
        for call in delta.tool_calls or ():
            names[call.index] = call.function.name or names[call.index]
            arguments[call.index] += call.function.arguments or ""
    assert names == {0: "web_search", 1: "web_search"}
    assert (json.loads(arguments[0]), arguments[1]) == ({"query": "茶"}, "{broken")


async def test_a_turn_may_repeat_for_ever(model: ModelServer, client: openai.AsyncOpenAI) -> None:
    model.calls("web_search", {"query": "x"}, always=True)
    model.says("first")
    kinds = [
        (await client.chat.completions.create(model="test", messages=[USER])).choices[0]
        for _ in range(3)
    ]
    assert [kind.finish_reason for kind in kinds] == ["stop", "tool_calls", "tool_calls"]


async def test_usage_and_reasoning_are_told(model: ModelServer, client: openai.AsyncOpenAI) -> None:
    model.says(Thought("hm"), "yes")
    events = [event async for event in await stream(client)]
    assert events[-1].usage.total_tokens == 12
    thoughts = [getattr(e.choices[0].delta, "reasoning_content", None) for e in events[:-1]]
    assert [thought for thought in thoughts if thought] == ["hm"]


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_gate_holds_the_answer_back(
    model: ModelServer, client: openai.AsyncOpenAI, *, streamed: bool
) -> None:
    gate = Signal()
    model.says("before", gate, "after")
    asked = asyncio.ensure_future(
        client.chat.completions.create(model="test", messages=[USER], stream=streamed)
    )
    await model.reach(1)
    if streamed:
        events = await asked
        texts = [(await anext(events)).choices[0].delta.content for _ in range(2)]
        rest = asyncio.ensure_future(anext(events))
    else:
        texts, rest = [], asked
    assert not rest.done()
    gate.set()
    await rest
    assert texts == (["", "before"] if streamed else [])


async def test_a_refusal_has_its_status(model: ModelServer, client: openai.AsyncOpenAI) -> None:
    model.fails(401)
    model.fails(429)
    model.fails(500, "<html>")
    for kind in (openai.AuthenticationError, openai.RateLimitError, openai.InternalServerError):
        with pytest.raises(kind):
            await stream(client)


async def test_streams_break_off_and_hang_as_told(
    model: ModelServer, client: openai.AsyncOpenAI
) -> None:
    model.says("half", CUT, "lost")
    with pytest.raises(openai.APIConnectionError):
        await deltas(client)
    model.says("half", HANG)
    events = await stream(client)
    assert [(await anext(events)).choices[0].delta.content for _ in range(2)] == ["", "half"]
    await events.close()
    # What had ended would not be cut.
    assert await model.requests[1].http.closed is True


async def test_bytes_are_sent_as_they_are(model: ModelServer, client: openai.AsyncOpenAI) -> None:
    model.sends(b"data: {no json\n\n")
    with pytest.raises(json.JSONDecodeError):
        await deltas(client)
    model.says()
    assert "".join(delta.content or "" for delta in await deltas(client)) == ""


def test_being_asked_too_often_is_a_mistake_of_the_test() -> None:
    server = ModelServer()
    server.says("only once")
    with pytest.raises(AssertionError, match="no turn left"):
        ask_twice(server)


def ask_twice(server: ModelServer) -> None:
    with server, openai.OpenAI(base_url=server.base_url, api_key=KEY, max_retries=0) as line:
        line.chat.completions.create(model="test", messages=[USER])
        with pytest.raises(openai.APIConnectionError):
            line.chat.completions.create(model="test", messages=[USER])
