"""Which notice a failure of a search or of a model becomes, with what can be done about it.

Their values hold no upstream body, no key and no traceback.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from citeseek.answering.source_values import SaidValue
from citeseek.assistant.events import Notice
from citeseek.conversations.notice import Said, list_engines
from citeseek.errors import (
    AuthError,
    BadGateway,
    CiteseekError,
    InvalidInput,
    ModelFailed,
    NetworkError,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
)
from citeseek.i18n import Explainable

if TYPE_CHECKING:
    from citeseek.conversations.conversation_record import Turn

# An answer may name any number of them.
_MOST_NUMBERS = 5
# The hint that leads to the reader's own SearXNG.
DEPLOYMENT = "deployment"
# Codes of notices that an engine did not answer, and that the model did not.
SEARCH_FAILED = frozenset({"timeout", "network", "configuration", "blocked", "unavailable"})
MODEL_FAILED = frozenset({"model", ModelFailed.__name__})
NO_ENGINE = "no_engine"
# Why an answer ended before the model had finished it: a ``finish_reason`` of these.
CUT_OFF = frozenset(
    {
        "length",
        "content_filter",
        "refusal",
        "tool_call",
        "connection",
        "max_chars",
        "max_seconds",
    }
)
# The built-in model answers with results alone, so it needs a search.
SEARCH_OFF = Notice(code="search_off")
NO_SEARCH_TOOL = Notice(code="no_search_tool")
INTERRUPTED = Said(code="interrupted")


def no_engine(instead: Iterable[str]) -> Notice:
    """Return the notice that ``instead`` are asked: nobody set an engine, and none is here."""
    return Notice(code=NO_ENGINE, values={"engines": list_engines(instead)})


class _Kind(msgspec.Struct, frozen=True):
    """How one kind of failure is told."""

    code: str
    detail: str = ""
    hints: tuple[str, ...] = ()


# Hints that advise to turn the search off as well.
_OR_OFF = frozenset({"timeout", "network"})
_UNUSABLE = _Kind("unavailable", "unusable")
_TABLE: dict[type[CiteseekError], _Kind] = {
    Timeout: _Kind("timeout"),
    NetworkError: _Kind("network"),
    AuthError: _Kind("configuration"),
    WebBlocked: _Kind("blocked"),
    BadGateway: _Kind("unavailable"),
}
# The instance is the reader's own: it can be looked at and mended.
_SEARXNG: dict[type[CiteseekError], _Kind] = {
    Timeout: _Kind("timeout", hints=("timeout", "other_engine", DEPLOYMENT)),
    NetworkError: _Kind("network", hints=("network", "other_engine", DEPLOYMENT)),
    AuthError: _Kind("configuration", "refused", ("json", DEPLOYMENT)),
    WebParseError: _Kind("configuration", "not_json", ("json", DEPLOYMENT)),
    WebBlocked: _Kind("blocked", hints=("limiter", DEPLOYMENT)),
    BadGateway: _Kind("unavailable", hints=(DEPLOYMENT,)),
}


def search_failed(
    error: CiteseekError,
    *,
    seconds: float,
    label: str = "",
    address: str = "",
    lately: Iterable[str] = (),
    needs_search: bool = False,
) -> Notice:
    """Return the notice for a search that failed.

    ``seconds`` is the limit that it had, ``label`` the name of the engine for people, ``address``
    where it was asked. ``lately`` are other engines that do not answer at the moment. Who
    ``needs_search`` is not told to do without.
    """
    if isinstance(error, InvalidInput):
        said = {"reason": error.message, "advice": error.hint}
        return Notice(code="not_searchable", hints=("error",), values=said)
    table = _SEARXNG if error.engine == "searxng" else _TABLE
    sort = BadGateway if _is_broken_json(error) else type(error)
    kind = table.get(sort) or _TABLE.get(sort) or _UNUSABLE
    values = {"engine": error.engine, "label": label, "seconds": f"{seconds:g}", "address": address}
    if others := [name for name in lately if name != error.engine]:
        values["lately"] = list_engines(others)
    if error.earlier:
        values["earlier"] = list_engines(each.engine for each in error.earlier)
    if error.is_cooling:
        values["retry_after"] = f"{error.retry_after:g}"
    return Notice(
        code=kind.code,
        detail=kind.detail,
        hints=_keep_search(kind) if needs_search else kind.hints,
        values={name: value for name, value in values.items() if value},
    )


def _keep_search(kind: _Kind) -> tuple[str, ...]:
    """Return the hints of ``kind`` without the advice to turn the search off."""
    said = kind.hints or (kind.code,)
    kept = tuple("connection" if hint in _OR_OFF else hint for hint in said)
    return kind.hints if kept == said else kept


def _is_broken_json(error: CiteseekError) -> bool:
    """Whether JSON came and is damaged: then JSON is enabled, and the address is right."""
    page = error.page if isinstance(error, SearchFailed) else None
    if page is None or "json" not in page.headers.get("content-type", ""):
        return False
    try:
        msgspec.json.decode(page.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return bool(page.body)
    return False


def failed_lately(turns: Iterable[Turn], since: float) -> list[str]:
    """Return the engines whose last search in ``turns`` failed.

    Turns of before ``since``, in seconds since 1970, are left out.
    """
    answered: dict[str, bool] = {}
    for turn in sorted((turn for turn in turns if turn.at >= since), key=lambda turn: turn.at):
        for notice in turn.notices:
            if notice.code in SEARCH_FAILED:
                answered |= dict.fromkeys(notice.failed_engines, False)
        for search in turn.searches:
            if not search.failure:
                answered |= dict.fromkeys(search.provider.split("+"), True)
    return [engine for engine, is_well in answered.items() if not is_well]


def unknown_sources(numbers: Sequence[str]) -> Notice:
    """Return the notice for an answer that cites ``numbers`` of sources that do not exist."""
    shown = "".join(f"[{number}]" for number in numbers[:_MOST_NUMBERS])
    shown += "…" if len(numbers) > _MOST_NUMBERS else ""
    return Notice(code="unknown_sources", values={"numbers": shown})


def unread_marks(marks: Sequence[str]) -> Notice:
    """Return the notice for an answer with ``marks`` that are not read as citations."""
    shown = "".join(marks[:_MOST_NUMBERS]) + ("…" if len(marks) > _MOST_NUMBERS else "")
    return Notice(code="unread_marks", values={"marks": shown})


def sources_differ(voices: Sequence[SaidValue]) -> Notice:
    """Return the notice that sources give different values, or speak of different things."""
    are_apart = all(voice.about for voice in voices)
    said = msgspec.json.encode(voices[:_MOST_NUMBERS]).decode()
    return Notice(
        code="sources_differ", detail="apart" if are_apart else "", values={"voices": said}
    )


def cut_off(reason: str) -> Notice:
    """Return the notice for an answer that ended before the model had finished it."""
    return Notice(code=f"cut_{reason}")


def error_notice(error: CiteseekError) -> Said:
    """Return the notice for an answer that ``error`` ended; its code is that of the error."""
    return Said(code=error.error_code, hints=("error",), values=error_values(error))


def model_failed(error: ModelFailed, *, has_sources: bool) -> Notice:
    """Return the notice for a model that gave no answer, or broke off in it."""
    return Notice(
        code="model",
        detail="with_sources" if has_sources else "",
        hints=("error",),
        values=error_values(error),
    )


def error_values(error: Explainable) -> dict[str, str]:
    """Return the values of a notice that says what ``error`` was."""
    return {
        **error.values,
        "error_code": error.error_code,
        "detail_code": error.detail_code,
        "reason": error.message,
        "advice": error.hint,
    }
