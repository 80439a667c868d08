"""Conversations: begin, list, show, change, export, delete."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from citeseek.assistant.checking import CheckedCitations
from citeseek.assistant.conversations import Hub
from citeseek.assistant.export import exported
from citeseek.assistant.session import Choices
from citeseek.surfaces.rest.documented import read, told, written
from citeseek.surfaces.rest.problems import PREFIX
from citeseek.surfaces.rest.shapes import NewSession, Session, SessionChange, Sessions
from citeseek.surfaces.web.cursors import cursor_of, place_of

MAX_LISTED = 100


def router(hub: Hub) -> APIRouter:
    """Return the routes of ``/sessions``."""
    routes = APIRouter(prefix="/sessions", tags=["sessions"])

    def running(session_id: str) -> str | None:
        answer = hub.running(session_id)
        return answer.id if answer else None

    @routes.post("", **told(Session, takes=NewSession, status=201))
    async def begin(asked: Annotated[NewSession, Depends(read(NewSession))]) -> Response:
        """Begin a conversation."""
        conversation = await hub.create(
            mode=asked.mode,
            search=asked.search,
            agent_id=asked.agent_id,
            choices=asked.choices.over(Choices()),
        )
        shown = Session.of(conversation, None, with_turns=True)
        return written(shown, 201, Location=f"{PREFIX}/sessions/{shown.id}")

    @routes.get("", **told(Sessions))
    async def listed(
        limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 50, before: str = ""
    ) -> Response:
        """List the conversations in which something was said, the newest first."""
        found = await hub.assistant.store.list(limit, place_of(before))
        more = len(found) == limit
        return written(Sessions(sessions=found, next=cursor_of(found[-1]) if more else None))

    @routes.get("/{session_id}", **told(Session))
    async def show(session_id: str) -> Response:
        """Show a conversation with all of its turns."""
        conversation = await hub.open(session_id)
        return written(Session.of(conversation, running(session_id), with_turns=True))

    @routes.patch("/{session_id}", **told(Session, takes=SessionChange))
    async def change(
        session_id: str, asked: Annotated[SessionChange, Depends(read(SessionChange))]
    ) -> Response:
        """Change mode, switch, title or choices; the next message obeys."""
        choices = None
        if asked.choices is not None:
            now = (await hub.open(session_id)).session.record.choices
            choices = asked.choices.over(now)
        conversation = await hub.change(
            session_id, mode=asked.mode, search=asked.search, title=asked.title, choices=choices
        )
        return written(Session.of(conversation, running(session_id)))

    @routes.delete("/{session_id}", **told(None, status=204, text="It is gone"))
    async def delete(session_id: str) -> Response:
        """Delete a conversation for good; an answer under way is stopped."""
        await hub.delete(session_id)
        return Response(status_code=204)

    @routes.post("/{session_id}/turns/{turn_id}/check", **told(CheckedCitations))
    async def check(session_id: str, turn_id: str) -> Response:
        """Read the pages that an answer cites; say for each citation whether they support it."""
        conversation = await hub.open(session_id)
        return written(await conversation.check(turn_id))

    exporting = told(None, text="Markdown with links")
    exporting["responses"][200]["content"] = {"text/markdown": {"schema": {"type": "string"}}}

    @routes.get("/{session_id}/export", **exporting)
    async def export(session_id: str) -> Response:
        """Give the conversation as a Markdown file."""
        record = (await hub.open(session_id)).session.record
        name = quote(f"{record.title or 'citeseek'}.md", safe="")
        return Response(
            exported(record),
            media_type="text/markdown; charset=utf-8",
            headers={"Content-Disposition": f"attachment; filename*=UTF-8''{name}"},
        )

    return routes
