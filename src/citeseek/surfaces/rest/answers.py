"""Messages and their answers, as server-sent events that can be resumed."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Depends, Header
from sse_starlette import ServerSentEvent
from starlette.responses import Response

from citeseek.assistant.answer_task import Answer
from citeseek.assistant.conversations import Hub
from citeseek.errors import InvalidInput, NoConversation
from citeseek.surfaces.rest.documented import event_schema, read, told, written
from citeseek.surfaces.rest.problems import PREFIX, problem_of
from citeseek.surfaces.rest.shapes import Begun, Message, shown
from citeseek.surfaces.web.event_lines import STREAM
from citeseek.surfaces.web.event_streams import Streams, sent

_EVENTS = {
    "description": "The events of the answer: `event` is the type, `data` JSON, `id` the number",
    "content": {STREAM: {"schema": event_schema("Event")}},
}


def router(hub: Hub, streams: Streams) -> APIRouter:
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

        The question is kept by then. The answer goes on when the connection ends.
        """
        if STREAM in accept:
            with streams.place() as place:
                answer = await hub.ask(session_id, message.text)
                await answer.begun()
                return place.respond(_events(answer, 0), Location=address(session_id, answer))
        answer = await hub.ask(session_id, message.text)
        await answer.begun()
        events = address(session_id, answer)
        return written(Begun(answer=answer.id, events=events), 202, Location=events)

    following = told(None)
    following["responses"] |= {200: _EVENTS}

    @routes.get("/answers/{answer_id}", **following)
    async def follow(
        session_id: str,
        answer_id: str,
        last_event_id: Annotated[str, Header()] = "0",
    ) -> Response:
        """Follow an answer from its beginning, or from behind ``Last-Event-ID``."""
        answer = found(session_id, answer_id)
        return streams.respond(_events(answer, _number(last_event_id)))

    @routes.delete("/answers/{answer_id}", **told(None, status=204, text="It was stopped"))
    async def stop(session_id: str, answer_id: str) -> Response:
        """Stop an answer; what was written until then is kept."""
        await found(session_id, answer_id).end()
        return Response(status_code=204)

    def address(session_id: str, answer: Answer) -> str:
        return f"{PREFIX}/sessions/{session_id}/answers/{answer.id}"

    def found(session_id: str, answer_id: str) -> Answer:
        answer = hub.answer(session_id, answer_id)
        if answer is None:
            raise NoConversation(
                "There is no such answer under way, nor one that ended a short while ago.",
                hint=f"What was said is at {PREFIX}/sessions/{session_id}.",
            )
        return answer

    return routes


async def _events(answer: Answer, after: int) -> AsyncGenerator[ServerSentEvent]:
    async with aclosing(answer.follow(after)) as events:
        async for number, event in events:
            yield sent(str(type(event).__struct_config__.tag), shown(event), str(number))
    if answer.error is not None:
        yield sent("error", problem_of(answer.error), str(len(answer.events) + 1))


def _number(last_event_id: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", last_event_id):
        raise InvalidInput("Last-Event-ID is the number of an event.", hint="Leave it out.")
    return int(last_event_id)
