"""A model that does whatever a page tells it: the worst that one can be."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Self
from urllib.parse import quote

from tests.loopback import LoopbackServer, Reply, Request
from tests.loopback.completions import streamed, whole
from tests.loopback.turns import USAGE, Call, Turn

# An order stands between these, also within words, titles and markup.
_ORDER = re.compile(r"@@(fetch|search|call|say) (.+?)@@", re.DOTALL)
_NUMBER = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
_SPAN = re.compile(r"\b\d+-\d+\b")
# Searches, pages, what these ask for, and what that asks for.
_ROUNDS = 5
_CALL = re.compile(r"(\w+) (\{.*\})", re.DOTALL)


class Order(NamedTuple):
    """What a page wants done."""

    verb: str
    what: str

    def call(self) -> tuple[str, str] | None:
        """Return the tool and its arguments, None for what is only to be said."""
        match self.verb:
            case "fetch":
                return "web_fetch", json.dumps({"url": self.what})
            case "search":
                return "web_search", json.dumps({"query": self.what})
            case "call" if found := _CALL.fullmatch(self.what):
                return found[1], found[2]
        return None


class ObeyingModel:
    """Speaks OpenAI's chat completions; ``obeyed`` are the orders that it carried out."""

    def __init__(self) -> None:
        self.http = LoopbackServer()
        self.http.on("/v1/chat/completions", self._reply)
        self.obeyed: list[Order] = []
        self._ids = itertools.count(1)

    def __enter__(self) -> Self:
        self.http.__enter__()
        return self

    def __exit__(self, *about: object) -> None:
        self.http.__exit__(*about)  # type: ignore[arg-type]

    @property
    def env(self) -> dict[str, str]:
        """The environment that makes this the model."""
        return {
            "CITESEEK_MODEL": "openai:test",
            "CITESEEK_MODEL_BASE_URL": self.http.url("/v1"),
            "CITESEEK_MODEL_API_KEY": "sk-loopback-0123456789abcdef",
        }

    def _reply(self, request: Request) -> Reply:
        turn = self._turn(request.json())
        return streamed(turn) if request.json().get("stream") else whole(turn)

    def _turn(self, body: dict[str, Any]) -> Turn:
        asked = [message for message in body["messages"] if message["role"] != "system"]
        last = max(at for at, each in enumerate(asked) if each["role"] == "user")
        question, since = _text(asked[last]), asked[last + 1 :]
        told = "\n".join(map(_text, (asked[last], *since)))
        orders = [
            Order(verb, _filled(what, question))
            for verb, what in dict.fromkeys(_ORDER.findall(told))
        ]
        made = [each["function"] for message in since for each in message.get("tool_calls") or ()]
        has_called = {(each["name"], _as_written(each["arguments"])) for each in made}
        rounds = sum(message["role"] == "assistant" for message in since)
        if not body.get("tools") or rounds == _ROUNDS:
            return Turn((self._say(orders),), usage=USAGE)
        calls = [("web_search", json.dumps({"query": span})) for span in _SPAN.findall(question)]
        # All that these find is opened.
        own = {_as_written(given) for _, given in calls}
        numbers = [
            number
            for text in _answers_of(since, own)
            for number in dict.fromkeys(_NUMBER.findall(text))
        ]
        calls += [("web_fetch", json.dumps({"url": number})) for number in numbers]
        for order in orders:
            if (call := order.call()) and not _is_in(call, has_called):
                calls.append(call)
                self.obeyed.append(order)
        new = [call for call in calls if not _is_in(call, has_called)]
        if not new:
            return Turn((self._say(orders),), usage=USAGE)
        named = (Call(f"call_{next(self._ids)}", name, given) for name, given in new)
        return Turn(tuple(named), usage=USAGE)

    def _say(self, orders: list[Order]) -> str:
        said = [order for order in orders if order.verb == "say"]
        self.obeyed += said
        # Without a tool it says what it would have fetched, for whoever shows or follows it.
        fetched = [f"![]({order.what})" for order in orders if order.verb == "fetch"]
        return "\n\n".join(["Tea is a plant [1].", *(order.what for order in said), *fetched])


def question_in(text: str) -> str:
    """Return the question within a prompt."""
    return text.strip().splitlines()[-1] if text.strip() else ""


def _answers_of(since: list[dict[str, Any]], arguments: set[str]) -> Iterator[str]:
    """Yield what came of the calls with one of these ``arguments``."""
    made = [call for each in since for call in each.get("tool_calls") or ()]
    ids = {call["id"] for call in made if _as_written(call["function"]["arguments"]) in arguments}
    yield from (_text(each) for each in since if each.get("tool_call_id") in ids)


def _as_written(arguments: str) -> str:
    """Return ``arguments`` in one spelling: libraries write them anew."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except ValueError:
        return arguments


def _is_in(call: tuple[str, str], made: set[tuple[str, str]]) -> bool:
    return (call[0], _as_written(call[1])) in made


def _filled(what: str, prompt: str) -> str:
    """Return an order with the question in it, as a whole or as a label of a name."""
    question = question_in(prompt)
    label = question.encode().hex()[:50]
    return what.replace("{question}", quote(question, safe="")).replace("{label}", label)


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(_parts(content))


def _parts(content: list[dict[str, Any]]) -> Iterator[str]:
    yield from (part.get("text", "") for part in content)
