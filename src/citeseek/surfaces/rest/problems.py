"""Every failure as ``application/problem+json`` (RFC 9457)."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from msgspec import UNSET
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from citeseek import errors
from citeseek.errors import (
    BudgetSpent,
    Busy,
    CiteseekError,
    InvalidInput,
    ModelFailed,
    NoBatch,
    NoConversation,
    NoProgram,
    NoReport,
    NoShare,
    NotPermitted,
    SearchFailed,
    Timeout,
    WebBlocked,
)
from citeseek.i18n import Catalogue
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.models import Failure
from citeseek.research import RunError
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.disconnect import GONE, ClientGone
from citeseek.surfaces.web.error_formats import Problem, RunProblem, dialect, failure
from citeseek.surfaces.web.refusal_texts import RouteRefusal, explain_refusal

_PLACE = re.compile(r"\\\{[^}]*\\\}")


class AllowedMethods:
    """The methods of each described path of ``app``.

    A route that answers one method of a path knows nothing of those that answer the others, and
    the page takes every GET that is nobody else's.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def at(self, path: str) -> tuple[str, ...]:
        """Return the methods for ``path``, none when it is not described."""
        return next((methods for pattern, methods in self._paths if pattern.fullmatch(path)), ())

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
        return [
            (
                re.compile(_PLACE.sub("[^/]+", re.escape(path))),
                tuple(sorted(method.upper() for method in methods)),
            )
            for path, methods in self._app.openapi()["paths"].items()
        ]


PREFIX = "/api/v1"

# The first that fits counts.
_STATUS: tuple[tuple[type[CiteseekError], HTTPStatus], ...] = (
    (NoConversation, HTTPStatus.NOT_FOUND),
    (NoReport, HTTPStatus.NOT_FOUND),
    (NoBatch, HTTPStatus.NOT_FOUND),
    (NoShare, HTTPStatus.NOT_FOUND),
    (NoProgram, HTTPStatus.NOT_FOUND),
    (NotPermitted, HTTPStatus.FORBIDDEN),
    (InvalidInput, HTTPStatus.UNPROCESSABLE_ENTITY),
    (Busy, HTTPStatus.SERVICE_UNAVAILABLE),
    (Timeout, HTTPStatus.GATEWAY_TIMEOUT),
    (WebBlocked, HTTPStatus.SERVICE_UNAVAILABLE),
    (BudgetSpent, HTTPStatus.TOO_MANY_REQUESTS),
    (SearchFailed, HTTPStatus.BAD_GATEWAY),
    (ModelFailed, HTTPStatus.BAD_GATEWAY),
)

_NO_ROUTE = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)

log = logging.getLogger(__name__)


def problem_of(error: CiteseekError, say: Catalogue | None = None) -> Problem:
    """Return ``error`` as clients get it, in the words of ``say``, else of the locale."""
    status = next((s for kind, s in _STATUS if isinstance(error, kind)), _BROKEN)
    detail_code = error.detail_code
    say = say or locale_catalogue()
    message, hint = say.explain(error)
    if detail_code in ("answering", "report_unfinished", "batch_unfinished"):
        status = HTTPStatus.CONFLICT
    return Problem(
        title=status.phrase,
        status=status,
        detail=message,
        code=error.error_code,
        hint=hint,
        detail_code=detail_code,
        engine=error.engine,
        retryable=error.retryable,
        earlier=tuple(Failure.of(each).translate(say) for each in error.earlier),
        param=error.values.get("param", UNSET),
    )


def run_problem(error: RunError, run: Mapping[str, Any] | None, say: Catalogue) -> RunProblem:
    """Return why a run was not ok as clients get it, with all that ``run`` tells, if it began."""
    message, hint = say.explain(error)
    kind = getattr(errors, error.code, CiteseekError)
    status = next((s for each, s in _STATUS if issubclass(kind, each)), _BROKEN)
    return RunProblem(
        title=status.phrase,
        status=status,
        detail=message,
        code=error.code,
        hint=hint,
        detail_code=error.detail_code,
        engine=error.engine,
        retryable=error.retryable,
        run=dict(run or {}),
    )


def handle(app: FastAPI) -> None:
    """Let ``app`` answer every failure in the dialect of its path, to people as a sentence."""
    allowed = AllowedMethods(app)

    @app.exception_handler(CiteseekError)
    async def known(request: Request, error: CiteseekError) -> Response:
        wait = error.retry_after
        # A site that wants a person may name a wait as well; it would be in vain.
        if wait is None or not error.retryable:
            headers = {}
        else:
            headers = {"Retry-After": str(math.ceil(wait))}
        say = words_for(request)
        problem = problem_of(error, say)
        if dialect(request.url.path) == "page":
            return PlainTextResponse(say.sentence(error), problem.status, headers)
        return failure(request.url.path, problem, headers)

    @app.exception_handler(ClientGone)
    async def gone(_: Request, __: ClientGone) -> Response:
        return Response(status_code=GONE)

    @app.exception_handler(RequestValidationError)
    async def parameters(request: Request, error: RequestValidationError) -> Response:
        say = words_for(request)
        wrong = InvalidInput(_describe_errors(error.errors(), say))
        return failure(request.url.path, problem_of(wrong, say))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        path = request.url.path
        if dialect(path) != "page":
            error = _with_methods(error, request.method, allowed.at(path))
        status, detail, hint = HTTPStatus(error.status_code), str(error.detail), ""
        if isinstance(error, RouteRefusal):
            detail, hint = explain_refusal(words_for(request), error.case, **error.values)
        elif status == HTTPStatus.NOT_FOUND:
            detail, hint = explain_refusal(words_for(request), "no_path")
        shown = Problem(
            title=status.phrase, status=status, detail=detail, hint=hint, code="HttpError"
        )
        return failure(path, shown, error.headers)


def _with_methods(error: HTTPException, method: str, methods: tuple[str, ...]) -> HTTPException:
    """Return ``error`` as that of a path with these ``methods``, none where there is no such path.

    The page takes every GET that is nobody else's, and nothing else.
    """
    if methods and error.status_code in _NO_ROUTE and method not in methods:
        named = ", ".join(methods)
        refused = RouteRefusal(HTTPStatus.METHOD_NOT_ALLOWED, "method", allowed=named)
        refused.headers = {"Allow": named}
        return refused
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not methods:
        return HTTPException(HTTPStatus.NOT_FOUND)
    return error


def _describe_errors(errors: Any, say: Catalogue) -> str:
    """Return which parameters are wrong and why, without their values.

    What a catalogue has no words for is told in those of the library that found it.
    """
    told = []
    for each in errors:
        name, key = ".".join(map(str, each["loc"][1:])), f"parameter.{each['type']}"
        limits = each.get("ctx", {})
        reason = say(key, **limits) if key in say else each["msg"]
        told.append(say("parameter.wrong", name=name, reason=reason))
    return " ".join(told)


_BROKEN = HTTPStatus.INTERNAL_SERVER_ERROR
