"""The API as one piece."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI

from citeseek.assistant.admission import Places
from citeseek.assistant.checking import CheckedCitations
from citeseek.assistant.conversations import Hub
from citeseek.health.startup import Startup
from citeseek.surfaces.rest import (
    about,
    answers,
    fetch,
    problems,
    research,
    search,
    sessions,
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
    fetch.PageWanted,
    shapes.Fetched,
    research.Question,
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
        sessions.router(hub),
        answers.router(hub, streams),
        search.router(clients, streams),
        fetch.router(clients),
        research.router(clients, streams, reports),
        about.router(clients, startup),
    ):
        api.include_router(routes)
    app.include_router(api)
    problems.handle(app)
