"""A search, the text of a page, or a picture of a result, without any conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Header, Query, Request
from msgspec import Meta, structs
from sse_starlette import ServerSentEvent
from starlette.responses import Response

from citeseek import observing
from citeseek.assistant.client_pool import Clients
from citeseek.errors import CiteseekError, InvalidInput
from citeseek.faces import OPEN
from citeseek.fetching import options as of_fetch
from citeseek.fetching.options import Form
from citeseek.fetching.response import describe_page
from citeseek.i18n import Catalogue
from citeseek.models import SearchResponse
from citeseek.observing.receipt import Ledger
from citeseek.query import MAX_CHARS, MAX_PAGE
from citeseek.searching.planning import MAX_QUORUM, MAX_SECONDS, MIN_SECONDS
from citeseek.surfaces.rest.documented import describe_route, json_response, read, streams_too
from citeseek.surfaces.rest.problems import PREFIX, problem_of
from citeseek.surfaces.rest.shapes import Fetched, Searched
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.event_streams import STREAM, Streams, json_event
from citeseek.surfaces.web.picture_addresses import PictureAddresses
from citeseek.tools import search_formats

_PICTURE = "picture"
# More pictures wait for their turn; a browser asks for six at once.
_PICTURES_AT_ONCE = 8
# Described here and checked where pages are read, which says it better.
_ADDRESS = {"minLength": 1, "maxLength": 8_192, "format": "uri"}
_CHARS = {"minimum": of_fetch.MIN_CHARS, "maximum": of_fetch.MAX_CHARS}
_SECONDS = {"minimum": of_fetch.MIN_SECONDS, "maximum": of_fetch.MAX_SECONDS}


def _between(least: float, most: float, about: str | None = None) -> Any:
    """Describe a number that is checked where it is used, with a better sentence."""
    return Query(description=about, json_schema_extra={"minimum": least, "maximum": most})


def router(clients: Clients, streams: Streams) -> APIRouter:
    """Return the route of ``/search``."""
    routes = APIRouter(prefix=PREFIX, tags=["search"])
    about = describe_route(Searched)
    streams_too(about, "with `Accept: text/event-stream` `response` events, the last one whole")

    @routes.get("/search", **about)
    async def search(
        *,
        request: Request,
        q: Annotated[
            str,
            Query(
                description="What to search for",
                json_schema_extra={"minLength": 1, "maxLength": MAX_CHARS},
            ),
        ],
        engine: Annotated[
            list[str] | None,
            Query(
                description="Engine id or auto; several are asked together",
                examples=[["searxng"], ["searxng", "stub"]],
            ),
        ] = None,
        category: Annotated[
            str | None, Query(description="web, news, images, videos, papers or code")
        ] = None,
        count: Annotated[int | None, _between(OPEN.counts.low, OPEN.counts.high)] = None,
        page: Annotated[int | None, _between(1, MAX_PAGE)] = None,
        language: str | None = None,
        country: str | None = None,
        freshness: Annotated[
            str | None, Query(description="day, week, month, year or FROM..TO (2026-01-31)")
        ] = None,
        site: str | None = None,
        safesearch: Annotated[str | None, Query(description="off, moderate or strict")] = None,
        quorum: Annotated[
            int | None,
            _between(1, MAX_QUORUM, "Do not wait for more than so many engines with results"),
        ] = None,
        timeout: Annotated[  # noqa: ASYNC109 - the deadline is the search's own
            float | None,
            _between(MIN_SECONDS, MAX_SECONDS, "Deadline of the whole search in seconds"),
        ] = None,
        accept: Annotated[str, Header(include_in_schema=False)] = "",
    ) -> Response:
        """Search the web; a search that fails is a problem, never "nothing found".

        With ``Accept: text/event-stream`` the response is sent each time an engine has answered.
        The search is stopped when the client goes away.
        """
        _check_names(request)
        asked: dict[str, Any] = {
            "category": category,
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
        given["engines"] = engine or ()
        client = clients.current()
        ledger = client.ledger()
        if STREAM not in accept:
            with observing.watching(ledger):
                response = await while_there(request, client.search(q, **given))
            return json_response(_as_json(response, ledger))
        with streams.place() as place:
            responses = observing.follow(None, client.stream(q, **given), (ledger,))
            # What is wrong with the call, or with every engine, is told before a stream begins.
            first = await while_there(request, _next(responses))
            return place.respond(_events(first, responses, ledger, words_for(request)))

    return routes


async def _next(responses: AsyncGenerator[SearchResponse]) -> SearchResponse:
    return await anext(responses)


async def _events(
    first: SearchResponse,
    later: AsyncGenerator[SearchResponse],
    ledger: Ledger,
    say: Catalogue,
) -> AsyncGenerator[ServerSentEvent]:
    """Yield each state of the answer; ``pending`` is empty in the last one."""
    async with aclosing(later) as responses:
        yield json_event("response", _as_json(first, ledger))
        try:
            async for response in responses:
                yield json_event("response", _as_json(response, ledger))
        except CiteseekError as error:
            yield json_event("error", problem_of(error, say))


def _as_json(response: SearchResponse, ledger: Ledger) -> dict[str, Any]:
    """Return an answer, with the receipt of what was done for it until now."""
    return {**search_formats.full(response), "egress": ledger.receipt()}


def _check_names(request: Request) -> None:
    """Raise InvalidInput for a parameter that there is not: it would be lost in silence."""
    known = {parameter.name for parameter in request.scope["route"].dependant.query_params}
    if unknown := request.query_params.keys() - known:
        raise InvalidInput(
            f"There is no parameter {min(unknown)!r:.60}.",
            hint=f"There are {', '.join(sorted(known))}.",
        )


class PageWanted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page to read; what is not named is decided by the settings.

    ``form`` is ``text`` or ``markdown``, ``max_chars`` the longest text, ``timeout`` the deadline
    in seconds (0.1 to 120). With ``fresh`` no kept page is used.
    """

    url: Annotated[str, Meta(extra_json_schema=_ADDRESS)]
    form: Form | None = None
    max_chars: Annotated[int, Meta(extra_json_schema=_CHARS)] | None = None
    timeout: Annotated[float, Meta(extra_json_schema=_SECONDS)] | None = None
    fresh: bool | None = None


