"""What a scripted model does in one turn, and how that looks in OpenAI's chat completions."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from .signals import Signal

USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}


class Fault(Enum):
    """How a turn ends before its time."""

    CUT = "the connection is closed in the middle"
    HANG = "nothing more comes until the client goes"


@dataclass(frozen=True, slots=True)
class Thought:
    """Reasoning, which goes beside the text of an answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool. ``arguments`` may be a text that is no JSON at all."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str

    @property
    def written(self) -> str:
        """The arguments as they stand in the answer."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)


Part: TypeAlias = str | Thought | Call | Signal | Fault


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer: its parts in order; texts go in pieces of ``chunk`` characters, 0 for whole."""

    parts: tuple[Part, ...]
    chunk: int = 0
    usage: Mapping[str, int] | None = None
    finish_reason: str = ""

    def events(self) -> Iterator[dict[str, Any] | Signal | Fault]:
        """Give the events of a streamed answer, and what to wait for between them."""
        yield _event({"role": "assistant", "content": ""})
        places = itertools.count()
        for part in self.parts:
            if isinstance(part, (Signal, Fault)):
                yield part
            elif isinstance(part, Call):
                # The name comes first and the arguments in two halves, as from real servers.
                place, half = next(places), len(part.written) // 2
                head = {"id": part.id, "type": "function", "function": {"name": part.name}}
                yield _event({"tool_calls": [{"index": place, **head}]})
                for written in (part.written[:half], part.written[half:]):
                    cut = {"index": place, "function": {"arguments": written}}
                    yield _event({"tool_calls": [cut]})
            else:
                name, text = _named(part)
                step = self.chunk or max(len(text), 1)
                for start in range(0, len(text), step):
                    yield _event({name: text[start : start + step]})
        yield _event({}, self._reason)
        if self.usage:
            yield {**_event({}), "choices": [], "usage": self.usage}

    def whole(self) -> dict[str, Any]:
        """Return the answer that is not streamed."""
        message: dict[str, Any] = {"role": "assistant", "content": ""}
        for part in self.parts:
            if isinstance(part, (str, Thought)):
                name, text = _named(part)
                message[name] = message.get(name, "") + text
        if calls := [part for part in self.parts if isinstance(part, Call)]:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.written},
                }
                for call in calls
            ]
        choice = {"index": 0, "message": message, "finish_reason": self._reason}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "test"}
        return {**head, "choices": [choice], "usage": self.usage}

    @property
    def _reason(self) -> str:
        if self.finish_reason:
            return self.finish_reason
        return "tool_calls" if any(isinstance(part, Call) for part in self.parts) else "stop"


def _named(part: str | Thought) -> tuple[str, str]:
    return ("content", part) if isinstance(part, str) else ("reasoning_content", part.text)


def _event(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "test"}
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
