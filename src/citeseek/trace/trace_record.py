"""What is written into a trace: one call as a tree of parts, with all that came from outside."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Literal, Self

import msgspec

from citeseek import errors
from citeseek.errors import CiteseekError, SearchFailed, WebProviderError
from citeseek.models import Page

FORMAT: Literal["citeseek-trace"] = "citeseek-trace"
VERSION = 1


class About(msgspec.Struct, frozen=True):
    """What a trace says of the settings, and the secrets among them, which it leaves out."""

    settings: Mapping[str, Any] = {}
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"About({len(self.secrets)} secrets)"


class Failed(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An error as a value, complete enough to be raised again. See :mod:`citeseek.errors`."""

    type: str
    message: str
    hint: str = ""
    engine: str = ""
    detail_code: str = ""
    values: Mapping[str, str] = {}
    retry_after: float | None = None
    is_cooling: bool = False
    earlier: tuple[Failed, ...] = ()

    @property
    def code(self) -> str:
        """What narrows it most: ``detail_code``, else ``error_code``."""
        return self.detail_code or self.type


class Body(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The bytes of a page: ``text`` where they are UTF-8, else ``base64``."""

    text: str | None = None
    base64: str | None = None

    @classmethod
    def of(cls, data: bytes) -> Self:
        """Return the form in which ``data`` is kept."""
        try:
            return cls(text=data.decode())
        except UnicodeDecodeError:
            return cls(base64=b64encode(data).decode())

    @property
    def data(self) -> bytes:
        """The bytes."""
        return (
            b64decode(self.base64, validate=True)
            if self.base64 is not None
            else (self.text or "").encode()
        )


class Received(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What came back; ``is_cut`` says that the body went on after the limit of bytes."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: Body
    is_cut: bool = False

    @property
    def page(self) -> Page:
        """The page as the engine or the reader got it."""
        return Page(
            url=self.url,
            status=self.status,
            headers=self.headers,
            body=self.body.data,
            truncated=self.is_cut,
        )


class SentRequest(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A request as it was sent; of its headers the values that say who asks are stars."""

    method: str = "GET"
    url: str
    headers: Mapping[str, str] = {}
    body: str | None = None


class RecordedExchange(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One request and what came of it: an answer, a failure, or nobody waited for its end.

    ``via`` is the transport. ``began_ms`` counts from the beginning of the trace.
    """

    via: str
    request: SentRequest
    answer: Received | None = None
    failure: Failed | None = None
    raised: str = ""
    was_cut_off: bool = False
    began_ms: float = 0
    took_ms: float = 0


class Given(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Something that only the world of then knew: a clock, a cache, a name server, a limit.

    One of the fields is set; ``raised`` names an exception that nobody expected.
    """

    value: Any = None
    failure: Failed | None = None
    raised: str = ""
    was_cut_off: bool = False


class Part(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An operation: a search, an engine in it, a page, an answer, a call of a model.

    ``given`` is in the order in which it was asked for, ``measured`` holds what was measured last.
    ``notes`` are what was decided on the way, each with its kind under ``what``; nothing of them is
    needed to run the call again. ``gave_up`` names the engines that were not waited for.
    """

    kind: str
    name: str = ""
    asked: dict[str, Any] = {}
    began_ms: float = 0
    took_ms: float = 0
    given: dict[str, list[Given]] = {}
    measured: dict[str, Any] = {}
    exchanges: list[RecordedExchange] = []
    notes: list[dict[str, Any]] = []
    gave_up: list[str] = []
    parts: list[Part] = []
    ran_out_of_time: bool = False
    was_stopped: bool = False
    result: Any = None
    failure: Failed | None = None

    def notes_of(self, what: str) -> list[dict[str, Any]]:
        """Return the notes of one kind."""
        return [note for note in self.notes if note.get("what") == what]

    def inner(self, kind: str) -> list[Part]:
        """Return the parts of one kind, at any depth, in order."""
        found = []
        for part in self.parts:
            found += [part] if part.kind == kind else []
            found += part.inner(kind)
        return found


class Trace(msgspec.Struct, kw_only=True):
    """One call, whole.

    ``settings`` are those that were made, as config.json, agents.json and environment, secrets
    replaced; ``began_at`` is ISO 8601.
    """

    format: Literal["citeseek-trace"] = FORMAT
    version: int = VERSION
    citeseek: str
    trace_id: str
    began_at: str
    settings: dict[str, Any]
    call: Part


NOT_RECORDED = "not_recorded"


def dump_failure(error: CiteseekError) -> Failed:
    """Return ``error`` as a value; the page that it holds is in the exchange."""
    return Failed(
        type=error.error_code,
        message=error.message,
        hint=error.hint,
        engine=error.engine,
        detail_code=error.detail_code,
        values=dict(error.values),
        retry_after=error.retry_after,
        is_cooling=error.is_cooling,
        earlier=tuple(map(dump_failure, error.earlier)),
    )


def error_of(failure: Failed) -> CiteseekError:
    """Return the error that ``failure`` was."""
    kind = getattr(errors, failure.type, None)
    if not isinstance(kind, type) or not issubclass(kind, CiteseekError):
        kind = WebProviderError
    error: CiteseekError = kind(
        failure.message,
        hint=failure.hint,
        detail_code=failure.detail_code,
        retry_after=failure.retry_after,
    )
    error.values = failure.values
    error.engine = failure.engine
    error.is_cooling = failure.is_cooling
    earlier = map(error_of, failure.earlier)
    error.earlier = tuple(one for one in earlier if isinstance(one, SearchFailed))
    return error


def not_recorded(what: str) -> SearchFailed:
    """Return the error for what a trace holds no answer to."""
    return WebProviderError(f"The trace holds no answer to this: {what}.", detail_code=NOT_RECORDED)


def load_unexpected(name: str) -> Exception:
    """Return an exception of the name ``name``, which is all that is known of it."""
    return TimeoutError() if name == "TimeoutError" else type(name, (Exception,), {})()
