"""The server's composition root: the API and the page over one hub, and the guard around them."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

from fastapi import FastAPI
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.assistant.assistant import Assistant
from citeseek.browser import BrowserOptions
from citeseek.browser.pdf_printer import ResidentPdfPrinter
from citeseek.concurrency.admission import Places
from citeseek.conversations.checked_citations import CheckedCitations
from citeseek.conversations.conversation_archive import TakenIn
from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.erasure import Belongings
from citeseek.conversations.oauth_grants import Grants
from citeseek.conversations.person_accounts import PersonAccounts
from citeseek.conversations.shared_links import Shares
from citeseek.conversations.store import open_store
from citeseek.conversations.usage import UsageMeter
from citeseek.engines.searxng import ENGINE as SEARXNG
from citeseek.health.startup import Startup
from citeseek.jobs.batches import Batches, open_batches
from citeseek.jobs.reports import Reports, open_reports
from citeseek.language_model.model import preload
from citeseek.live_answers.hub import MAX_SESSIONS, Hub
from citeseek.observing.metrics import meters_of
from citeseek.observing.recent_calls import RecentCalls
from citeseek.settings import Settings
from citeseek.settings.server_settings import ServerSection
from citeseek.shared_state import valkey_of
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.source_watch import WatchedAnswers
from citeseek.surfaces.completions import completion_routes as completions
from citeseek.surfaces.completions import response_routes as responses
from citeseek.surfaces.firecrawl import firecrawl_routes as firecrawl
from citeseek.surfaces.page.routes import page_router
from citeseek.surfaces.rest import (
    about,
    archive_routes,
    batch_routes,
    conversation_routes,
    file_routes,
    people_route,
    problems,
    program_routes,
    report_routes,
    search_and_fetch,
    server_status,
    shapes,
    share_routes,
    status_route,
    watch_route,
)
from citeseek.surfaces.rest.documented import describe
from citeseek.surfaces.rest.shapes import EventShown
from citeseek.surfaces.searxng import searxng_routes as searxng
from citeseek.surfaces.server.form_pages import FormPages
from citeseek.surfaces.server.guard_chain import guard_chain
from citeseek.surfaces.server.login import Login
from citeseek.surfaces.server.login_cookie import Clock
from citeseek.surfaces.server.maintenance import Maintenance
from citeseek.surfaces.server.origins import LOGIN, LOGOUT
from citeseek.surfaces.server.programs_page import programs_routes
from citeseek.surfaces.server.requests import Counting, WatchedRequests
from citeseek.surfaces.server.rules import Rules, people_of
from citeseek.surfaces.sign_in.sign_in import open_sign_in
from citeseek.surfaces.tavily import tavily_routes as tavily
from citeseek.surfaces.web.added_routes import add_routes
from citeseek.surfaces.web.event_streams import EventLines, Streams
from citeseek.surfaces.web.foreign_paths import ForeignPaths
from citeseek.surfaces.web.issuer_documents import Ask, ask_through
from citeseek.surfaces.web.picture_addresses import PictureAddresses
from citeseek.version import VERSION

DESCRIPTION = "Web search and cited answers. Failures are problem+json with a code and a hint."
TOLD = (
    shapes.NewSession,
    shapes.SessionChange,
    shapes.Message,
    shapes.Session,
    shapes.Sessions,
    shapes.Begun,
    shapes.Health,
    shapes.Agent,
    shapes.Models,
    shapes.FollowUpQuestions,
    shapes.Searched,
    search_and_fetch.PageWanted,
    shapes.Fetched,
    TakenIn,
    report_routes.Question,
    report_routes.ReportShown,
    report_routes.ReportsShown,
    batch_routes.BatchShown,
    batch_routes.BatchGiven,
    batch_routes.BatchesShown,
    CheckedCitations,
    watch_route.Watched,
    people_route.PeopleShown,
    Belongings,
    share_routes.ToShare,
    share_routes.ShareShown,
    share_routes.SharesShown,
    program_routes.ProgramsShown,
    server_status.StatusShown,
    WatchedAnswers,
)

# What programs that were written for others are told.
TOLD_OTHERS = tuple(
    kind for module in (completions, responses, searxng, tavily, firecrawl) for kind in module.TOLD
)


def _startup_of(assistant: Assistant, load: Callable[[], Settings]) -> Startup:
    async def searxng_is_well() -> None:
        await assistant.clients.current().found_well(SEARXNG.id)

    async def load_libraries() -> None:
        await preload(load())
        # What was imported by now is no garbage: to look through it all takes a sixth of a second.
        gc.freeze()

    return Startup(load, found_well=searxng_is_well, prepare=load_libraries)


def create_app(
    load: Callable[[], Settings] = Settings.load,
    *,
    store: DatabaseStore | None = None,
    demo: bool = False,
    looks: bool = True,
) -> FastAPI:
    """Return the application for the settings that ``load`` gives, without the guard around it.

    Settings of the server are read once, those of searches and models anew for each conversation.
    Conversations are kept in ``store``, by default what the settings name. In a ``demo`` the page
    says that its results are examples. Unless ``looks`` is off, the search service is looked at
    when the server starts and when somebody asks. ``state.meters`` of the application is what the
    guard tells of requests, ``state.valkey`` what both share with other processes, ``state.ask``
    what asks an issuer, ``state.drain`` takes nothing more and returns when nothing is under way.
    Raise InvalidInput when the settings cannot be used.
    """
    settings = load()
    kept = open_store(settings) if store is None else store
    assistant = Assistant(load, store=kept)

    startup = _startup_of(assistant, load) if looks else None
    valkey = valkey_of(settings)
    hub = Hub(
        assistant,
        max_answers=settings.server.max_answers,
        # A database on a server has whoever runs it to say how much it holds.
        max_sessions=None if settings.database_url else MAX_SESSIONS,
        valkey=valkey,
    )
    pictures = PictureAddresses()
    meters = meters_of(settings.server.metrics, about.standings_of(assistant.clients))
    usage, shares, grants, accounts, recent = (
        UsageMeter(kept),
        Shares(kept),
        Grants(kept),
        PersonAccounts(settings, kept, valkey),
        RecentCalls(),
    )
    watchers = (usage, accounts, recent, *(() if meters is None else (meters,)))
    reports = open_reports(settings, kept, assistant.clients.current, watchers)
    batches = open_batches(settings, kept, assistant, watchers)
    printer = ResidentPdfPrinter(BrowserOptions.of(settings))
    maintenance = Maintenance(settings, kept, reports, batches, hub=hub, meter=usage)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if startup is not None:
            startup.begin()
        await asyncio.gather(reports.start(), batches.start(), accounts.begin())
        hub.begin()
        usage.begin()
        await maintenance.begin()
        if valkey is not None:
            await _join(valkey, pictures)
        yield
        if startup is not None:
            await startup.close()
        for part in (maintenance, reports, batches, printer, hub, usage, accounts, assistant):
            await part.close()
        if valkey is not None:
            await valkey.aclose()

    app = FastAPI(
        title="Citeseek",
        version=VERSION,
        description=DESCRIPTION,
        # The pages of FastAPI load their scripts from another host.
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        routes=[*programs_routes(grants, FormPages(settings.page.language))],
    )
    app.add_middleware(
        WatchedRequests,
        watchers=(usage, accounts, recent),
        account=lambda: assistant.clients.current().account(),
    )
    app.add_middleware(EventLines)
    app.add_middleware(ForeignPaths)
    app.state.meters, app.state.valkey = meters, valkey
    look = about.stores_of(assistant.clients, kept, valkey)
    add_routes(app.router, about.metrics_router(meters, look))
    streams = Streams(settings.server.max_streams)
    places = Places(settings.server.max_reports, "report", ServerSection.max_reports.name)
    stores = about.StoreWatch(look)
    status = server_status.ServerStatus(
        hub, stores, recent, streams=streams, reports=places, startup=startup
    )

    async def drain() -> None:
        places.close()
        await asyncio.gather(hub.drain(), places.all_left())

    app.state.drain, app.state.ask = drain, ask_through(assistant.clients.current)
    add_api(
        app,
        hub,
        streams,
        places,
        startup,
        stores=stores,
        reports=reports,
        batches=batches,
        pictures=pictures,
        printer=printer,
    )
    for routes in (
        people_route.router(usage, people_of(settings), maintenance.erasure),
        share_routes.router(shares),
        program_routes.router(grants),
        status_route.router(status),
        completions.router(assistant, streams, hub.places),
        responses.router(hub, streams),
        *(module.router(assistant.clients) for module in (searxng, tavily, firecrawl)),
    ):
        add_routes(app.router, routes)
    describe(app, (*TOLD, *TOLD_OTHERS), Event=EventShown)
    add_routes(
        app.router,
        page_router(
            hub,
            streams,
            startup=startup,
            demo=demo,
            pictures=pictures,
            reports=reports,
            shares=shares,
            status=status,
        ),
    )
    return app


async def _join(valkey: Valkey, pictures: PictureAddresses) -> None:
    """Share the key of pictures, and be counted before anything is asked of this process."""
    await pictures.share(valkey)
    with suppress(Gone):
        await valkey.count_processes()


def guard_app(
    app: ASGIApp,
    *,
    rules: Rules,
    now: Clock = time.time,
    meters: Counting | None = None,
    valkey: Valkey | None = None,
    ask: Ask | None = None,
) -> ASGIApp:
    """Return ``app`` behind its guard, see :mod:`citeseek.surfaces.server.guard_chain`.

    ``now`` gives the seconds since 1970, for the end of a login; ``meters`` count requests, refused
    ones as well. ``ask`` sends requests to the issuer that people sign in at. Raise MissingExtra
    without the libraries for that.
    """
    door = _without_login
    sign_in = open_sign_in(rules.sign_in, ask, now) if rules.sign_in and ask else None
    if rules.has_door:
        door = partial(Login, rules=rules, now=now, valkey=valkey, sign_in=sign_in)
    # The guard is to see what it is that is asked for.
    return ForeignPaths(guard_chain(app, rules=rules, door=door, meters=meters, valkey=valkey))


def _without_login(app: ASGIApp) -> ASGIApp:
    """Return ``app`` with a login that everybody has passed."""

    async def open_door(scope: Scope, receive: Receive, send: Send) -> None:
        is_login = scope["path"] in (LOGIN, LOGOUT)
        await (RedirectResponse("/", 303) if is_login else app)(scope, receive, send)

    return open_door


def add_api(
    app: FastAPI,
    hub: Hub,
    streams: Streams,
    places: Places,
    startup: Startup | None = None,
    *,
    stores: about.StoreWatch | None = None,
    reports: Reports,
    batches: Batches,
    pictures: PictureAddresses | None = None,
    printer: ResidentPdfPrinter | None = None,
) -> None:
    """Give ``app`` the routes under ``/api/v1``, and problems for failures.

    ``places`` are those for reports that are waited for, ``stores`` how the stores stand,
    ``pictures`` sign what is shown of others, ``printer`` makes PDFs.
    """
    clients = hub.assistant.clients
    for routes in (
        archive_routes.router(hub),
        conversation_routes.router(hub),
        conversation_routes.answers_router(hub, streams),
        watch_route.router(hub),
        file_routes.files_router(hub),
        search_and_fetch.router(clients, streams),
        search_and_fetch.fetch_router(clients),
        report_routes.asking_router(hub, streams, places, reports),
        report_routes.router(reports),
        report_routes.reading_router(streams, reports, printer or ResidentPdfPrinter()),
        batch_routes.batches_router(
            hub, batches, max_bytes=clients.current().settings.server.max_batch_bytes
        ),
        batch_routes.answers_router(streams, batches),
        about.router(clients, startup, stores or about.StoreWatch(about.no_stores)),
        search_and_fetch.picture_router(clients, pictures or PictureAddresses()),
    ):
        add_routes(app.router, routes)
    problems.handle(app)
