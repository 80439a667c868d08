"""What an operator asks: is it well, which engines are there, what do settings and meters say."""

from __future__ import annotations

import asyncio
import math
import shutil
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from sqlalchemy import Connection
from starlette.responses import Response

from citeseek.assistant.client_pool import Clients
from citeseek.client import Client
from citeseek.conversations import migrations
from citeseek.conversations.database_store import DatabaseStore
from citeseek.errors import CiteseekError, ModelFailed
from citeseek.faces import AGENT, CHAT
from citeseek.health.dependencies import with_stores
from citeseek.health.finding import is_well
from citeseek.health.startup import Startup
from citeseek.i18n import Catalogue
from citeseek.jobs.job_load import count_open
from citeseek.language_model.model_list import known_models, list_models
from citeseek.models import Failure
from citeseek.observing.metrics import PATHS, why_nothing
from citeseek.observing.store_state import DiskSpace, JobLoad, StoreFault, StoreState
from citeseek.searching.engine_choice import engine_name
from citeseek.searching.engine_limits import EngineState
from citeseek.shared_state.valkey import Gone, ServerStanding, Valkey
from citeseek.surfaces import overview
from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.rest.problems import PREFIX
from citeseek.surfaces.rest.shapes import Agent, Health, Models, SearxngHealth
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.error_formats import Problem, failure
from citeseek.surfaces.web.refusal_texts import explain_refusal
from citeseek.version import VERSION

if TYPE_CHECKING:
    from citeseek.observing.meters import Meters

# Whoever scrapes waits for some seconds at most.
_LOOK_SECONDS = 2.0
# However often somebody asks, the stores are looked at so often.
STORES_SECONDS = 5.0


class StoreWatch:
    """How the stores stand by ``look``, looked at once for all who ask within a few seconds."""

    def __init__(self, look: Callable[[], Awaitable[StoreState]]) -> None:
        self._look = look
        self._looking = asyncio.Lock()
        self._state = StoreState()
        self._looked_at = -math.inf

    async def read(self) -> StoreState:
        """Return it, looked at anew when the last look is older than ``STORES_SECONDS``."""
        loop = asyncio.get_running_loop()
        async with self._looking:
            if loop.time() - self._looked_at >= STORES_SECONDS:
                self._state = await self._look()
                self._looked_at = loop.time()
            return self._state


def router(clients: Clients, startup: Startup | None, stores: StoreWatch) -> APIRouter:
    """Return the routes of ``/health``, ``/engines``, ``/agents``, ``/models``, ``/settings``."""
    routes = APIRouter(prefix=PREFIX, tags=["about"])

    @routes.get("/health", **describe_route(Health))
    async def health(
        request: Request, max_age: Annotated[float, Query(ge=0, le=3600)] = 60
    ) -> Response:
        """Say that the server works, whom it asks, how its SearXNG is, and what else is wrong.

        They are looked at anew when the last look is older than ``max_age`` seconds, the stores
        every 5 seconds.
        """
        report = await startup.check(max_age=max_age) if startup else None
        say = words_for(request)
        # A report that is no older than a look at the stores has them.
        is_old = report is None or max_age >= STORES_SECONDS
        state = await stores.read() if is_old else StoreState()
        findings = with_stores(report.findings if report else (), state)
        found = [finding.text(say) for finding in findings]
        client = clients.current()
        settings = client.settings
        return json_response(
            Health(
                status="ok" if is_well(findings) else "degraded",
                version=VERSION,
                engine=engine_name(settings.face(CHAT), client.registry, settings).value,
                model=settings.model.name,
                searxng=SearxngHealth(
                    findings=tuple(one for one in found if one.part == "searxng"),
                    checked_at=report.checked_at,
                )
                if report
                else None,
                findings=tuple(one for one in found if one.part != "searxng"),
            )
        )

    @routes.get("/engines", **describe_route(list[dict[str, Any]]))
    async def engines() -> Response:
        """List the engines; a key is only said to be set or not set."""
        client = clients.current()
        return json_response(overview.engines(client.registry, client.settings))

    @routes.get("/agents", **describe_route(list[Agent]))
    async def agents() -> Response:
        """List the agents of agents.json; ``agent_id`` of a new session opens one."""
        client = clients.current()
        return json_response([_agent(each, client) for each in client.settings.sources.agent_ids()])

    @routes.get("/models", **describe_route(Models))
    async def models(request: Request) -> Response:
        """List the models that can be chosen, with what they cost where that is known.

        The server of the usual model is asked for its own.
        """
        settings = clients.current().settings
        try:
            return json_response(Models(models=await list_models(settings)))
        except ModelFailed as error:
            why = Failure.of(error).translate(words_for(request))
            return json_response(Models(models=known_models(settings), failure=why))

    @routes.get("/settings", **describe_route(dict[str, Any]))
    async def settings() -> Response:
        """Show what the settings lead to, each value with its origin; secrets are never shown."""
        client = clients.current()
        return json_response(overview.settings(client.registry, client.settings))

    return routes