def fetch_router(clients: Clients) -> APIRouter:
    """Return the route of ``/fetch``."""
    routes = APIRouter(prefix=PREFIX, tags=["fetch"])

    @routes.post("/fetch", **describe_route(Fetched, takes=PageWanted))
    async def fetch(
        request: Request, wanted: Annotated[PageWanted, Depends(read(PageWanted))]
    ) -> Response:
        """Read one page as text; addresses that are not public are refused (``ssrf_blocked``)."""
        asked: dict[str, Any] = structs.asdict(wanted)
        asked["seconds"] = asked.pop("timeout")
        given = {name: value for name, value in asked.items() if value is not None}
        client = clients.current()
        ledger = client.ledger()
        observing.name_pages((wanted.url,))
        with observing.watching(ledger):
            page = await while_there(request, client.fetch(**given))
        return json_response({**describe_page(page), "egress": ledger.receipt()})

    return routes


def picture_router(clients: Clients, addresses: PictureAddresses) -> APIRouter:
    """Return the route of ``/image``, for addresses that ``addresses`` signed."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False)
    places = asyncio.Semaphore(_PICTURES_AT_ONCE)

    @routes.get("/image")
    async def image(request: Request, url: str = "", sig: str = "") -> Response:
        addresses.check(url, sig)
        observing.name_pages((url,))
        async with places:
            picture = await while_there(request, clients.current().picture(url))
        kind = picture.media_type.partition("/")[2]
        headers = {"Content-Disposition": f'inline; filename="{_PICTURE}.{kind}"'}
        return Response(picture.body, media_type=picture.media_type, headers=headers)

    return routes
