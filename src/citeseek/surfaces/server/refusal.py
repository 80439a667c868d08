"""What the guard answers instead of the application."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from starlette.responses import PlainTextResponse, Response
from starlette.types import Scope

from citeseek.surfaces.rest.problem import MEDIA_TYPE, Problem


def is_api(scope: Scope) -> bool:
    """Whether a program asks, which wants JSON and no pages."""
    path: str = scope["path"]
    return path.startswith(("/api/", "/mcp"))


def is_events(scope: Scope) -> bool:
    """Whether a stream of events is asked for."""
    path: str = scope["path"]
    return path.endswith("/events")


def refusal(
    scope: Scope,
    status: HTTPStatus,
    detail: str,
    *,
    hint: str = "",
    code: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an answer that says why not: a problem to programs, a sentence to people."""
    if is_api(scope):
        problem = Problem(
            title=status.phrase, status=status, detail=detail, hint=hint, code=code or status.name
        )
        body = msgspec.json.encode(problem)
        return Response(body, status, headers=headers, media_type=MEDIA_TYPE)
    return PlainTextResponse(f"{detail} {hint}".strip() + "\n", status, headers=headers)
