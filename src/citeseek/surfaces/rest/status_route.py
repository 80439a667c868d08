"""How the server stands, as JSON."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.rest.problems import PREFIX
from citeseek.surfaces.rest.server_status import ServerStatus, StatusShown
from citeseek.surfaces.web.accepted_language import words_for


def router(server: ServerStatus) -> APIRouter:
    """Return the route of ``/status``."""
    routes = APIRouter(prefix=PREFIX, tags=["about"])

    @routes.get("/status", **describe_route(StatusShown))
    async def status(request: Request) -> Response:
        """Say how engines, models, stores, queues and this process stand, as far as it is known.

        No engine and no model is asked for it. Others than owners are told what works, and nothing
        of what is done.
        """
        return json_response(await server.read(words_for(request)))

    return routes
