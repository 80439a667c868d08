"""The metrics of the server, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from citeseek.assistant.clients import Clients
from citeseek.errors import CiteseekError
from citeseek.extras import missing
from citeseek.limits import EngineState
from citeseek.settings import Settings
from citeseek.surfaces.dialects import failure
from citeseek.surfaces.rest.documented import told
from citeseek.surfaces.rest.problem import Problem
from citeseek.surfaces.rest.problems import PREFIX

if TYPE_CHECKING:
    from citeseek.observing.meters import Meters

PATH = "/metrics"
PATHS = (PATH, f"{PREFIX}{PATH}")


def meters_of(settings: Settings, clients: Clients) -> Meters | None:
    """Return what counts, None where it is off or the library for it is not installed."""
    if settings.get("server.metrics").value == "off" or not find_spec("prometheus_client"):
        return None
    from citeseek.observing.meters import Meters  # noqa: PLC0415 - an extra

    return Meters(_standings(clients))


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

    routes.add_api_route(PATH, metrics, include_in_schema=False)
    return routes


def _nothing() -> Problem:
    is_there = find_spec("prometheus_client") is not None
    return Problem(
        title=HTTPStatus.NOT_FOUND.phrase,
        status=HTTPStatus.NOT_FOUND,
        detail="This server counts nothing.",
        hint="server.metrics is off." if is_there else missing("metrics"),
        code=HTTPStatus.NOT_FOUND.name,
    )


def _standings(clients: Clients) -> Callable[[], Mapping[str, EngineState]]:
    def standings() -> Mapping[str, EngineState]:
        try:
            return clients.current().engine_states()
        except CiteseekError:
            # The settings cannot be read at the moment; the counters still can.
            return {}

    return standings
