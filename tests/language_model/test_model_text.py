"""The text of models as they are comes out clean: over a real server and the real client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage
from tests.conftest import settings
from tests.loopback import Reply
from tests.loopback.models import ModelServer, Thought
from tests.loopback.wire import Wire

from citeseek.errors import ModelFailed
from citeseek.language_model.model import Model, load_model
from citeseek.language_model.streaming.answer import pieces
from citeseek.language_model.streaming.pieces import THINKING

ASKED = [HumanMessage("hello")]
DONE = b"data: [DONE]\n\n"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def model_of(server: ModelServer, **env: str) -> Model:
    return load_model(settings(env={**server.env, **env}))


async def heard(model: Model) -> AIMessageChunk:
    """Return all pieces as one."""
    found = AIMessageChunk(content="")
    try:
        async for piece in pieces(model, ASKED):
            found += piece
    finally:
        await model.close()
    return found


def event(reason: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return b"data: %b\n\n" % json.dumps({"choices": [choice]}).encode()


async def said(server: ModelServer, *events: bytes, **env: str) -> AIMessageChunk:
    server.sends(b"".join(events))
    return await heard(model_of(server, **env))


async def test_half_characters_are_joined_or_replaced(server: ModelServer) -> None:
    halves = ["a\ud83c", "\udf0db", "c\ud800", "d\ud83d"]
    told = await said(server, *(event(content=half) for half in halves), event("stop"), DONE)
    assert told.text == "a🌍bc\ufffdd\ufffd"


async def test_events_without_data_do_not_matter(server: ModelServer) -> None:
    frames = b"data:\n\nid: 5\n\nretry: 3000\n\nevent: ping\n\n: comment\n\n"
    told = await said(server, frames, event(content="a\u2028b"), frames, event("stop"), frames)
    assert (told.text, told.response_metadata["finish_reason"]) == ("a\u2028b", "stop")


@pytest.mark.parametrize("data", [b"keep-alive", b"null", b"[]", b"5", b'"x"', b"\xff"])
async def test_events_that_are_no_pieces_do_not_matter(server: ModelServer, data: bytes) -> None:
    frame = b"data: %b\n\n" % data
    told = await said(
        server, frame, event(content="a"), frame, event(content="b"), event("stop"), frame, DONE
    )
    assert (told.text, told.response_metadata["finish_reason"]) == ("ab", "stop")


@pytest.mark.parametrize("kind", ["application/json", "text/plain", ""])
async def test_an_answer_in_one_piece_is_one(server: ModelServer, kind: str) -> None:
    choice = {"index": 0, "message": {"content": "Tea."}, "finish_reason": "length"}
    body = json.dumps({"choices": [choice]}, indent=2).encode()
    server.sends(b"\r\n" + body, content_type=kind)
    told = await heard(model_of(server))
    assert (told.text, told.response_metadata["finish_reason"]) == ("Tea.", "length")


@pytest.mark.parametrize("kind", ["application/json", "Text/Event-Stream", "text/plain", ""])
async def test_events_are_events_whatever_they_are_called(server: ModelServer, kind: str) -> None:
    server.sends(b"data:\n\n" + event(content="Tea.") + event("stop") + DONE, content_type=kind)
    assert (await heard(model_of(server))).text == "Tea."


async def test_a_broken_piece_is_not_passed_over(server: ModelServer) -> None:
    with pytest.raises(ModelFailed) as caught:
        await said(server, event(content="a"), b'data: {"choices": [\n\n', event("stop"), DONE)
    assert caught.value.detail_code == "garbage"


@pytest.mark.filterwarnings("error:Pydantic serializer")
@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": "3", "completion_tokens": 1.5},
        {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": "x"},
        {"prompt_tokens": -3, "completion_tokens": True},
        {"prompt_tokens": 3, "completion_tokens": 1, "prompt_tokens_details": [1]},
        {"prompt_tokens": 3, "completion_tokens_details": {"reasoning_tokens": "x"}},
        {"prompt_tokens": 10**400},
        "x",
        5.5,
    ],
    ids=str,
)
async def test_odd_figures_are_left_out(server: ModelServer, usage: Any) -> None:
    more = {"usage": usage, "id": 5, "model": ["m"], "created": "now"}
    for choices in ([], [{"index": 0, "delta": {}, "finish_reason": "stop"}]):
        last = b"data: %b\n\n" % json.dumps({"choices": choices, **more}).encode()
        told = await said(server, event(content="a"), last, DONE)
        assert (told.text, told.usage_metadata) == ("a", None)


async def test_thinking_stands_beside_the_text(server: ModelServer) -> None:
    server.says(Thought("hm"), "<think>so</think>Tea.", chunk=3)
    told = await heard(model_of(server))
    assert (told.text, told.additional_kwargs[THINKING]) == ("Tea.", "hmso")


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_nothing_said_has_its_reason(server: ModelServer, reason: str) -> None:
    with pytest.raises(ModelFailed) as caught:
        await said(server, event(content=""), event(reason), DONE)
    assert caught.value.detail_code == reason


async def test_a_refusal_is_told_as_one(server: ModelServer) -> None:
    with pytest.raises(ModelFailed) as caught:
        await said(server, event(refusal="I can't."), event("stop"), DONE)
    assert caught.value.detail_code == "refusal"


async def test_a_stream_without_an_end_is_cut(server: ModelServer) -> None:
    told = await said(server, event(content="Tea is"))
    assert (told.text, told.response_metadata["finish_reason"]) == ("Tea is", "connection")


async def test_an_answer_is_cut_at_its_length(server: ModelServer) -> None:
    closed = server.http
    server.says("x" * 900, chunk=7)
    told = await heard(model_of(server, CITESEEK_MODEL_MAX_CHARS="100"))
    assert (told.text, told.response_metadata["finish_reason"]) == ("x" * 100, "max_chars")
    assert closed.requests[0].json()["max_tokens"] == 100


async def test_a_huge_delta_is_cut_before_it_is_read(server: ModelServer) -> None:
    sent = 0

    async def script(wire: Wire) -> None:
        nonlocal sent
        head = Reply(200, {"Content-Type": "text/event-stream", "Connection": "close"})
        await wire.send(replace(head, chunked=True).head())
        piece = b"x" * 65_536
        await wire.send(b"%x\r\n%b\r\n" % (len(START), START))
        for _ in range(800):
            await wire.send(b"%x\r\n%b\r\n" % (len(piece), piece))
            sent += len(piece)

    server.http.on("/v1/chat/completions", Reply(script=script))
    told = await heard(model_of(server, CITESEEK_MODEL_MAX_CHARS="1000"))
    assert told.text == "x" * 1_000
    assert told.response_metadata["finish_reason"] == "max_chars"
    assert sent < 20_000_000


START = b'data: {"choices": [{"index": 0, "delta": {"content": "'


def endless(events: Iterable[bytes]) -> Reply:
    """Answer with ``events`` again and again, as fast as they are read."""

    async def script(wire: Wire) -> None:
        head = Reply(200, {"Content-Type": "text/event-stream", "Connection": "close"})
        await wire.send(replace(head, chunked=True).head())
        body = b"".join(events)
        while True:
            await wire.send(b"%x\r\n%b\r\n" % (len(body), body))
            await asyncio.sleep(0.01)

    return Reply(script=script)


async def test_empty_pieces_are_silence(server: ModelServer) -> None:
    server.http.on("/v1/chat/completions", endless([event(content=""), b": alive\n\n"]))
    with pytest.raises(ModelFailed) as caught:
        await heard(model_of(server, CITESEEK_MODEL_TIMEOUT="1"))
    assert caught.value.detail_code == "timeout"


async def test_an_answer_is_cut_at_its_time(server: ModelServer) -> None:
    server.http.on("/v1/chat/completions", endless([event(content="x")]))
    told = await heard(model_of(server, CITESEEK_MODEL_TOTAL_SECONDS="1"))
    assert told.response_metadata["finish_reason"] == "max_seconds"
    assert set(told.text) == {"x"}


async def test_a_fast_stream_comes_in_few_pieces(server: ModelServer) -> None:
    server.says("x" * 40_000, chunk=4)
    count = length = 0
    async for piece in pieces(model_of(server), ASKED):
        count += 1
        length += len(piece.text)
    assert length == 40_000
    assert count < 5_000
