"""A search, without any conversation."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from citeseek import formats
from citeseek.assistant.clients import Clients
from citeseek.errors import InvalidInput
from citeseek.models import SearchResponse
from citeseek.surfaces.rest.documented import told, written


def router(clients: Clients) -> APIRouter:
    """Return the route of ``/search``."""
    routes = APIRouter(tags=["search"])

    @routes.get("/search", **told(SearchResponse))
    async def search(
        *,
        request: Request,
        q: Annotated[str, Query(description="What to search for")],
        engine: Annotated[
            list[str] | None, Query(description="Engine id or auto; several are asked together")
        ] = None,
        count: int | None = None,
        page: int | None = None,
        language: str | None = None,
        country: str | None = None,
        freshness: Annotated[
            str | None, Query(description="day, week, month, year or FROM..TO (2026-01-31)")
        ] = None,
        site: str | None = None,
        safesearch: Annotated[str | None, Query(description="off, moderate or strict")] = None,
        quorum: Annotated[
            int | None, Query(description="Do not wait for more than so many engines with results")
        ] = None,
        timeout: Annotated[  # noqa: ASYNC109 - the deadline is the search's own
            float | None, Query(description="Deadline of the whole search in seconds")
        ] = None,
    ) -> Response:
        """Search the web; a search that fails is a problem, never "nothing found"."""
        _check_names(request)
        asked: dict[str, Any] = {
            "count": count,
            "page": page,
            "language": language,
            "country": country,
            "freshness": freshness,
            "site": site,
            "safesearch": safesearch,
            "quorum": quorum,
            "seconds": timeout,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        response = await clients.current().search(q, engines=engine or (), **given)
        return written(formats.full(response))

    return routes


def _check_names(request: Request) -> None:
    """Raise InvalidInput for a parameter that there is not: it would be lost in silence."""
    known = {parameter.name for parameter in request.scope["route"].dependant.query_params}
    if unknown := request.query_params.keys() - known:
        raise InvalidInput(
            f"There is no parameter {min(unknown)!r:.60}.",
            hint=f"There are {', '.join(sorted(known))}.",
        )
