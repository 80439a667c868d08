"""examples/loops: each program is run as it stands, against a model and a web on loopback."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.loopback import LoopbackServer, Reply, Request, replies
from tests.loopback.models import KEY, ModelServer
from tests.mcp_server.hosting import LENGTH, QUESTION, a_web, searching

from citeseek.tools import schemas

pytestmark = pytest.mark.release

FOLDER = Path(__file__).parents[2] / "examples/loops"
ANSWER = "It is 412 metres long [1]."


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def run(name: str, *args: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / name), *args],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1", **env},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def answered(server: LoopbackServer) -> str:
    """Return what a program prints that has searched, read the first page, and answered."""
    length, builders = server.url("/length"), server.url("/builders")
    return f"{ANSWER}\n[1] length <{length}>\n[2] builders <{builders}>\n"


@pytest.mark.parametrize(
    ("name", "chosen"), [("openai_chat.py", "test"), ("langchain_agent.py", "openai:test")]
)
def test_a_loop_over_chat_completions(
    name: str, chosen: str, server: LoopbackServer, model: ModelServer
) -> None:
    a_web(server)
    model.calls("web_search", {"query": QUESTION})
    model.calls("web_fetch", *readings(server), "{oops")
    model.says(ANSWER)
    env = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": KEY, **searching(server)}
    assert run(name, chosen, QUESTION, **env) == answered(server)
    first, second, third = model.requests
    assert first.body["tools"] == schemas.offer_tools("openai")
    assert "[1] length" in second.prompt
    results = {m["tool_call_id"]: m["content"] for m in third.messages if m["role"] == "tool"}
    assert len(results) == 4
    told_as_it_should_be([results["call_2"], results["call_3"]], server)


def test_a_loop_over_responses(server: LoopbackServer) -> None:
    calls = itertools.count(1)

    def call(name: str, arguments: dict[str, str]) -> dict[str, Any]:
        number = next(calls)
        about = {"id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed"}
        return {"type": "function_call", "name": name, "arguments": json.dumps(arguments), **about}

    def reply(*output: dict[str, Any]) -> Reply:
        about = {"id": "resp_1", "object": "response", "created_at": 0, "model": "test"}
        choices = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True}
        return replies.as_json({**about, **choices, "output": output, "status": "completed"})

    text = {"type": "output_text", "text": ANSWER, "annotations": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    asked = scripted(
        server,
        "/v1/responses",
        reply(call("web_search", {"query": QUESTION})),
        reply(*(call("web_fetch", reading) for reading in readings(server))),
        reply({**message, "content": [text]}),
    )
    env = {"OPENAI_BASE_URL": server.url("/v1"), "OPENAI_API_KEY": KEY, **searching(server)}
    assert run("openai_responses.py", "test", QUESTION, **env) == answered(server)
    first, second, third = asked
    assert first["tools"] == schemas.offer_tools("responses")
    assert [item.get("type", item.get("role")) for item in second["input"]] == [
        "user",
        "function_call",
        "function_call_output",
    ]
    results = [item for item in third["input"] if item.get("type") == "function_call_output"]
    assert [result["call_id"] for result in results] == ["call_1", "call_2", "call_3"]
    told_as_it_should_be([result["output"] for result in results[1:]], server)


def test_a_loop_over_messages(server: LoopbackServer) -> None:
    calls = itertools.count(1)

    def call(name: str, arguments: dict[str, str]) -> dict[str, Any]:
        return {"type": "tool_use", "id": f"toolu_{next(calls)}", "name": name, "input": arguments}

    def reply(*content: dict[str, Any]) -> Reply:
        return replies.as_json({"type": "message", "role": "assistant", "content": content})

    asked = scripted(
        server,
        "/v1/messages",
        reply({"type": "text", "text": "Let me see."}, call("web_search", {"query": QUESTION})),
        reply(*(call("web_fetch", reading) for reading in readings(server))),
        reply({"type": "text", "text": ANSWER}),
    )
    env = {"ANTHROPIC_BASE_URL": server.base_url, "ANTHROPIC_API_KEY": KEY, **searching(server)}
    assert run("anthropic_messages.py", "test", QUESTION, **env) == answered(server)
    first, second, third = asked
    assert first["tools"] == schemas.offer_tools("anthropic")
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    results = third["messages"][-1]["content"]
    assert [result["tool_use_id"] for result in results] == ["toolu_2", "toolu_3"]
    assert [result["is_error"] for result in results] == [False, True]
    told_as_it_should_be([result["content"] for result in results], server)


def test_the_contract_without_a_model(server: LoopbackServer) -> None:
    offline = run("contract.py", "tea")
    assert offline.startswith("1. ")
    assert offline.endswith("tool.web.fetch ok\n")
    a_web(server)
    env = {**searching(server), "WEB_SEARCH_BACKEND": "searxng", "WEB_FETCH_BACKEND": "httpx"}
    online = run("contract.py", QUESTION, **env)
    assert f"1. length <{server.url('/length')}>\n   " in online
    assert LENGTH in online


def readings(server: LoopbackServer) -> list[dict[str, str]]:
    """Return what a model reads: a result by its number, and what a page made it make up."""
    return [{"url": "[1]"}, {"url": server.url("/made-up?by=a-page")}]


def told_as_it_should_be(texts: list[str], server: LoopbackServer) -> None:
    """Check what the model was given of :func:`readings`, and that nothing else was sent."""
    read, refused = texts
    assert LENGTH in read
    assert "stands in no result" in refused
    paths = [request.path for request in server.requests if not request.path.startswith("/v1/")]
    assert paths == ["/search", "/length"]


def scripted(server: LoopbackServer, path: str, *turns: Reply) -> list[dict[str, Any]]:
    """Let ``server`` be a web, and at ``path`` a model of ``turns``; return what it is asked."""
    a_web(server)
    asked: list[dict[str, Any]] = []
    left = iter(turns)

    def answer(request: Request) -> Reply:
        asked.append(request.json())
        return next(left)

    server.on(path, answer)
    return asked
