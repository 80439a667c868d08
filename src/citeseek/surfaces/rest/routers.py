"""The API as one piece."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from citeseek.assistant.admission import Places
from citeseek.assistant.checking import CheckedCitations
from citeseek.assistant.conversations import Hub
from citeseek.health.startup import Startup
from citeseek.surfaces.rest import (
    about,
    conversation_routes,
    problems,
    report_routes,
    search_and_fetch,
    shapes,
)
from citeseek.surfaces.web.event_streams import Streams

TOLD = (
    shapes.NewSession,
    shapes.SessionChange,
    shapes.Message,
    shapes.Session,
    shapes.Sessions,
    shapes.Begun,
    shapes.Health,
    shapes.Agent,
    shapes.Searched,
    search_and_fetch.PageWanted,
    shapes.Fetched,
    report_routes.Question,
    CheckedCitations,
)


def add_api(
    app: FastAPI,
    hub: Hub,
    streams: Streams,
    reports: Places,
    startup: Startup | None = None,
) -> None:
    """Give ``app`` the routes under ``/api/v1``, and problems for failures.

    ``reports`` are the places for reports under way.
    """
    api = APIRouter(prefix=problems.PREFIX)
    clients = hub.assistant.clients
    for routes in (
        conversation_routes.router(hub),
        conversation_routes.answers_router(hub, streams),
        search_and_fetch.router(clients, streams),
        search_and_fetch.fetch_router(clients),
        report_routes.router(clients, streams, reports),
        about.router(clients, startup),
    ):
        api.include_router(routes)
    app.include_router(api)
    problems.handle(app)
