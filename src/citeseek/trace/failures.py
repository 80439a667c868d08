"""Errors written down, and raised again."""

from __future__ import annotations

from typing import Any

from citeseek import errors
from citeseek.errors import CiteseekError, ModelFailed, SearchFailed, WebProviderError
from citeseek.trace.record import Failed

NOT_RECORDED = "not_recorded"


def failed(error: CiteseekError) -> Failed:
    """Return ``error`` as a value; the page that it holds is in the exchange."""
    inner = error if isinstance(error, SearchFailed) else None
    return Failed(
        type=error.error_code,
        message=error.message,
        hint=error.hint,
        engine=inner.engine if inner else "",
        detail_code=error.detail_code,
        values=dict(error.values),
        retry_after=getattr(error, "retry_after", None),
        is_cooling=inner.is_cooling if inner else False,
        earlier=tuple(map(failed, inner.earlier)) if inner else (),
    )


def error_of(failure: Failed) -> CiteseekError:
    """Return the error that ``failure`` was."""
    kind = getattr(errors, failure.type, None)
    if not isinstance(kind, type) or not issubclass(kind, CiteseekError):
        kind = WebProviderError
    if issubclass(kind, SearchFailed):
        return _search_failed(kind, failure)
    fields: dict[str, Any] = {"detail_code": failure.detail_code} if failure.detail_code else {}
    if issubclass(kind, ModelFailed):
        fields["values"] = failure.values
    error: CiteseekError = kind(failure.message, hint=failure.hint, **fields)
    return error


def _search_failed(kind: type[SearchFailed], failure: Failed) -> SearchFailed:
    error = kind(
        failure.message,
        hint=failure.hint,
        engine=failure.engine,
        detail_code=failure.detail_code,
        retry_after=failure.retry_after,
    )
    error.is_cooling = failure.is_cooling
    earlier = map(error_of, failure.earlier)
    error.earlier = tuple(one for one in earlier if isinstance(one, SearchFailed))
    return error


def not_recorded(what: str) -> SearchFailed:
    """Return the error for what a trace holds no answer to."""
    return WebProviderError(f"The trace holds no answer to this: {what}.", detail_code=NOT_RECORDED)


def unexpected(name: str) -> Exception:
    """Return an exception of the name ``name``, which is all that is known of it."""
    return TimeoutError() if name == "TimeoutError" else type(name, (Exception,), {})()
