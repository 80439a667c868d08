"""Programs speak to the server in one of several dialects, told by the path; so do its failures."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

Dialect: TypeAlias = Literal["ours", "openai", "searxng", "tavily", "firecrawl", "page"]

OPENAI_PREFIX = "/v1/"
SEARXNG_SEARCH = "/search"
SEARXNG_PATHS = frozenset({SEARXNG_SEARCH, "/config", "/healthz"})
TAVILY_PREFIX = "/tavily/"
FIRECRAWL_PATHS = frozenset({"/v1/search", "/v1/scrape"})
FIRECRAWL_PREFIX = "/v2/"
_OURS = ("/api/", "/mcp", "/metrics")
_TYPES = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}
MEDIA_TYPE = "application/problem+json"


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A failure in the form of RFC 9457, with our own ``code`` and ``hint`` beside it."""

    title: str
    status: int
    detail: str
    code: str
    hint: str = ""
    detail_code: str = ""
    engine: str = ""
    retryable: bool = False
    earlier: tuple[Any, ...] = ()
    # The parameter that is wrong, where OpenAI's clients look for it.
    param: str | UnsetType = UNSET


class RunProblem(Problem, frozen=True, kw_only=True):
    """A run that was not ok; ``run`` is its result (docs/research.md)."""

    run: dict[str, Any]


class OpenAIError(msgspec.Struct, frozen=True, kw_only=True):
    """A failure in OpenAI's form, with our codes; ``message`` holds the hint as well."""

    message: str
    type: str
    code: str
    param: str | None = None
    detail_code: str = ""
    hint: str = ""
    retryable: bool = False


class OpenAIFailure(msgspec.Struct, frozen=True):
    """What a failed request gets."""

    error: OpenAIError


class SearxngFailure(msgspec.Struct, frozen=True):
    """What a failed request gets: a sentence, as from a SearXNG."""

    error: str


class TavilyDetail(msgspec.Struct, frozen=True):
    """Why a request failed."""

    error: str


class TavilyFailure(msgspec.Struct, frozen=True):
    """What a failed request gets, as from Tavily."""

    detail: TavilyDetail


class FirecrawlFailure(msgspec.Struct, frozen=True, kw_only=True):
    """What a failed request gets, as from Firecrawl."""

    error: str
    code: str
    success: bool = False


def dialect(path: str) -> Dialect:
    """Return what is spoken at ``path``; at a ``page`` there are people."""
    if path in FIRECRAWL_PATHS or path.startswith(FIRECRAWL_PREFIX):
        return "firecrawl"
    if path.startswith(TAVILY_PREFIX):
        return "tavily"
    if path.startswith(OPENAI_PREFIX):
        return "openai"
    if path in SEARXNG_PATHS:
        return "searxng"
    return "ours" if path.startswith(_OURS) else "page"


def failure(path: str, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return ``problem`` as whoever asks at ``path`` understands it."""
    speaks = dialect(path)
    media_type = "application/json"
    status = problem.status
    if speaks not in ("ours", "page") and status == HTTPStatus.UNPROCESSABLE_ENTITY:
        status = HTTPStatus.BAD_REQUEST
    body: object = problem
    if speaks == "openai":
        body = OpenAIFailure(openai_error(problem))
    elif speaks == "searxng":
        body = SearxngFailure(problem.detail)
    elif speaks == "tavily":
        body = TavilyFailure(TavilyDetail(_sentence(problem)))
    elif speaks == "firecrawl":
        body = FirecrawlFailure(error=_sentence(problem), code=problem.code)
    else:
        media_type = MEDIA_TYPE
    return Response(msgspec.json.encode(body), status, headers=headers, media_type=media_type)


def openai_error(problem: Problem) -> OpenAIError:
    """Return ``problem`` in OpenAI's form."""
    is_ours = problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    usual = "server_error" if is_ours else "invalid_request_error"
    return OpenAIError(
        message=_sentence(problem),
        type=_TYPES.get(HTTPStatus(problem.status), usual),
        code=problem.code,
        param=problem.param or None,
        detail_code=problem.detail_code,
        hint=problem.hint,
        retryable=problem.retryable,
    )


def _sentence(problem: Problem) -> str:
    return f"{problem.detail} {problem.hint}".strip()
