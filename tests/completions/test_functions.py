"""A program's own functions beside our search, over both of OpenAI's interfaces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.assistant.chatting import found, result
from tests.completions.openai_schema import COMPLETION, PIECE, RESPONSE, check
from tests.rest.serving import Served, served

AGENT = "citeseek-agent"
LINK = "[[1]](https://site1.example/page)"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"name": "weather", "description": "The weather in a city.", "parameters": SCHEMA}
TOOL = {"type": "function", "function": WEATHER}
CLOCK = {"type": "function", "function": {"name": "clock"}}
PARIS = {"city": "Paris"}


@pytest.fixture
def at() -> Iterator[Served]:
    with served(found(result(1), result(2))) as running:
        yield running


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def completed(at: Served, messages: list[Any], **how: Any) -> Any:
    body = {"model": AGENT, "messages": messages, "tools": [TOOL], **how}
    answer = at.http("POST", "/v1/chat/completions", body)
    assert answer.status == 200, answer.text
    return check(COMPLETION, answer.text).choices[0]


def streamed(at: Served, messages: list[Any], **how: Any) -> list[Any]:
    body = {"model": AGENT, "messages": messages, "tools": [TOOL], "stream": True, **how}
    with at.http.opened("POST", "/v1/chat/completions", body) as response:
        lines = response.read().decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    return [check(PIECE, line.removeprefix("data: ")) for line in lines[:-2]]


def test_functions_are_offered_beside_our_tools(at: Served) -> None:
    at.model.says("Tea.")
    completed(at, [user("tea?")], tools=[TOOL, CLOCK])
    offered = at.model.requests[-1].body["tools"]
    names = [tool["function"]["name"] for tool in offered]
    assert names == ["web_search", "web_fetch", "weather", "clock"]
    assert offered[2] == TOOL


@pytest.mark.parametrize("is_streamed", [False, True])
def test_the_program_runs_its_function_and_the_answer_goes_on(
    at: Served, *, is_streamed: bool
) -> None:
    at.model.calls("web_search", {"query": "Paris"})
    at.model.calls("weather", PARIS, text="One moment.")
    if is_streamed:
        pieces = streamed(at, [user("weather?")], stream_options={"include_usage": True})
        choices = [piece.choices[0] for piece in pieces if piece.choices]
        assert choices[-1].finish_reason == "tool_calls"
        content = "".join(choice.delta.content or "" for choice in choices)
        calls = [call for choice in choices for call in choice.delta.tool_calls or ()]
        assert [call.index for call in calls] == [0]
        assert pieces[-1].usage.total_tokens == 24
    else:
        choice = completed(at, [user("weather?")])
        assert choice.finish_reason == "tool_calls"
        content, calls = choice.message.content, choice.message.tool_calls
    (call,) = calls
    assert content == "One moment."
    assert (call.function.name, json.loads(call.function.arguments)) == ("weather", PARIS)
    at.model.says("Sunny [1].")
    at.model.calls("web_search", {"query": "sun"})
    at.model.says("Sunny [1].")
    called = {"id": call.id, "type": "function", "function": call.function.model_dump()}
    history = [
        user("weather?"),
        {"role": "assistant", "content": content, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": call.id, "content": "sun"},
    ]
    completed(at, history)
    told = at.model.requests[-1].messages[1:]
    assert [message["role"] for message in told] == ["user", "assistant", "tool"]
    assert told[1]["tool_calls"][0]["id"] == told[2]["tool_call_id"] == call.id
    assert (told[1]["content"], told[2]["content"]) == ("One moment.", "sun")
    # With the results of a search of its own it cites.
    answer = completed(at, history)
    assert answer.message.content.startswith(f"Sunny {LINK}.")
    assert len(answer.message.annotations) == 1


def test_turns_of_before_keep_what_functions_gave(at: Served) -> None:
    def call(number: int) -> dict[str, Any]:
        named = {"name": "weather", "arguments": json.dumps(PARIS)}
        return {"id": f"call_{number}", "type": "function", "function": named}

    at.model.says("Done.")
    completed(
        at,
        [
            user("first"),
            {"role": "assistant", "content": None, "tool_calls": [call(1), call(2)]},
            {"role": "tool", "tool_call_id": "call_2", "content": "two"},
            {"role": "tool", "tool_call_id": "call_1", "content": "one"},
            {"role": "assistant", "content": "", "tool_calls": [call(3)]},
            {"role": "tool", "tool_call_id": "call_3", "content": "three"},
            {"role": "assistant", "content": "So it is."},
            user("second"),
            {"role": "assistant", "content": None, "tool_calls": [call(4)]},
            user("third"),
        ],
    )
    told = at.model.requests[-1].messages[1:]
    roles = "user assistant tool tool assistant tool assistant user assistant tool user"
    assert [message["role"] for message in told] == roles.split()
    texts = [message["content"] for message in told if message["role"] == "tool"]
    # What was never answered is told so: servers want a word for each call.
    assert texts == ["one", "two", "three", "(No result.)"]
    assert told[6]["content"] == "So it is."


def test_calls_beside_our_own_wait_for_what_ours_give(at: Served) -> None:
    at.model.sends(
        _both("web_search", {"query": "tea"}, "weather", PARIS), content_type="text/event-stream"
    )
    at.model.calls("weather", PARIS)
    choice = completed(at, [user("weather?")])
    (call,) = choice.message.tool_calls
    assert call.function.name == "weather"
    assert at.engine.requests[-1].param("q") == "tea"
    # The model has seen what the search gave, and no call that nobody answered.
    calls = [
        each["tool_calls"] for each in at.model.requests[-1].messages if each.get("tool_calls")
    ]
    assert [[call["function"]["name"] for call in each] for each in calls] == [["web_search"]]


def _both(*calls: Any) -> bytes:
    """Return a stream in which a model calls two tools at once."""
    pairs = zip(calls[::2], calls[1::2], strict=True)
    told = [
        {
            "index": place,
            "id": f"both_{place}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(pairs)
    ]
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "test"}
    choice = {"index": 0, "delta": {"role": "assistant", "tool_calls": told}, "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls"}
    events = [{**head, "choices": [choice]}, {**head, "choices": [end]}]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def test_one_call_at_a_time_where_the_program_wants_that(at: Served) -> None:
    at.model.calls("weather", PARIS, {"city": "Rome"}, always=True)
    assert len(completed(at, [user("weather?")]).message.tool_calls) == 2
    alone = completed(at, [user("weather?")], parallel_tool_calls=False)
    assert [json.loads(call.function.arguments) for call in alone.message.tool_calls] == [PARIS]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("required", "required"),
        (
            {"type": "function", "function": {"name": "weather"}},
            {"type": "function", "function": {"name": "weather"}},
        ),
    ],
)
def test_a_function_that_must_be_called_is_called_or_the_answer_fails(
    at: Served, choice: object, sent: object
) -> None:
    tools = [TOOL, CLOCK]
    at.model.calls("weather", PARIS)
    done = completed(at, [user("weather?")], tools=tools, tool_choice=choice)
    assert done.finish_reason == "tool_calls"
    assert at.model.requests[-1].body["tool_choice"] == sent
    at.model.says("I would rather not.")
    body = {"model": AGENT, "messages": [user("x")], "tools": tools, "tool_choice": choice}
    failed = at.http("POST", "/v1/chat/completions", body)
    assert (failed.status, failed.json()["error"]["detail_code"]) == (502, "no_call")


def test_functions_may_be_left_out_for_an_answer(at: Served) -> None:
    at.model.says("Tea.")
    completed(at, [user("tea?")], tool_choice="none")
    assert at.model.requests[-1].tools == ["web_search", "web_fetch"]


@pytest.mark.parametrize(
    ("how", "param"),
    [
        ({"tools": [{"type": "function", "function": {"name": "web_search"}}]}, "tools"),
        ({"tools": [TOOL, TOOL]}, "tools"),
        ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools"),
        ({"tools": [TOOL] * 129}, "tools"),
        ({"tool_choice": {"type": "function", "function": {"name": "x"}}}, "tool_choice"),
        ({"messages": [user("a"), {"role": "tool", "tool_call_id": "1"}]}, "messages"),
    ],
)
def test_functions_that_cannot_be_offered_are_refused(
    at: Served, how: dict[str, Any], param: str
) -> None:
    body = {"model": AGENT, "messages": [user("x")], "tools": [TOOL], **how}
    refused = at.http("POST", "/v1/chat/completions", body)
    assert (refused.status, refused.json()["error"]["param"]) == (400, param)
    assert not at.model.requests


def test_a_response_goes_on_with_what_the_function_gave(at: Served) -> None:
    tools = [{"type": "function", **WEATHER, "strict": True}, {"type": "web_search"}]

    def responded(given: Any, **how: Any) -> Any:
        body = {"model": AGENT, "input": given, "tools": tools, **how}
        return check(RESPONSE, at.http("POST", "/v1/responses", body).text)

    at.model.calls("web_search", {"query": "Paris"})
    at.model.calls("weather", PARIS, text="The sources say [1].")
    first = responded("weather?")
    assert at.model.requests[-1].body["tools"][2]["function"]["strict"] is True
    call = first.output[-1]
    assert (call.type, call.name, json.loads(call.arguments)) == ("function_call", "weather", PARIS)
    at.model.says("Sunny [1].")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "sun"}
    second = responded([result], previous_response_id=first.id)
    # The numbers of the conversation go on: what was found before can be cited.
    (annotation,) = second.output[-1].content[0].annotations
    assert annotation.url == "https://site1.example/page"
    assert second.output[-1].content[0].text.endswith("site1.example\n")
    told = at.model.requests[-1].messages[1:]
    assert [each["role"] for each in told] == ["user", "assistant", "tool", "assistant", "tool"]
    assert told[-1]["content"] == "sun"
    # Or without anything that is kept, with the items as they came.
    at.model.says("Sunny.")
    items = [user("weather?"), call.model_dump(exclude_none=True), result]
    third = responded(items, store=False)
    assert third.output[-1].content[0].text.startswith("Sunny.")
    for wrong in ([{**result, "call_id": "x"}], [result, result]):
        body = {"model": AGENT, "input": wrong, "previous_response_id": first.id}
        refused = at.http("POST", "/v1/responses", body).json()["error"]
        assert refused["param"] == "input"


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("required", "required"),
        ({"type": "web_search"}, {"type": "function", "function": {"name": "web_search"}}),
    ],
)
def test_a_response_must_search_where_its_program_says_so(
    at: Served, choice: object, sent: object
) -> None:
    tools = [{"type": "web_search"}, {"type": "function", **WEATHER}]
    at.model.calls("web_search", {"query": "tea"})
    at.model.says("Tea [1].")
    body = {"model": AGENT, "input": "tea", "tools": tools, "tool_choice": choice}
    assert at.http("POST", "/v1/responses", body).json()["status"] == "completed"
    first, second = at.model.requests
    assert first.body["tool_choice"] == sent
    assert second.body.get("tool_choice", "auto") == "auto"
