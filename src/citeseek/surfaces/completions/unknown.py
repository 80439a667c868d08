"""What does not exist under ``/v1``, said as OpenAI says it."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import Request
from starlette.responses import Response

from citeseek.surfaces.completions.openai_shapes import MODELS
from citeseek.surfaces.web.error_formats import Problem, failure


def unknown_model(request: Request, name: str) -> Response:
    """Return the answer to a request that names a model that there is not."""
    return _not_found(
        request,
        f"There is no model {name!r:.60}.",
        code="model_not_found",
        param="model",
        hint=f"There are {', '.join(MODELS)}.",
    )


def unknown_response(request: Request, name: str) -> Response:
    """Return the answer to a request for a response that is not kept."""
    return _not_found(
        request, f"There is no response {name!r:.80}.", code="response_not_found", param="id"
    )


def _not_found(request: Request, detail: str, *, code: str, param: str, hint: str = "") -> Response:
    status = HTTPStatus.NOT_FOUND
    problem = Problem(
        title=status.phrase, status=status, detail=detail, hint=hint, code=code, param=param
    )
    return failure(request.url.path, problem)
