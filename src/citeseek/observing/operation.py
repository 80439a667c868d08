"""Something that takes time, from its beginning to its end, and whoever is told of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

import msgspec

from citeseek.errors import CiteseekError
from citeseek.observing.egress_budget import Limit

Kind: TypeAlias = Literal["search", "engine", "fetch", "answer", "report", "model", "request"]


async def _at_once() -> None:
    """End when it is done."""


class Exchanged(msgspec.Struct):
    """What was exchanged with one host over ``connections``, in bytes, with all that carries it."""

    connections: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0


class Operation(msgspec.Struct, kw_only=True, eq=False):
    """One operation, complete when it has ended.

    ``name`` is the id of an engine, the name of a model, or the host of a page or a request: what
    anybody may know. ``title`` is how an engine is named by those who ask it, ``asked`` what the
    operation was asked (or who says it), ``result`` what came of it: they may hold anything.
    ``outer`` is the operation around it; ``about`` says the settings of a whole call. ``seconds``
    is how long it took, ``error`` what ended it, ``code`` and ``detail_code`` are those of its
    failure; one that ``was_stopped`` was cut off, one that ``ran_out_of_time`` had a deadline.
    ``is_cached`` says that a kept answer was given, ``is_shared`` that of an equal call that was
    under way, ``is_cooling`` that nothing was sent, since the engine had failed shortly before.
    ``notes`` are what was decided on the way, each with its kind under ``what``; ``gave_up`` names
    the engines that were not waited for.
    Of a request: ``host``, the transport ``via`` which it went, ``status`` (0 without an answer),
    and ``sent_bytes`` and ``received_bytes``, which are those of address, headers and body as this
    program writes them, and of the body after decompression; when a page was rendered, ``reached``
    is what its scripts exchanged with each host, and ``refused`` how often a limit of a budget
    kept them, or the page itself, from one. Of a model: the tokens that its server counts, None
    when it does not say; ``estimated_tokens`` are then what it read and wrote, where a budget has
    to know.
    ``marks`` hold what a watcher keeps for itself, ``track`` what the one that records does;
    ``in_turn`` is waited for before the end of a call.
    """

    kind: Kind
    name: str = ""
    title: str = ""
    asked: Any = None
    about: Callable[[], Any] | None = None
    outer: Operation | None = None
    result: Any = None
    error: BaseException | None = None
    notes: list[dict[str, Any]] = []
    gave_up: list[str] = []
    ran_out_of_time: bool = False
    seconds: float = 0.0
    code: str = ""
    detail_code: str = ""
    was_stopped: bool = False
    is_cached: bool = False
    is_shared: bool = False
    is_cooling: bool = False
    method: str = ""
    via: str = ""
    host: str = ""
    status: int = 0
    is_redirect: bool = False
    sent_bytes: int = 0
    received_bytes: int = 0
    reached: Mapping[str, Exchanged] | None = None
    refused: dict[tuple[str, Limit], int] = {}
    input_tokens: int | None = None
    output_tokens: int | None = None
    estimated_tokens: tuple[int, int] = (0, 0)
    marks: dict[int, Any] = {}
    track: Any = None
    in_turn: Callable[[], Awaitable[None]] = _at_once

    def count_tokens(self, usage: Any) -> None:
        """Add what a model's server says of its use, in LangChain's form; None says nothing."""
        if usage:
            self.input_tokens = (self.input_tokens or 0) + int(usage.get("input_tokens") or 0)
            self.output_tokens = (self.output_tokens or 0) + int(usage.get("output_tokens") or 0)

    def note(self, what: str, **fields: Any) -> None:
        """Add a decision."""
        self.notes.append({"what": what, **fields})

    def failed(self, error: BaseException) -> None:
        """Note how it ended."""
        self.error = error
        self.was_stopped = not isinstance(error, Exception)
        self.code = "" if self.was_stopped else type(error).__name__
        if isinstance(error, CiteseekError):
            self.code = error.error_code
            self.detail_code = error.detail_code
            self.is_cooling = error.is_cooling


class Watcher(Protocol):
    """Is told of operations; it must neither wait nor raise."""

    def began(self, operation: Operation) -> None:
        """Take note that ``operation`` began; what it will be is not known yet."""
        ...

    def ended(self, operation: Operation) -> None:
        """Take note that ``operation`` has ended."""
        ...


def host_of(url: str) -> str:
    """Return the host in ``url``, with the port if one is named and without any password."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""
