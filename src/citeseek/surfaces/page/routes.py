"""The addresses of the chat page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Query
from sse_starlette import ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from citeseek.assistant.conversation import Conversation
from citeseek.client import Client
from citeseek.conversations.conversation_record import SessionFound, title_of
from citeseek.conversations.shared_links import Shares
from citeseek.conversations.store import MAX_QUERY
from citeseek.engines.searxng import ENGINE as SEARXNG
from citeseek.errors import NoConversation
from citeseek.faces import CHAT
from citeseek.health.engine_checks import check_chosen, chosen_engines
from citeseek.health.finding import worst_first
from citeseek.health.startup import Startup, StartupReport
from citeseek.jobs.reports import Reports
from citeseek.live_answers.hub import Hub
from citeseek.person import current_person
from citeseek.searching.engine_choice import alternatives
from citeseek.surfaces.page import static_files
from citeseek.surfaces.page.changes import Batch, changes
from citeseek.surfaces.page.exported_page import exported_page
from citeseek.surfaces.page.live_conversations import MAX_LISTED, Boards, state_of
from citeseek.surfaces.page.panel import agent_facts, agents, panel
from citeseek.surfaces.page.readers import (
    Readers,
    history_of,
    is_signed_in,
    page_response,
    theme_of,
)
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.page.report_pages import reports_router
from citeseek.surfaces.page.shared_page import shared_router
from citeseek.surfaces.page.status_page import status_router
from citeseek.surfaces.rest.server_status import ServerStatus
from citeseek.surfaces.web.added_routes import add_routes
from citeseek.surfaces.web.error_formats import dialect
from citeseek.surfaces.web.event_streams import Streams, json_event
from citeseek.surfaces.web.picture_addresses import PictureAddresses

_READ = ["GET", "HEAD"]
# Engines that the start page offers; the list of all is one press further.
_MOST_OFFERED = 3


def page_router(
    hub: Hub,
    streams: Streams,
    *,
    startup: Startup | None = None,
    demo: bool = False,
    pictures: PictureAddresses | None = None,
    reports: Reports | None = None,
    shares: Shares | None = None,
    status: ServerStatus | None = None,
) -> APIRouter:
    """Return the routes of the page over ``hub``, ``reports`` and ``shares``, if there are any.

    ``startup`` looks at the search service for the page, ``status`` says how the server stands.
    In a ``demo`` the page says that its results are examples, where the engines of a conversation
    are on this machine. Pictures of results are shown at
    addresses that ``pictures`` sign.
    """
    readers = Readers(hub.assistant.clients, pictures, demo=demo)
    page = _Page(hub, streams, startup, readers=readers, has_status=status is not None)
    router = APIRouter(include_in_schema=False)
    router.add_api_route("/", page.start, methods=_READ)
    router.add_api_route("/c/{session_id}", page.conversation, methods=_READ)
    router.add_api_route("/c/{session_id}/export", page.export, methods=_READ)
    router.add_api_route("/c/{session_id}/events", page.events, methods=["GET"])
    router.add_api_route("/history", page.history, methods=["GET"])
    if startup is not None:
        router.add_api_route("/report", page.report, methods=["GET"])
        router.add_api_route("/report", page.check, methods=["POST"])
    if reports is not None:
        add_routes(router, reports_router(reports, streams, readers))
    if shares is not None:
        add_routes(router, shared_router(shares, readers))
    if status is not None:
        add_routes(router, status_router(status, readers))
    router.add_api_route("/guide", page.guide, methods=_READ)
    router.add_api_route("/static/{name:path}", page.static, methods=_READ)
    router.add_api_route("/{path:path}", page.nowhere, methods=_READ)
    return router


class _Page:
    def __init__(
        self,
        hub: Hub,
        streams: Streams,
        startup: Startup | None,
        *,
        readers: Readers,
        has_status: bool,
    ) -> None:
        self._hub = hub
        self._has_status = has_status
        self._boards = Boards(hub)
        self._streams = streams
        self._startup = startup
        self._readers = readers

    async def start(self, request: Request) -> Response:
        """Show a conversation that nobody has begun yet."""
        fresh = self._hub.assistant.fresh()
        await fresh.look_for_engine()
        rendering = self._readers.rendering(request)
        state = state_of(fresh, rendering)
        return await self._page(request, rendering, fresh, state_json=state)

    async def conversation(self, request: Request, session_id: str) -> Response:
        """Show a conversation."""
        try:
            board, conversation = await self._boards.open(session_id)
        except NoConversation:
            return self._not_found(request)
        rendering = self._readers.rendering(request)
        revision = await board.prepare(rendering)
        return await self._page(
            request,
            rendering,
            conversation,
            session_id=session_id,
            title=conversation.session.record.title,
            # What happens while the rest is read is sent again, and shows the same.
            revision=board.mark_of(revision),
            turns=board.html(rendering),
            state_json=self._boards.state(conversation, rendering),
        )

    async def export(self, request: Request, session_id: str, turn: str = "") -> Response:
        """Give a conversation, or one answer of it, as an HTML file."""
        try:
            record = (await self._hub.open(session_id)).session.record
        except NoConversation:
            return self._not_found(request)
        turns = [each for each in record.turns if turn in ("", each.id)]
        if not turns:
            return self._not_found(request)
        title = turns[0].message if turn else record.title
        # Many long answers take a while to be read.
        html = await asyncio.to_thread(
            exported_page,
            title_of(title),
            turns,
            self._readers.rendering(request),
            is_demo=self._readers.shows_examples(turns),
        )
        response = page_response(html, request)
        name = quote(f"{title_of(title) or 'citeseek'}.html", safe="")
        response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{name}"
        return response

    async def events(self, request: Request, session_id: str, after: str = "") -> Response:
        """Send what changes in a conversation."""
        board, _ = await self._boards.open(session_id)
        mark = request.headers.get("last-event-id") or after
        rendering = self._readers.rendering(request)
        return self._streams.respond(_events(changes(self._boards, board, mark, rendering)))

    async def history(
        self,
        request: Request,
        before: str = "",
        current: str = "",
        q: Annotated[str, Query(max_length=MAX_QUERY)] = "",
    ) -> Response:
        """Show the rows of the list of conversations that come behind ``before``.

        With ``q`` those alone that mention it, with the words around it; they lead to it.
        """
        rendering = self._readers.rendering(request)
        is_older = bool(before or q.strip())
        found: dict[str, SessionFound] = {}
        if text := q.strip():
            found = {each.summary.id: each for each in await self._boards.search(text, before)}
            rows = [each.summary for each in found.values()]
        else:
            rows = await self._boards.older(before)
        html = rendering.history(rows, current, found=found, is_older=is_older)
        response = page_response(html, request)
        response.headers["X-More"] = "true" if len(rows) == MAX_LISTED else "false"
        return response

    async def report(
        self, request: Request, max_age: Annotated[float, Query(ge=0, le=3600)] = 0
    ) -> Response:
        """Show how the search service is, as it was at most ``max_age`` seconds ago."""
        assert self._startup is not None  # noqa: S101 - there is no such route without it
        report = await self._startup.check(max_age=max_age)
        others = _engines_instead(report, self._hub.assistant.clients.current())
        html = self._readers.rendering(request).report(report, others=others)
        return page_response(html, request)

    async def check(self, request: Request, engine: str = "") -> Response:
        """Look at the engines that were chosen, with commas between them, and show how they are.

        An engine may cost something for each question: this is no page that one comes to.
        """
        assert self._startup is not None  # noqa: S101 - there is no such route without it
        client = self._hub.assistant.clients.current()
        ids = chosen_engines([name for name in engine.split(",") if name], client)
        others = [each for each in ids if each != SEARXNG.id]
        own = await self._startup.check() if SEARXNG.id in ids else None
        found = (*(own.findings if own else ()), *await check_chosen(others, client))
        report = StartupReport(tuple(worst_first(found)), datetime.now(UTC))
        rendering = self._readers.rendering(request)
        return page_response(rendering.report(report, ids), request)

    async def guide(self, request: Request) -> Response:
        """Show how to run a SearXNG of one's own."""
        return page_response(self._readers.rendering(request).guide(theme_of(request)), request)

    async def static(self, request: Request, name: str) -> Response:
        """Send a file of the page."""
        return static_files.respond(request, name) or self._not_found(request)

    async def nowhere(self, request: Request, path: str) -> Response:
        """Show that there is nothing; programs are told it in their dialect."""
        if dialect(f"/{path}") != "page":
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return self._not_found(request)

    async def _page(
        self,
        request: Request,
        rendering: Rendering,
        conversation: Conversation,
        *,
        state_json: dict[str, Any],
        session_id: str = "",
        title: str = "",
        revision: str = "",
        turns: str = "",
    ) -> Response:
        theme = theme_of(request)
        client = self._hub.assistant.clients.current()
        record = conversation.session.record
        html = rendering.page(
            agent=agent_facts(record.agent_id, client.registry, client.settings),
            agents=agents(record.agent_id, client.settings, rendering.words),
            conversations=await self._boards.conversations(),
            current=session_id,
            demo=self._readers.finds_examples(record.choices, record.agent_id),
            history=history_of(request),
            looks=self._startup is not None,
            may_search=conversation.may_search,
            other=self._readers.other(request, rendering),
            running=state_json["running"],
            # A server without people has one, who runs it.
            operates=self._has_status and current_person().role == "owner",
            page_of_history=MAX_LISTED,
            panel=panel(
                record.choices,
                client.registry,
                client.settings,
                rendering.words,
                theme,
                demo=self._readers.is_demo,
            ),
            revision=revision,
            session_id=session_id,
            signed_in=is_signed_in(request),
            state=conversation.state,
            state_json=state_json,
            theme=theme,
            title=title,
            turns=turns,
        )
        return page_response(html, request)

    def _not_found(self, request: Request) -> Response:
        rendering = self._readers.rendering(request)
        return page_response(rendering.not_found(theme_of(request)), request, status=404)


def _engines_instead(report: StartupReport, client: Client) -> Sequence[str]:
    """Return engines to ask in place of a SearXNG that ``report`` says cannot be searched with.

    There are none where another one is asked anyway.
    """
    is_broken = any(each.part == SEARXNG.id and each.status == "error" for each in report.findings)
    asked = client.settings.face(CHAT).engine.value
    if not is_broken or client.registry.find(asked) is not SEARXNG:
        return ()
    names = alternatives(client.registry, client.settings)
    return [name for name in names if name != SEARXNG.id][:_MOST_OFFERED]


async def _events(batches: AsyncGenerator[Batch]) -> AsyncGenerator[ServerSentEvent]:
    """Yield the events of each batch; its mark counts when the last of them has arrived."""
    async with aclosing(batches):
        async for batch in batches:
            last = len(batch.sent) - 1
            for place, each in enumerate(batch.sent):
                mark = batch.mark if place == last else ""
                yield json_event(each.kind, each.data, mark or None)