def _agent(agent_id: str, client: Client) -> Agent:
    settings = client.settings
    agent = settings.agent(agent_id, AGENT)
    engine = engine_name(agent.search, client.registry, settings).value if agent.enabled else None
    name = settings.sources.agent_name(agent_id)
    if not agent.enabled:
        return Agent(id=agent_id, name=name, search=False, engine=None)
    return Agent(
        id=agent_id,
        name=name,
        search=True,
        engine=engine,
        results=agent.search.count.value,
        seconds=agent.search.seconds.value,
        cache_minutes=agent.search.ttl_minutes.value,
        searches=settings.assistant.max_searches,
    )


def standings_of(clients: Clients) -> Callable[[], Mapping[str, EngineState]]:
    """Return what says how the engines of ``clients`` stand when it is asked."""

    def standings() -> Mapping[str, EngineState]:
        try:
            return clients.current().engine_states()
        except CiteseekError:
            # The settings cannot be read at the moment; the counters still can.
            return {}

    return standings


def stores_of(
    clients: Clients, store: DatabaseStore, valkey: Valkey | None
) -> Callable[[], Awaitable[StoreState]]:
    """Return what looks how ``store`` and ``valkey`` stand, and the disk of a store in a file.

    On the way it learns from the Valkey how the engines stand for all processes.
    """
    settings = clients.current().settings
    is_file = not settings.database_url
    file = settings.sessions_file if is_file else None

    async def kept() -> tuple[str, Mapping[str, JobLoad]] | None:
        """Return the revision and the jobs that are kept, None where the store does not answer."""
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                await store.change()
                return await store.read(_read_state)
        except (TimeoutError, CiteseekError):
            return None

    async def shared(valkey: Valkey) -> ServerStanding:
        standing = await valkey.look()
        if standing.state != "ok":
            return standing
        with suppress(Gone):
            # One that is asked nothing else is there all the same.
            await valkey.count_processes(seconds=0)
        with suppress(CiteseekError):
            await clients.current().refresh_engine_states()
        return standing

    async def look() -> StoreState:
        found, standing = await asyncio.gather(kept(), shared(valkey) if valkey else _nobody())
        are_up = {"conversations": found is not None}
        faults = {}
        if found is None and not is_file:
            faults["conversations"] = StoreFault("unreachable")
        if standing is not None:
            are_up["valkey"] = standing.state == "ok"
            if standing.state != "ok":
                faults["valkey"] = StoreFault(*standing)
        revision, jobs = found or ("", {})
        disk = _disk_of(file) if file else None
        return StoreState(are_up, jobs, disk, revision, faults)

    return look


def _read_state(connection: Connection) -> tuple[str, Mapping[str, JobLoad]]:
    return migrations.find_version(connection) or "", count_open(connection)


async def _nobody() -> None:
    """Return nothing: there is nobody to ask."""


def _disk_of(file: Path) -> DiskSpace | None:
    try:
        found = shutil.disk_usage(file.parent)
    except OSError:
        return None
    return DiskSpace(found.total, found.free)


async def no_stores() -> StoreState:
    """Return that there are none to look at."""
    return StoreState()


def metrics_router(
    meters: Meters | None,
    look: Callable[[], Awaitable[StoreState]] = no_stores,
) -> APIRouter:
    """Return the routes of ``/metrics``, which is also at ``/api/v1/metrics``.

    ``look`` says how the stores stand.
    """
    routes = APIRouter(tags=["about"])
    about: dict[str, Any] = describe_route(None, text="The metrics in Prometheus' text format")
    about["responses"][200]["content"] = {"text/plain": {"schema": {"type": "string"}}}

    @routes.get(PATHS[1], **about)
    async def metrics(request: Request) -> Response:
        """Give what was counted since the server started, and how the engines stand."""
        if meters is None:
            return failure(request.url.path, _nothing(words_for(request)))
        from citeseek.observing.meters import MEDIA_TYPE  # noqa: PLC0415 - an extra

        meters.found_stores(await look())
        return Response(meters.page(), media_type=MEDIA_TYPE)

    routes.add_api_route(PATHS[0], metrics, include_in_schema=False)
    return routes


def _nothing(say: Catalogue) -> Problem:
    detail, hint = explain_refusal(say, "no_metrics", why=why_nothing(say))
    return Problem(
        title=HTTPStatus.NOT_FOUND.phrase,
        status=HTTPStatus.NOT_FOUND,
        detail=detail,
        hint=hint,
        code=HTTPStatus.NOT_FOUND.name,
    )
