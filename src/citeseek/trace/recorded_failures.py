"""Errors written down, and raised again."""

from __future__ import annotations

from citeseek import errors
from citeseek.errors import CiteseekError, SearchFailed, WebProviderError
from citeseek.trace.record import Failed

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
