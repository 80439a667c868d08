"""What the guard answers instead of the application."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Scope

from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.error_formats import Problem, dialect, failure
from citeseek.surfaces.web.refusal_texts import explain_refusal


def is_api(scope: Scope) -> bool:
    """Whether a program asks, which wants JSON and no pages."""
    return dialect(scope["path"]) != "page"


def is_events(scope: Scope) -> bool:
    """Whether a stream of events is asked for."""
    path: str = scope["path"]
    return path.endswith("/events")


def refusal(
    scope: Scope,
    status: HTTPStatus,
    case: str,
    *,
    code: str = "",
    headers: Mapping[str, str] | None = None,
    retry_after: int | None = None,
    **values: Any,
) -> Response:
    """Return an answer that says why not: in a program's dialect, or a sentence to people.

    ``case`` and ``values`` say it in the language that the request accepts, see
    :func:`explain_refusal`. ``retry_after`` is the wait in seconds after which the same request may
    be taken.
    """
    say = words_for(Request(scope))
    return refuse(
        scope,
        status,
        *explain_refusal(say, case, **values),
        code=code,
        headers=headers,
        retry_after=retry_after,
    )


def refuse(
    scope: Scope,
    status: HTTPStatus,
    detail: str,
    hint: str = "",
    *,
    code: str = "",
    headers: Mapping[str, str] | None = None,
    retry_after: int | None = None,
) -> Response:
    """Return the same for what is said already."""
    waits = {} if retry_after is None else {"Retry-After": str(retry_after)}
    headers = {**(headers or {}), **waits}
    if is_api(scope):
        problem = Problem(
            title=status.phrase,
            status=status,
            detail=detail,
            hint=hint,
            code=code or status.name,
            retryable=retry_after is not None,
        )
        return failure(scope["path"], problem, headers)
    return PlainTextResponse(f"{detail} {hint}".strip() + "\n", status, headers=headers)
