"""The input of a response as messages, which both of OpenAI's interfaces have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from citeseek.surfaces.completions.functions import CalledFunction, ToolCall
from citeseek.surfaces.completions.openai_shapes import ChatMessage
from citeseek.surfaces.web.parameters import refuse

# Of an answer that comes back: what was searched and thought is not told again.
_LEFT_OUT = frozenset({"web_search_call", "reasoning"})
_TEXTS = frozenset({"input_text", "output_text", "text"})


class _Message(msgspec.Struct):
    role: str
    content: str | list[dict[str, Any]]


class _Call(msgspec.Struct):
    call_id: str
    name: str
    arguments: str


class _Output(msgspec.Struct):
    call_id: str
    output: str | list[dict[str, Any]]


def messages_of(given: str | Sequence[Mapping[str, Any]]) -> list[ChatMessage]:
    """Return the ``input`` of a response as messages; raise InvalidInput for what is not read."""
    if isinstance(given, str):
        return [ChatMessage("user", given)]
    return [message for place, item in enumerate(given) for message in _messages(item, place)]


def _messages(item: Mapping[str, Any], place: int) -> list[ChatMessage]:
    kind = item.get("type", "message")
    try:
        if kind == "message":
            message = msgspec.convert(item, _Message)
            text = _text(message.content, place)
            return [msgspec.convert({"role": message.role, "content": text}, ChatMessage)]
        if kind == "function_call":
            call = msgspec.convert(item, _Call)
            called = ToolCall(
                id=call.call_id,
                function=CalledFunction(name=call.name, arguments=call.arguments),
            )
            return [ChatMessage("assistant", tool_calls=[called])]
        if kind == "function_call_output":
            output = msgspec.convert(item, _Output)
            return [ChatMessage("tool", _text(output.output, place), tool_call_id=output.call_id)]
    except msgspec.ValidationError as error:
        raise refuse("input", f"input.{place} is not what is expected here: {error}") from None
    if kind in _LEFT_OUT:
        return []
    raise refuse("input", f"input.{place} is {kind!r:.40}, which is not read here.")


def _text(content: str | list[dict[str, Any]], place: int) -> str:
    if isinstance(content, str):
        return content
    texts = []
    for part in content:
        kind, text = part.get("type"), part.get("text")
        if kind not in _TEXTS or not isinstance(text, str):
            raise refuse("input", f"input.{place} holds {kind!r:.40}; only text is read.")
        texts.append(text)
    return "".join(texts)
