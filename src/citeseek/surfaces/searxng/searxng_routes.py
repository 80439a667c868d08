"""``/search?format=json``, ``/config`` and ``/healthz``, as programs know them of a SearXNG."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import PlainTextResponse, Response

from citeseek.assistant.client_pool import Clients
from citeseek.engine import Engine
from citeseek.errors import InvalidInput, SearchFailed
from citeseek.faces import OPEN
from citeseek.query import MAX_CHARS, MAX_PAGE, PERIODS
from citeseek.searching.engine_choice import has_key
from citeseek.settings import Settings
from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.searxng.feeds import CSV, RSS, as_csv, as_rss
from citeseek.surfaces.searxng.mapping import (
    CATEGORIES,
    SAFESEARCH,
    Config,
    EngineShown,
    Results,
    answer_of,
    describe_failure,
    read_search,
)
from citeseek.surfaces.web.error_formats import SEARXNG_SEARCH, SearxngFailure
from citeseek.version import VERSION

TOLD = (Results, Config, SearxngFailure)
FORMATS = ("json", "csv", "rss")
_FIELDS = 32
_FORM = "application/x-www-form-urlencoded"


def router(clients: Clients) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["searxng"])
    about = describe_route(Results, problem=SearxngFailure)
    about["responses"][200]["content"] |= {form: {"schema": _TEXT} for form in (CSV, RSS)}
    in_query = [{"name": name, "in": "query", **how} for name, how in _PARAMETERS.items()]
    fields = {name: how["schema"] for name, how in _PARAMETERS.items()}
    form = {"type": "object", "properties": fields, "required": ["q", "format"]}

    @routes.get("/search", **about, openapi_extra={"parameters": in_query})
    async def search(request: Request) -> Response:
        """Search as a SearXNG does; a search that failed names the engines and has no result."""
        return await _answer(request, dict(request.query_params), clients)

    @routes.post(
        "/search",
        **about,
        openapi_extra={"requestBody": {"required": True, "content": {_FORM: {"schema": form}}}},
    )
    async def search_by_form(request: Request) -> Response:
        """Search likewise, with a form."""
        return await _answer(request, dict(request.query_params) | await _form(request), clients)

    @routes.get("/config", **describe_route(Config, problem=SearxngFailure))
    async def config() -> Response:
        """Tell what can be searched, as far as programs look at it."""
        client = clients.current()
        engines = [each for each in client.registry if isinstance(each, Engine)]
        limit = client.settings.server.per_minute
        return json_response(
            Config(
                version=VERSION,
                engines=[_describe_engine(engine, client.settings) for engine in engines],
                limiter={"enabled": bool(limit)},
            )
        )

    @routes.get("/healthz", **_HEALTH)
    async def healthz() -> Response:
        """Say that the server works."""
        return PlainTextResponse("OK")

    # As containers ask that have nothing but wget.
    routes.add_api_route("/healthz", healthz, methods=["HEAD"], include_in_schema=False)
    return routes


async def _answer(request: Request, given: dict[str, str], clients: Clients) -> Response:
    form = given.get("format", "html")
    if form not in FORMATS:
        # What an instance says of a form that it is not set up to give.
        raise HTTPException(
            HTTPStatus.FORBIDDEN, f"Only format={', '.join(FORMATS)} is given here."
        )
    client = clients.current()
    asked = read_search(given, client.registry)
    try:
        results = answer_of(asked.text, await client.search(asked.text, **asked.fields))
    except SearchFailed as error:
        results = describe_failure(asked.text, error)
    if form == "csv":
        saved = {"Content-Disposition": 'attachment; filename="search.csv"'}
        return Response(as_csv(results), headers=saved, media_type=CSV)
    if form == "rss":
        address = f"{request.base_url}{SEARXNG_SEARCH[1:]}?{urlencode({'q': asked.text})}"
        return Response(as_rss(results, address), media_type=RSS)
    return json_response(results)


async def _form(request: Request) -> dict[str, str]:
    body = await request.body()
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS))
    except ValueError:
        raise InvalidInput("The body is no form.") from None


def _describe_engine(engine: Engine, settings: Settings) -> EngineShown:
    reach = settings.engine(engine)
    return EngineShown(
        name=engine.id,
        shortcut=engine.id,
        categories=tuple(name for name, each in CATEGORIES.items() if engine.has(each)),
        enabled=has_key(engine, settings),
        paging="page" in engine.supports,
        safesearch="safesearch" in engine.supports,
        time_range_support="freshness" in engine.supports,
        language_support="language" in engine.supports,
        timeout=reach.seconds.value or settings.face(OPEN).seconds.value,
    )


def _describe_choice(about: str, *words: str) -> dict[str, Any]:
    return {"description": about, "schema": {"type": "string", "enum": list(words)}}


_TEXT = {"type": "string"}
_PARAMETERS: dict[str, dict[str, Any]] = {
    "q": {
        "description": "What to search for",
        "required": True,
        "schema": {"type": "string", "minLength": 1, "maxLength": MAX_CHARS},
    },
    "format": {**_describe_choice("The form of the answer", *FORMATS), "required": True},
    "pageno": {"schema": {"type": "integer", "minimum": 1, "maximum": MAX_PAGE}},
    "language": {
        "description": "Such as zh, zh-CN or auto",
        "schema": {"type": "string", "pattern": "^([a-z]{2,3}(-[a-zA-Z]{2})?|auto|all)?$"},
    },
    "time_range": _describe_choice("How old a page may be", "", *PERIODS),
    "safesearch": _describe_choice("0 off, 1 moderate, 2 strict", *SAFESEARCH),
    "engines": {
        "description": "Engines of Citeseek with commas between them; unknown ones are left out",
        "schema": {"type": "string"},
    },
    "categories": {
        "description": f"One of {', '.join(CATEGORIES)}; of several the first",
        "schema": {"type": "string"},
    },
}
_HEALTH: dict[str, Any] = {
    "response_class": PlainTextResponse,
    "responses": {200: {"description": "It works", "content": {"text/plain": {}}}},
}
