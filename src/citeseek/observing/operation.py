"""Something that takes time, from its beginning to its end, and whoever is told of it."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

import msgspec

from citeseek.errors import CiteseekError

Kind: TypeAlias = Literal["search", "engine", "fetch", "answer", "report", "model", "request"]


class Operation(msgspec.Struct, kw_only=True, eq=False):
    """One operation, complete when it has ended.

    ``name`` is the id of an engine, the name of a model, or the host of a page or a request;
    ``outer`` is the operation around it. ``seconds`` is how long it took, ``code`` and
    ``detail_code`` are those of its failure; one that ``was_stopped`` was cut off. ``is_cached``
    says that a kept answer was given, ``is_shared`` that of an equal call that was under way,
    ``is_cooling`` that nothing was sent, since the engine had failed shortly before.
    Of a request: ``host``, the transport ``via`` which it went, ``status`` (0 without an answer),
    and ``sent_bytes`` and ``received_bytes``, which are those of address, headers and body as this
    program writes them, and of the body after decompression. Of a model: the tokens that its server
    counts, None when it does not say.
    ``marks`` hold what a watcher keeps for itself.
    """

    kind: Kind
    name: str = ""
    outer: Operation | None = None
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
    input_tokens: int | None = None
    output_tokens: int | None = None
    marks: dict[int, Any] = {}

    def count_tokens(self, usage: Any) -> None:
        """Add what a model's server says of its use, in LangChain's form; None says nothing."""
        if usage:
            self.input_tokens = (self.input_tokens or 0) + int(usage.get("input_tokens") or 0)
            self.output_tokens = (self.output_tokens or 0) + int(usage.get("output_tokens") or 0)

    def failed(self, error: BaseException) -> None:
        """Note how it ended."""
        self.was_stopped = not isinstance(error, Exception)
        self.code = "" if self.was_stopped else type(error).__name__
        if isinstance(error, CiteseekError):
            self.code = error.error_code
            self.detail_code = getattr(error, "detail_code", "")
            self.is_cooling = getattr(error, "is_cooling", False)


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
