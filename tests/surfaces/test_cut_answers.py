"""An answer that its model did not finish is told as cut wherever it leaves."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from tests.assistant.chatting import found, result
from tests.command import run_citeseek
from tests.loopback.models import CUT, ModelServer
from tests.rest.serving import Served, served

CALL = '<tool_call>{"name": "web_search", "arguments": {"query": "x"}}</tool_call>'
UNENDED = b'data: {"choices": [{"index": 0, "delta": {"content": "Tea is"}}]}\n\n'
# What the model does, the notice, and the reason over /v1.
ENDINGS: dict[str, tuple[str, str, str]] = {
    "length": ("Tea is", "cut_length", "length"),
    "content_filter": ("Tea is", "cut_content_filter", "content_filter"),
    "connection": ("Tea is", "cut_connection", "length"),
    "max_chars": ("Tea is " * 100, "cut_max_chars", "length"),
    "tool_call": (f"Tea is {CALL}", "cut_tool_call", "length"),
}


def script(model: ModelServer, name: str) -> None:
    if name == "connection":
        model.sends(UNENDED)
    else:
        told = name if name in ("length", "content_filter") else ""
        model.says(ENDINGS[name][0], finish_reason=told)


@pytest.fixture
def at() -> Iterator[Served]:
    with served(found(result(1)), CITESEEK_MODEL_MAX_CHARS="200") as running:
        yield running


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ENDINGS)
def test_the_command_line_exits_with_3(name: str) -> None:
    with ModelServer() as model:
        script(model, name)
        limit = {"CITESEEK_MODEL_MAX_CHARS": "200"}
        done = run_citeseek(
            "ask", "tea", "--no-search", "-f", "json", env={**os.environ, **model.env, **limit}
        )
    assert done.returncode == 3, done.stderr
    told = json.loads(done.stdout)
    assert told["outcome"] == "answered"
    assert ENDINGS[name][1] in [each["code"] for each in told["notices"]]


@pytest.mark.parametrize("name", ["failed", "cut", "empty"])
def test_the_command_line_exits_with_3_for_no_answer(name: str) -> None:
    with ModelServer() as model:
        if name == "failed":
            model.fails(400)
        else:
            model.says(*(["Tea is", CUT] if name == "cut" else []))
        done = run_citeseek("ask", "tea", "--no-search", env={**os.environ, **model.env})
    assert done.returncode == 3, done.stderr


@pytest.mark.sample(3)
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", ENDINGS)
def test_v1_gives_the_reason(at: Served, name: str, *, streamed: bool) -> None:
    script(at.model, name)
    asked = {"model": "citeseek-chat", "messages": [{"role": "user", "content": "tea"}]}
    text, reason = completed(at, {**asked, "stream": streamed})
    assert "Tea is" in text
    assert "tool_call>" not in text
    assert reason == ENDINGS[name][2]


@pytest.mark.parametrize("name", ENDINGS)
def test_the_api_tells_it(at: Served, name: str) -> None:
    script(at.model, name)
    sent = at.ask(at.begin(), "tea")
    codes = [each.data["code"] for each in sent if each.kind == "notice"]
    assert ENDINGS[name][1] in codes


CALLED = {"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.sample(2)
@pytest.mark.parametrize("model", ["citeseek-chat", "citeseek-agent"])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "between",
    [
        [{"role": "assistant", "content": ""}],
        [{"role": "assistant", "content": None}],
        [
            {"role": "assistant", "content": None, "tool_calls": [CALLED]},
            {"role": "tool", "tool_call_id": "x", "content": "5"},
            {"role": "assistant", "content": "It is 5."},
        ],
        [
            {"role": "assistant", "content": "", "tool_calls": [CALLED]},
            {"role": "tool", "tool_call_id": "x", "content": ""},
        ],
    ],
)
def test_v1_takes_histories_with_tools_and_nothing_said(
    at: Served, model: str, between: list[dict[str, Any]], *, streamed: bool
) -> None:
    at.model.says("Green.")
    messages = [
        {"role": "user", "content": "tea?"},
        *between,
        {"role": "user", "content": "and?"},
    ]
    text, reason = completed(at, {"model": model, "messages": messages, "stream": streamed})
    assert "Green." in text
    assert reason == "stop"
    told = at.model.requests[0].messages
    called = [each["tool_calls"] for each in told if each.get("tool_calls")]
    given = [each["content"] for each in told if each["role"] == "tool"]
    if model == "citeseek-agent":  # which sees the program's functions again
        assert [call["function"] for calls in called for call in calls] == [
            call["function"] for each in between for call in each.get("tool_calls", ())
        ]
        assert given == [each["content"] for each in between if each["role"] == "tool"]
    else:
        assert called == given == []
    spoken = [each for each in told if not each.get("tool_calls") and each["role"] != "tool"]
    roles = [each["role"] for each in spoken if each["role"] != "system"]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
    assert all(each["content"] for each in spoken)


def completed(at: Served, asked: dict[str, Any]) -> tuple[str, str]:
    """Return the text of a completion and why it ended."""
    answered = at.http("POST", "/v1/chat/completions", asked)
    assert answered.status == 200, answered.text
    if not asked["stream"]:
        (choice,) = answered.json()["choices"]
        return choice["message"]["content"], choice["finish_reason"]
    lines = [line.removeprefix("data: ") for line in answered.text.split("\n") if line]
    assert lines[-1] == "[DONE]"
    choices = [each for line in lines[:-1] for each in json.loads(line)["choices"]]
    text = "".join(each["delta"].get("content") or "" for each in choices)
    return text, [each["finish_reason"] for each in choices][-1]
