"""The deltas of OpenAI's chat completions as servers really send them, put right one by one."""

from __future__ import annotations

import json
import secrets
import string
from collections.abc import Iterator
from typing import Any

import msgspec

_ALPHABET = string.ascii_letters + string.digits
# What Mistral takes for an id; everybody else takes it as well.
CALL_ID_CHARS = 9
# Of what a chunk says beside its choices: the library falls over another type.
_TYPES = {"id": str, "object": str, "model": str, "system_fingerprint": str, "created": int}
_MOST_TOKENS = 2**53
# Where servers put what a model thinks before it answers.
_THINKING = ("reasoning_content", "reasoning")
_TEXTS = frozenset({"content", "reasoning_content"})

Json = dict[str, Any]


def new_call_id() -> str:
    """Return an id for a call of a tool that every server takes: nine letters or digits."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(CALL_ID_CHARS))


class Deltas:
    """Puts the chunks of one streamed answer right.

    ``finish_reason`` is the last that the server gave: it is taken out of the chunks and told once
    at the end. A refusal in words is the reason ``refusal``.
    """

    def __init__(self) -> None:
        self.finish_reason = ""
        self._refused = False
        self._calls = _Calls()

    def put_right(self, chunk: Json) -> Json:
        """Return ``chunk`` as the client library understands it."""
        chunk = {name: value for name, value in chunk.items() if _is_sound(name, value)}
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return chunk
        choice = choices[0]
        # A server that was to stream and does not gives the whole message.
        delta = choice.get("delta") or choice.get("message")
        delta = delta if isinstance(delta, dict) else {}
        self._end(choice.get("finish_reason"), delta)
        put: Json = {"content": _text(delta.get("content"))}
        if isinstance(role := delta.get("role"), str):
            put["role"] = role
        if thinking := _thinking(delta):
            put["reasoning_content"] = thinking
        if calls := list(self._calls.take(_raw_calls(delta))):
            put["tool_calls"] = calls
        return {**chunk, "choices": [{"index": 0, "delta": put, "finish_reason": None}]}

    def _end(self, reason: object, delta: Json) -> None:
        self._refused |= bool(_text(delta.get("refusal")))
        if reason:
            self.finish_reason = "refusal" if self._refused else str(reason)


class Joined:
    """Chunks of an answer, those made one that only go on with the same text, or say nothing."""

    def __init__(self) -> None:
        self._chunks: list[Json] = []
        self._texts: list[list[str]] = []
        self._field: str | None = None

    def go_on(self, data: bytes) -> bool:
        """Take the JSON of a chunk if it is the most usual one: text that goes on, and no more."""
        if self._field != "content":
            return False
        try:
            (choice,) = _TEXT_CHUNK.decode(data).choices
        except (ValueError, RecursionError):
            return False
        self._texts[-1].append(choice.delta.content)
        return True

    def add(self, chunk: Json) -> None:
        """Take a chunk that was put right."""
        field = _only_field(chunk)
        if self._chunks and (field == "" or (field and field == self._field)):
            self._texts[-1].append(chunk["choices"][0]["delta"][field] if field else "")
        else:
            self._chunks.append(chunk)
            self._texts.append([chunk["choices"][0]["delta"][field]] if field else [])
            self._field = field

    def take(self) -> list[Json]:
        """Return the chunks so far, and begin anew."""
        for chunk, texts in zip(self._chunks, self._texts, strict=True):
            if field := _only_field(chunk):
                chunk["choices"][0]["delta"][field] = "".join(texts)
        found, self._chunks, self._texts, self._field = self._chunks, [], [], None
        return found


class _TextDelta(msgspec.Struct, forbid_unknown_fields=True):
    content: str
    role: str | None = None
    refusal: None = None
    tool_calls: None = None
    function_call: None = None
    reasoning_content: None = None


class _TextChoice(msgspec.Struct, forbid_unknown_fields=True):
    delta: _TextDelta
    index: int = 0
    finish_reason: None = None
    logprobs: Any = None


class _TextChunk(msgspec.Struct):
    choices: list[_TextChoice]
    usage: None = None


_TEXT_CHUNK = msgspec.json.Decoder(_TextChunk)


def _is_sound(name: str, value: object) -> bool:
    if name == "usage":
        return _counts(value)
    return value is None or isinstance(value, _TYPES.get(name, object))


def _counts(usage: object) -> bool:
    """Whether ``usage`` counts tokens, and nothing but them; what it adds up from others is odd."""
    if isinstance(usage, dict):
        names = [name for name in usage if name.endswith(("_tokens", "_tokens_details"))]
        return all(_counts(usage[name]) for name in names)
    return usage is None or (type(usage) is int and 0 <= usage <= _MOST_TOKENS)


def _only_field(chunk: Json) -> str | None:
    """Return the one field of a chunk that is nothing but text, empty for one that says nothing.

    Of every other it is None.
    """
    choices = chunk.get("choices")
    if not choices or chunk.get("usage"):
        return None
    delta = choices[0].get("delta") if isinstance(choices[0], dict) else None
    if not isinstance(delta, dict):
        return None
    said = [name for name, value in delta.items() if value and name != "role"]
    if len(said) > 1 or not _TEXTS.issuperset(said):
        return None
    return said[0] if said else ""


def _text(content: object) -> str:
    """Return the text of a content, which may be a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part for part in content if isinstance(part, dict))
    return "".join(str(part["text"]) for part in parts if isinstance(part.get("text"), str))


