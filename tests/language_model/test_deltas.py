"""The deltas of real servers come to the client library as it understands them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citeseek.language_model.streaming.deltas import Deltas, Joined
from citeseek.language_model.streaming.server_events import EventReader, EventTooLong
from citeseek.language_model.streaming.wire import Completion


def calls(*pieces: Any) -> list[tuple[str, str, str]]:
    """Return id, name and arguments of the calls that the pieces of several deltas make."""
    deltas, found = Deltas(), dict[int, list[str]]()
    for piece in pieces:
        chunk = {"choices": [{"delta": {"tool_calls": piece}}]}
        for call in deltas.put_right(chunk)["choices"][0]["delta"].get("tool_calls", ()):
            mine = found.setdefault(call["index"], ["", "", ""])
            mine[0] += call["id"] or ""
            mine[1] += call["function"]["name"] or ""
            mine[2] += call["function"]["arguments"]
    return [(each[0], each[1], each[2]) for _, each in sorted(found.items())]


def piece(name: str | None, arguments: Any, **more: Any) -> dict[str, Any]:
    return {**more, "function": {"name": name, "arguments": arguments}}


GREEN = '{"query": "green tea"}'


@pytest.mark.parametrize(
    "pieces",
    [
        [[piece("web_search", '{"query": "green', id="a")], [piece(None, ' tea"}')]],
        [[piece("web_search", '{"query": "green', id="a")], [piece("web_search", ' tea"}')]],
        [
            [piece("web_search", '{"query": "green', id="a", index=0)],
            [piece("web_search", ' tea"}', id="a", index=0)],
        ],
        [[piece("web_search", {"query": "green tea"}, id="a")]],
        [[piece("web_search", {"query": "green tea"}, id="a")], [piece("web_search", "")]],
        [[piece("web_search", "", id="a", index=0)], [piece(None, GREEN, index=0)]],
        [[piece("web_search", None, id="a", index=0)], [piece("", GREEN, index=0, id="")]],
        [[piece(None, "", id="a", index=0)], [piece("web_search", GREEN, index=0)]],
        [[{"id": "a", "name": "web_search", "arguments": {"query": "green tea"}}]],
        # No arguments first; all of them so far in each piece; under another name.
        [[piece("web_search", "{}", id="a", index=0)], [piece(None, GREEN, index=0)]],
        [[piece("web_search", {}, id="a", index=0)], [piece(None, GREEN, index=0)]],
        [[piece("web_search", '{"query"', id="a", index=0)], [piece(None, GREEN, index=0)]],
        [[{"id": "a", "name": "web_search", "parameters": {"query": "green tea"}}]],
        [piece("web_search", GREEN, id="a")],
    ],
)
def test_the_pieces_of_one_call_make_one_call(pieces: list[Any]) -> None:
    assert calls(*pieces) == [("a", "web_search", GREEN)]


@pytest.mark.parametrize(
    "pieces",
    [
        [
            [piece("f", '{"q"', id="a", index=0), piece("g", '{"r"', id="b", index=1)],
            [piece(None, ": 2}", index=1), piece(None, ": 1}", index=0)],
        ],
        # By id where the index is missing, and where it is always 0.
        [
            [piece("f", '{"q"', id="a"), piece("g", '{"r"', id="b")],
            [piece("g", ": 2}", id="b"), piece("f", ": 1}", id="a")],
        ],
        [[piece("f", '{"q": 1}', id="a", index=0)], [piece("g", '{"r": 2}', id="b", index=0)]],
        # By name where both are.
        [
            [piece("f", '{"q"', id="a"), piece("g", '{"r"', id="b")],
            [piece("f", ": 1}"), piece("g", ": 2}")],
        ],
    ],
)
def test_pieces_of_several_calls_go_to_the_right_one(pieces: list[Any]) -> None:
    assert calls(*pieces) == [("a", "f", '{"q": 1}'), ("b", "g", '{"r": 2}')]


def test_two_calls_without_an_id_get_one_each() -> None:
    found = calls([piece("f", '{"q": 1}', index=0)], [piece("f", '{"q": 2}', index=0)])
    assert [each[1:] for each in found] == [("f", '{"q": 1}'), ("f", '{"q": 2}')]
    ids = {each[0] for each in found}
    assert len(ids) == 2
    assert all(len(each) == 9 and each.isalnum() and each.isascii() for each in ids)


def test_the_older_form_of_a_call_is_one() -> None:
    chunk = {"choices": [{"delta": {"function_call": {"name": "f", "arguments": GREEN}}}]}
    (call,) = Deltas().put_right(chunk)["choices"][0]["delta"]["tool_calls"]
    assert call["function"] == {"name": "f", "arguments": GREEN}


@pytest.mark.parametrize(
    ("delta", "content", "thinking"),
    [
        ({"content": None, "reasoning": "hm"}, "", "hm"),
        ({"content": "a", "reasoning_content": "hm", "reasoning": "hm"}, "a", "hm"),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "a"},
                ]
            },
            "a",
            "hm",
        ),
        (None, "", None),
    ],
)
def test_thinking_stands_in_one_place(delta: Any, content: str, thinking: str | None) -> None:
    put = Deltas().put_right({"choices": [{"delta": delta}]})["choices"][0]["delta"]
    assert (put["content"], put.get("reasoning_content")) == (content, thinking)


def joined(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = Joined()
    for chunk in chunks:
        found.add(chunk)
    return found.take()


def test_chunks_that_only_go_on_are_one() -> None:
    def chunk(**delta: Any) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": delta}]}

    chunks = [chunk(role="assistant", content=""), chunk(content="a"), chunk(content="b")]
    chunks += [chunk(content="", reasoning_content="c"), chunk(content="d", tool_calls=[{}])]
    told = [each["choices"][0]["delta"].get("content") for each in joined(chunks)]
    assert told == ["", "ab", "", "d"]


SENT = 'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
EVENTS = f": hello\n\ndata:\n\nid: 5\n\nretry: 3000\n\nevent: ping\n\n{SENT}data\n\n"


def content_of(sent: bytes) -> tuple[str, str | None]:
    """Return the text and the reason of the end in what is sent on."""
    text, reason = "", None
    for event in sent.decode().split("\n\n"):
        data = event.removeprefix("data: ")
        if data and data != "[DONE]":
            (choice,) = json.loads(data)["choices"]
            text += choice["delta"].get("content") or ""
            reason = choice["finish_reason"] or reason
    return text, reason


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
def test_events_without_data_are_none(line_end: str, size: int) -> None:
    body = f"{EVENTS}data: [DONE]\n\n".replace("\n", line_end).encode()
    completion = Completion(1_000)
    sent = b"".join(completion.feed(body[at : at + size]) for at in range(0, len(body), size))
    assert completion.is_over
    assert content_of(sent) == ("a", "stop")


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("", "connection"),
        ("data: [DONE]", "stop"),
        ('data: {"choices": [{"delta": {}, "finish_reason": "length"}]}\n\n', "length"),
        ('data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}', "stop"),
        ('data: {"choices": [{"delta": {"refusal": "no"}, "finish_reason": "stop"}]}', "refusal"),
    ],
)
def test_an_end_that_nobody_told_is_a_cut(end: str, reason: str) -> None:
    completion = Completion(1_000)
    sent = completion.feed((SENT + end).encode()) + completion.finish()
    assert content_of(sent) == ("a", reason)


def test_an_event_too_long_is_cut_where_the_limit_is() -> None:
    completion = Completion(100)
    head = b'data: {"choices": [{"delta": {"content": "'
    sent = completion.feed(head)
    fed = 0
    while not completion.is_over:
        sent += completion.feed(b"x" * 1_000)
        fed += 1_000
    assert fed < 100_000
    text, reason = content_of(sent)
    assert (set(text), reason) == ({"x"}, "max_chars")
    assert 60_000 < len(text) < 100_000


@pytest.mark.parametrize(("before", "text"), [("", ""), (SENT, "a")])
def test_an_event_without_an_end_is_a_cut(before: str, text: str) -> None:
    completion = Completion(100)
    sent = completion.feed(before.encode() + b"data: ")
    while not completion.is_over:
        sent += completion.feed(b"a" * 10_000)
    assert content_of(sent) == (text, "connection" if text else None)


def test_an_event_of_many_lines_is_too_long_as_well() -> None:
    reader = EventReader(1_000)
    assert not list(reader.feed(b"data: 0123456789\n" * 50))
    with pytest.raises(EventTooLong):
        list(reader.feed(b"data: 0123456789\n" * 100))
