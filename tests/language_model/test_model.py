"""Models are made from the settings, heard piece by piece, and fail in one way."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import ollama
import openai
import pytest
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessageChunk, HumanMessage
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, Signal, black_hole, refused_port
from tests.loopback.models import CUT, HANG, KEY, ModelServer, Thought

from citeseek.errors import ModelFailed
from citeseek.i18n import catalogue
from citeseek.language_model.model import Model, load_model
from citeseek.language_model.streaming.answer import pieces, translate_failure

ASKED = [HumanMessage("hello")]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def model_of(env: dict[str, str], **more: str) -> Model:
    return load_model(settings(env={**env, **more}))


async def said(model: Model) -> list[str]:
    heard = [piece.text async for piece in pieces(model, ASKED)]
    await model.close()
    return [text for text in heard if text]


async def failed(model: Model) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await said(model)
    await model.close()
    return caught.value


async def test_text_comes_piece_by_piece_with_usage(server: ModelServer) -> None:
    server.says("绿茶不发酵 [1]。", chunk=4)
    model = model_of(server.env, CITESEEK_MODEL_TEMPERATURE="0.5")
    heard: AIMessageChunk | None = None
    texts = []
    async for piece in pieces(model, ASKED):
        texts += [piece.text] if piece.text else []
        heard = piece if heard is None else heard + piece
    await model.close()
    assert texts == ["绿茶不发", "酵 [1", "]。"]
    assert heard is not None
    assert heard.usage_metadata is not None
    assert heard.usage_metadata["total_tokens"] == 12
    body = server.requests[0].body
    assert (body["model"], body["temperature"], body["stream"]) == ("test", 0.5, True)
    assert server.requests[0].http.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.requirement("S2-4")
async def test_nothing_of_the_models_own_search_is_asked_for(server: ModelServer) -> None:
    server.says("yes")
    await said(model_of(server.env))
    assert set(server.requests[0].body) == {"messages", "model", "stream", "stream_options"}


@pytest.mark.parametrize(
    ("name", "shown", "sent"),
    [
        ("openai:gpt-5-mini", "openai:gpt-5-mini", "gpt-5-mini"),
        ("qwen3", "openai:qwen3", "qwen3"),
        ("qwen3:8b", "openai:qwen3:8b", "qwen3:8b"),
        ("claude-at-home", "openai:claude-at-home", "claude-at-home"),
    ],
)
async def test_with_an_address_any_name_is_an_openai_compatible_servers(
    server: ModelServer, name: str, shown: str, sent: str
) -> None:
    server.says("yes")
    model = model_of(server.env, CITESEEK_MODEL=name)
    assert (model.name, model.is_extractive, await said(model)) == (shown, False, ["yes"])
    assert server.requests[0].body["model"] == sent


async def test_a_local_server_needs_no_key(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.says("yes", always=True)
    env = {**server.env, "CITESEEK_MODEL_API_KEY": ""}
    assert await said(model_of(env)) == ["yes"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    assert await said(model_of(env)) == ["yes"]
    sent = [asked.http.headers["authorization"] for asked in server.requests]
    assert sent == ["Bearer none", "Bearer sk-of-the-environment"]


async def test_ollama_speaks_its_own_protocol_and_is_sent_the_key() -> None:
    lines = [
        {"model": "m", "message": {"role": "assistant", "content": "ye"}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": "s"}, "done": True},
    ]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    with LoopbackServer() as server:
        server.on(
            "/api/chat",
            Reply(200, {"Content-Type": "application/x-ndjson", "Connection": "close"}, body),
            Reply(404, {"Connection": "close"}, "no such model"),
        )
        env = {"CITESEEK_MODEL": "ollama:qwen3:8b", "CITESEEK_MODEL_BASE_URL": server.base_url}
        env["CITESEEK_MODEL_API_KEY"] = KEY
        model = model_of(env)
        assert (model.name, await said(model)) == ("ollama:qwen3:8b", ["ye", "s"])
        assert server.requests[0].json()["model"] == "qwen3:8b"
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in repr(model.chat)
        assert (await failed(model_of(env))).detail_code == "unknown_model"


@pytest.mark.parametrize(
    ("name", "path", "asked"),
    [
        ("openai:m", "/v1/chat/completions", "/v1/"),
        ("openai:m", "/v1/chat/completions/", "/v1/"),
        ("openai:m", "/v1/responses", "/v1/"),
        ("openai:m", "/v1/", "/v1/"),
        ("ollama:m", "/v1", "/"),
        ("ollama:m", "/api/chat", "/"),
        ("ollama:m", "", "/"),
    ],
)
def test_an_address_that_names_what_the_client_adds(name: str, path: str, asked: str) -> None:
    env = {"CITESEEK_MODEL": name, "CITESEEK_MODEL_BASE_URL": f"http://127.0.0.1:9{path}"}
    chat: Any = model_of(env).chat
    openai = getattr(chat, "root_async_client", None)
    address = str(openai.base_url if openai else chat.base_url)
    assert address.rstrip("/") == f"http://127.0.0.1:9{asked}".rstrip("/")


async def test_ollama_that_is_not_running_cannot_be_reached() -> None:
    with refused_port() as port:
        env = {
            "CITESEEK_MODEL": "ollama:qwen3",
            "CITESEEK_MODEL_BASE_URL": f"http://127.0.0.1:{port}",
        }
        assert (await failed(model_of(env))).detail_code == "unreachable"


def test_without_settings_the_extractive_model_answers() -> None:
    model = load_model(settings())
    assert (model.name, model.is_extractive, model.seconds) == ("extractive", True, 60)


def test_a_name_goes_before_the_settings(server: ModelServer) -> None:
    assert load_model(settings(env=server.env), "extractive").is_extractive
    assert load_model(settings(env=server.env), "openai:other").name == "openai:other"


@pytest.mark.parametrize(
    ("name", "detail_code", "hint"),
    [
        ("nobody:model", "unknown_model", "openai:gpt-5-mini"),
        ("nobody", "unknown_model", "openai:gpt-5-mini"),
        ("openai:", "unknown_model", "openai:gpt-5-mini"),
        ("anthropic:claude", "not_installed", 'pip install "langchain-anthropic"'),
        ("openai:gpt-5-mini", "auth", "CITESEEK_MODEL_API_KEY"),
        ("gpt-5-mini", "auth", "CITESEEK_MODEL_API_KEY"),
    ],
)
def test_a_model_that_cannot_be_made_is_told(name: str, detail_code: str, hint: str) -> None:
    with pytest.raises(ModelFailed) as caught:
        model_of({"CITESEEK_MODEL": name})
    assert caught.value.detail_code == detail_code
    assert hint in caught.value.hint


def test_a_name_without_a_model_is_told_as_such() -> None:
    with pytest.raises(ModelFailed, match="'openai' has no name"):
        model_of({"CITESEEK_MODEL": "openai:"})


@pytest.mark.parametrize(
    ("status", "detail_code", "asked"),
    [
        (400, "refused", 1),
        (401, "auth", 1),
        (403, "auth", 1),
        (404, "unknown_model", 1),
        (413, "too_long", 1),
        (422, "refused", 1),
        (429, "rate_limited", 2),
        (500, "upstream", 2),
        (503, "upstream", 2),
        (504, "timeout", 2),
    ],
)
async def test_a_refusal_is_told_by_its_status_and_retried_once_at_most(
    server: ModelServer, status: int, detail_code: str, asked: int
) -> None:
    server.fails(status, always=True)
    error = await failed(model_of(server.env))
    assert (error.detail_code, len(server.requests)) == (detail_code, asked)


async def test_a_conversation_that_is_too_long_is_told_by_its_code(server: ModelServer) -> None:
    server.fails(400, '{"error": {"message": "no room", "code": "context_length_exceeded"}}')
    assert (await failed(model_of(server.env))).detail_code == "too_long"


async def test_a_server_that_fails_once_is_asked_again(server: ModelServer) -> None:
    server.fails(503)
    server.says("yes")
    assert await said(model_of(server.env)) == ["yes"]


@pytest.mark.requirement("S1-73")
async def test_neither_key_nor_body_shows_anywhere(
    server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    model = model_of(server.env)
    server.fails(401, f'{{"error": {{"message": "UPSTREAM-BODY bad key {KEY}"}}}}')
    error = await failed(model)
    told = f"{error}{error!r}{error.__cause__}{model!r}{model.chat!r}{caplog.text}"
    assert "UPSTREAM-BODY" not in told
    assert KEY not in told
    assert "CITESEEK_MODEL_API_KEY" in error.hint
    assert error.__suppress_context__


async def test_a_silent_model_is_left_after_its_time(server: ModelServer) -> None:
    model = model_of(server.env, CITESEEK_MODEL_TIMEOUT="1")
    server.says("half", HANG)
    error = await failed(model)
    assert (error.detail_code, "1 s" in error.message) == ("timeout", True)
    assert await server.requests[0].http.closed is True
    server.says(HANG)
    assert (await failed(model_of(server.env, CITESEEK_MODEL_TIMEOUT="1"))).detail_code == "timeout"


async def test_the_time_is_counted_anew_for_each_piece() -> None:
    class Chat:
        async def astream(self, _: Any) -> Any:
            for _ in range(4):
                await asyncio.sleep(0.1)
                yield AIMessageChunk("x")

    slow = Model(chat=Chat(), name="slow", seconds=0.3)  # type: ignore[arg-type]
    assert await said(slow) == ["x"] * 4


async def test_who_stops_listening_closes_the_connection(server: ModelServer) -> None:
    model = model_of(server.env)
    server.says("first", Signal(), "second")
    stream = pieces(model, ASKED)
    heard = ""
    while not heard:
        heard = (await anext(stream)).text
    await stream.aclose()  # type: ignore[attr-defined]
    assert await server.requests[0].http.closed is True
    server.says("first", Signal())
    task = asyncio.ensure_future(said(model_of(server.env)))
    await server.reach(2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await server.requests[1].http.closed is True
    await model.close()


async def test_a_stream_that_breaks_off_is_told(server: ModelServer) -> None:
    server.says("half of it", CUT)
    model = model_of(server.env)
    stream = pieces(model, ASKED)
    heard = ""
    while heard != "half of it":
        heard += (await anext(stream)).text
    with pytest.raises(ModelFailed) as caught:
        await anext(stream)
    await model.close()
    assert caught.value.detail_code == "cut"


@pytest.mark.parametrize(
    ("body", "detail_code"),
    [
        (b"data: {no json\n\n", "garbage"),
        (b"data: [1, 2]\n\ndata: [DONE]\n\n", "garbage"),
        (b"\xff\xfe\x00data: \xff\n\n", "garbage"),
        (b'data: {"error": {"message": "out of memory"}}\n\n', "upstream"),
        (b"<!DOCTYPE html><title>Sign in</title>", "garbage"),
        (b"", "garbage"),
    ],
)
async def test_garbage_is_told(server: ModelServer, body: bytes, detail_code: str) -> None:
    server.sends(body)
    assert (await failed(model_of(server.env))).detail_code == detail_code


@pytest.mark.parametrize("parts", [(), (" \n",), (Thought("hm"),)])
async def test_an_answer_without_a_word_is_a_failure(server: ModelServer, parts: Any) -> None:
    server.says(*parts)
    assert (await failed(model_of(server.env))).detail_code == "empty"


async def test_a_call_of_a_tool_that_nobody_offered_is_no_answer(server: ModelServer) -> None:
    server.calls("web_search", {"query": "x"})
    assert (await failed(model_of(server.env))).detail_code == "tool_call"


async def test_a_server_that_is_not_there_is_told() -> None:
    with refused_port() as port:
        address = f"http://127.0.0.1:{port}/v1"
        env = {"CITESEEK_MODEL": "m", "CITESEEK_MODEL_BASE_URL": address}
        assert (await failed(model_of(env))).detail_code == "unreachable"


async def test_an_address_that_swallows_everything_is_left_in_time() -> None:
    with black_hole() as port:
        address = f"http://127.0.0.1:{port}/v1"
        env = {"CITESEEK_MODEL": "m", "CITESEEK_MODEL_BASE_URL": address}
        error = await failed(model_of(env, CITESEEK_MODEL_TIMEOUT="1"))
        assert error.detail_code in ("timeout", "unreachable")


REQUEST = httpx.Request("POST", "http://model.example/v1")


class Foreign(Exception):
    def __init__(self, status_code: int) -> None:
        self.status_code = status_code


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "detail_code"),
    [
        (openai.APITimeoutError(request=REQUEST), "timeout"),  # type: ignore[arg-type]
        (openai.APIConnectionError(request=REQUEST), "unreachable"),  # type: ignore[arg-type]
        (openai.APIError("x", REQUEST, body=None), "upstream"),  # type: ignore[arg-type]
        (httpx.ConnectError("x"), "unreachable"),
        (httpx.ReadTimeout("x"), "timeout"),
        (httpx.RemoteProtocolError("x"), "cut"),
        (httpx.HTTPStatusError("x", request=REQUEST, response=httpx.Response(401)), "auth"),
        (ollama.ResponseError("x", 404), "unknown_model"),
        (ollama.ResponseError("x"), "upstream"),
        (ConnectionError("x"), "unreachable"),
        (ConnectionResetError("x"), "unreachable"),
        (TimeoutError(), "timeout"),
        (json.JSONDecodeError("x", "", 0), "garbage"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), "garbage"),
        (KeyError("choices"), "garbage"),
        (ContextOverflowError("x"), "too_long"),
        (Foreign(429), "rate_limited"),
        (Foreign(200), "upstream"),
        (RuntimeError("x"), "upstream"),
        (caused(RuntimeError("x"), httpx.ConnectTimeout("x")), "unreachable"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_foreign_errors_are_renamed_by_type_and_status(error: Exception, detail_code: str) -> None:
    ours = translate_failure(error)
    assert ours.detail_code == detail_code
    assert ours.message
    assert ours.hint


def test_our_own_error_stays_as_it_is() -> None:
    error = ModelFailed("No end.", detail_code="no_end")
    assert translate_failure(error) is error


def test_the_limit_is_told_where_it_is_known() -> None:
    error = translate_failure(TimeoutError(), seconds=2.5)
    assert "2.5 s" in error.message
    assert catalogue("zh").explain(error)[0] == "模型 2.5 秒没有回答。"


@pytest.mark.release
@pytest.mark.parametrize("code", ["", "load_model(Settings.load(config={}, agents={}, env={}))"])
def test_a_model_is_loaded_without_agents_and_other_providers(code: str) -> None:
    program = (
        "import sys\nfrom citeseek import Settings\n"
        f"from citeseek.language_model.model import load_model\n{code}\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    loaded = set(done.stdout.split())
    unwanted = {"langchain.agents", "langgraph", "openai", "ollama", "numpy"}
    assert loaded & (unwanted | (set() if code else {"langchain_core"})) == set()


def test_one_process_may_ask_in_one_event_loop_after_the_other() -> None:
    event = {"choices": [{"index": 0, "delta": {"content": "yes"}}]}
    reply = Reply(
        200,
        {"Content-Type": "text/event-stream"},
        f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n",
        chunked=True,
    )
    with LoopbackServer() as server:
        server.on("/v1/chat/completions", reply)
        env = {"CITESEEK_MODEL": "m", "CITESEEK_MODEL_BASE_URL": server.url("/v1")}
        for _ in range(3):
            assert asyncio.run(said(model_of(env))) == ["yes"]
        assert server.connections == 3
