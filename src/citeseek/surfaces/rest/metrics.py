"""The metrics of the server, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from citeseek.assistant.client_pool import Clients
from citeseek.errors import CiteseekError
from citeseek.observing.metrics import PATHS, why_nothing
from citeseek.searching.limits import EngineState
from citeseek.surfaces.rest.documented import told
from citeseek.surfaces.web.error_formats import failure
from citeseek.surfaces.web.problem import Problem

if TYPE_CHECKING:
    from citeseek.observing.meters import Meters


def standings_of(clients: Clients) -> Callable[[], Mapping[str, EngineState]]:
    """Return what says how the engines of ``clients`` stand when it is asked."""

    def standings() -> Mapping[str, EngineState]:
        try:
            return clients.current().engine_states()
        except CiteseekError:
            # The settings cannot be read at the moment; the counters still can.
            return {}

    return standings


def router(meters: Meters | None) -> APIRouter:
    """Return the routes of ``/metrics``, which is also at ``/api/v1/metrics``."""
    routes = APIRouter(tags=["about"])
    about: dict[str, Any] = told(None, text="The metrics in Prometheus' text format")
    about["responses"][200]["content"] = {"text/plain": {"schema": {"type": "string"}}}

    @routes.get(PATHS[1], **about)
    async def metrics(request: Request) -> Response:
        """Give what was counted since the server started, and how the engines stand."""
        if meters is None:
            return failure(request.url.path, _nothing())
        from citeseek.observing.meters import MEDIA_TYPE  # noqa: PLC0415 - an extra

        return Response(meters.page(), media_type=MEDIA_TYPE)

    routes.add_api_route(PATHS[0], metrics, include_in_schema=False)
    return routes


def _nothing() -> Problem:
    return Problem(
        title=HTTPStatus.NOT_FOUND.phrase,
        status=HTTPStatus.NOT_FOUND,
        detail="This server counts nothing.",
        hint=why_nothing(),
        code=HTTPStatus.NOT_FOUND.name,
    )