def _thinking(delta: Json) -> str:
    for name in _THINKING:
        if isinstance(text := delta.get(name), str) and text:
            return text
    content = delta.get("content")
    parts = content if isinstance(content, list) else []
    return "".join(_text(part.get("thinking")) for part in parts if isinstance(part, dict))


def _raw_calls(delta: Json) -> list[Json]:
    calls = delta.get("tool_calls")
    calls = [calls] if isinstance(calls, dict) else calls
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    if isinstance(older := delta.get("function_call"), dict):
        found.append({"index": 0, "function": older})
    return found


class _Call:
    def __init__(self, place: int, call_id: str) -> None:
        self.place = place
        self.id = call_id
        self.name = ""
        self.arguments = ""
        self.was_told = False

    @property
    def is_whole(self) -> bool:
        """Whether the arguments are all there: then more of them belong to another call."""
        if not self.arguments.rstrip().endswith("}"):
            return False
        try:
            json.loads(self.arguments)
        except ValueError:
            return False
        return True


class _Calls:
    """The calls of tools in one answer, and to which of them a piece belongs."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}

    def take(self, pieces: list[Json]) -> Iterator[Json]:
        """Yield each piece with the index of its call, and with its id and its name once."""
        for piece in pieces:
            function = piece.get("function")
            function = function if isinstance(function, dict) else piece
            name, arguments = function.get("name"), function.get("arguments")
            arguments = function.get("parameters") if arguments is None else arguments
            name = name if isinstance(name, str) else ""
            call = self._call(piece, name, has_arguments=arguments not in (None, "", {}))
            is_new, call.was_told = not call.was_told, True
            written = _dump_arguments(arguments, call)
            fresh = "" if name == call.name else name
            call.name += fresh
            call.arguments += written
            yield {
                "index": call.place,
                "id": call.id if is_new else None,
                "type": "function",
                "function": {"name": fresh or None, "arguments": written},
            }

    def _call(self, piece: Json, name: str, *, has_arguments: bool) -> _Call:
        index, call_id = piece.get("index"), piece.get("id")
        call_id = call_id if isinstance(call_id, str) else ""
        if call := self._by_id.get(call_id):
            return call
        call = self._by_index.get(index) if isinstance(index, int) else self._of_name(name)
        # Some servers give every call the index 0: another id, or whole arguments, tell them apart.
        goes_on = call is not None and not (call_id and call.id in self._by_id)
        if call is None or not goes_on or (name and has_arguments and call.is_whole):
            call = self._begin(call_id)
        if isinstance(index, int):
            self._by_index[index] = call
        return call

    def _of_name(self, name: str) -> _Call | None:
        """Return the last call that may go on with a piece of ``name``, or of no name."""
        named = (call for call in reversed(self._calls) if not name or call.name in ("", name))
        return next(named, None)

    def _begin(self, call_id: str) -> _Call:
        call = _Call(len(self._calls), call_id or new_call_id())
        self._calls.append(call)
        if call_id:
            self._by_id[call_id] = call
        return call


def _dump_arguments(arguments: object, call: _Call) -> str:
    """Return what ``arguments`` add to those of ``call``, as JSON."""
    if arguments in (None, {}, "{}"):
        # Some servers begin with none, and go on with those that there are.
        return ""
    # Others send the object itself, or in each piece all that there is so far.
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    is_all = call.arguments[:1] == "{" and text.startswith(call.arguments)
    return text[len(call.arguments) :] if is_all else text
