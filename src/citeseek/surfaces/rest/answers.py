"""Messages and their answers, as server-sent events that can be resumed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Header
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from citeseek.assistant.answer import Answer
from citeseek.assistant.events import Event
from citeseek.assistant.hub import Hub
from citeseek.errors import InvalidInput, NoConversation
from citeseek.surfaces.rest.documented import read, told, written
from citeseek.surfaces.rest.problems import problem_of
from citeseek.surfaces.rest.shapes import Begun, Message

_STREAM = "text/event-stream"
_PING_SECONDS = 15
_EVENTS = {
    "description": "The events of the answer: `event` is the type, `data` JSON, `id` the number",
    "content": {_STREAM: {"schema": {"$ref": "#/components/schemas/Event"}}},
}


def router(hub: Hub) -> APIRouter:
    """Return the routes of ``/sessions/{session_id}/messages`` and ``/answers``."""
    routes = APIRouter(prefix="/sessions/{session_id}", tags=["answers"])
    asking = told(Begun, takes=Message, status=202, text="It has begun")
    asking["responses"] |= {200: _EVENTS}

    @routes.post("/messages", **asking)
    async def ask(
        session_id: str,
        message: Annotated[Message, Depends(read(Message))],
        accept: Annotated[str, Header()] = "",
    ) -> Response:
        """Ask. With ``Accept: text/event-stream`` the events follow, else only where they are.

        The answer goes on when the connection ends.
        """
        answer = await hub.ask(session_id, message.text)
        place = f"/api/v1/sessions/{session_id}/answers/{answer.id}"
        if _STREAM in accept:
            return _stream(answer, 0, Location=place)
        return written(Begun(answer=answer.id, events=place), 202, Location=place)

    following = told(None)
    following["responses"] |= {200: _EVENTS}

    @routes.get("/answers/{answer_id}", **following)
    async def follow(
        session_id: str,
        answer_id: str,
        last_event_id: Annotated[str, Header()] = "0",
    ) -> Response:
        """Follow an answer from its beginning, or from behind ``Last-Event-ID``."""
        return _stream(found(session_id, answer_id), _number(last_event_id))

    @routes.delete("/answers/{answer_id}", **told(None, status=204, text="It was stopped"))
    async def stop(session_id: str, answer_id: str) -> Response:
        """Stop an answer; what was written until then is kept."""
        await found(session_id, answer_id).end()
        return Response(status_code=204)

    def found(session_id: str, answer_id: str) -> Answer:
        answer = hub.answer(session_id, answer_id)
        if answer is None:
            raise NoConversation(
                "There is no such answer under way, nor one that ended a short while ago.",
                hint=f"What was said is at /api/v1/sessions/{session_id}.",
            )
        return answer

    return routes


def _stream(answer: Answer, after: int, **headers: str) -> Response:
    return EventSourceResponse(_events(answer, after), headers=headers, ping=_PING_SECONDS)


async def _events(answer: Answer, after: int) -> AsyncIterator[ServerSentEvent]:
    async with aclosing(answer.follow(after)) as events:
        async for number, event in events:
            yield _sent(number, event)
    if answer.error is not None:
        shown = msgspec.json.encode(problem_of(answer.error)).decode()
        yield ServerSentEvent(shown, event="error", id=str(len(answer.events) + 1))


def _sent(number: int, event: Event) -> ServerSentEvent:
    kind = type(event).__struct_config__.tag
    return ServerSentEvent(msgspec.json.encode(event).decode(), event=str(kind), id=str(number))


def _number(last_event_id: str) -> int:
    if not (last_event_id.isascii() and last_event_id.isdigit()):
        raise InvalidInput("Last-Event-ID is the number of an event.", hint="Leave it out.")
    return int(last_event_id)
