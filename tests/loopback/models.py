"""A language model on loopback: an OpenAI-compatible server whose turns are scripted."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from .completions import streamed, whole
from .messages import Reply, Request
from .replies import as_json
from .server import LoopbackServer
from .signals import Signal
from .turns import USAGE, Call, Fault, Part, Thought, Turn

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["CUT", "HANG", "KEY", "Asked", "ModelServer", "Thought"]

CUT, HANG = Fault.CUT, Fault.HANG
KEY = "sk-loopback-0123456789abcdef"

_Scripted: TypeAlias = Turn | Reply


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the model."""

    http: Request

    @property
    def body(self) -> dict[str, Any]:
        """The whole request as JSON."""
        body: dict[str, Any] = self.http.json()
        return body

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages, each with ``role`` and ``content``."""
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model is offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return str(self.messages[-1]["content"])

    @property
    def system(self) -> str:
        """The text of all system messages."""
        return "\n".join(str(m["content"]) for m in self.messages if m["role"] == "system")


class ModelServer:
    """Answers one scripted turn after the other while its ``with`` block lasts.

    ::

        with ModelServer() as model:
            model.calls("web_search", {"query": "tea"})
            model.says("Tea is a plant [1].", chunk=4)
            answer(settings(env=model.env))
            assert model.requests[0].tools == ["web_search"]

    A turn scripted with ``always=True`` answers for ever once the others are used up. Being asked
    when nothing is left is a mistake of the test and raised at the end of the block.
    """

    def __init__(self) -> None:
        self.http = LoopbackServer()
        self.http.on("/v1/chat/completions", self._reply)
        self._lock = threading.Lock()
        self._turns: list[_Scripted] = []
        self._last: _Scripted | None = None
        self._ids = itertools.count(1)

    def says(
        self, *parts: Part, chunk: int = 0, finish_reason: str = "", always: bool = False
    ) -> None:
        """Answer with text, streamed in pieces of ``chunk`` characters (0: each part whole).

        Between texts may stand a :class:`Signal` to wait for, a :class:`Thought`, ``CUT`` or
        ``HANG``. No text at all is an empty answer. ``finish_reason`` is by default that of a
        whole answer.
        """
        self._script(Turn(parts, chunk, USAGE, finish_reason), always=always)

    def calls(
        self, tool: str, *arguments: Mapping[str, Any] | str, text: str = "", always: bool = False
    ) -> None:
        """Call ``tool`` once for each of ``arguments``, at the same time, after saying ``text``.

        A text among the arguments is sent as it is: it may be broken JSON.
        """
        calls = (Call(f"call_{next(self._ids)}", tool, given) for given in arguments)
        self._script(Turn((text, *calls), usage=USAGE), always=always)

    def fails(self, status: int, body: str = "", *, always: bool = False) -> None:
        """Refuse with ``status``, by default in OpenAI's form; clients retry after 1 ms."""
        error = {"error": {"message": "upstream says no", "type": "test", "code": None}}
        refusal = as_json(error, status)
        headers = {**refusal.headers, "retry-after-ms": "1"}
        self._script(Reply(status, headers, body or refusal.body), always=always)

    def sends(self, body: bytes, *, content_type: str = "text/event-stream") -> None:
        """Answer 200 with these bytes, whatever they are."""
        self._script(Reply(200, {"Content-Type": content_type}, body), always=False)

    @property
    def requests(self) -> list[Asked]:
        """What the model was asked so far, in order."""
        return [Asked(request) for request in self.http.requests]

    def reach(self, count: int) -> Signal:
        """Return a signal that is set once the model was asked ``count`` times."""
        return self.http.requests.reach(count)

    @property
    def base_url(self) -> str:
        """The address for clients, which ends in ``/v1``."""
        return self.http.url("/v1")

    @property
    def env(self) -> dict[str, str]:
        """The environment that makes this the model."""
        return {
            "CITESEEK_MODEL": "openai:test",
            "CITESEEK_MODEL_BASE_URL": self.base_url,
            "CITESEEK_MODEL_API_KEY": KEY,
        }

    def __enter__(self) -> Self:
        self.http.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.http.__exit__(kind, error, traceback)

    def _script(self, turn: _Scripted, *, always: bool) -> None:
        with self._lock:
            if always:
                self._last = turn
            else:
                self._turns.append(turn)

    def _reply(self, request: Request) -> Reply:
        with self._lock:
            turn = self._turns.pop(0) if self._turns else self._last
        if turn is None:
            raise AssertionError(f"the model has no turn left for {request.body!r:.300}")
        if isinstance(turn, Reply):
            return turn
        return streamed(turn) if request.json().get("stream") else whole(turn)
