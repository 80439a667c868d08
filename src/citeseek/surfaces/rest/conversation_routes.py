"""Conversations: begin, list, show, change, export, delete; their messages and answers."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, Header, Query
from msgspec import structs
from sse_starlette import ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from citeseek.citations import Source
from citeseek.citations.references import escape_line, source_row
from citeseek.conversations.checked_citations import CheckedCitations
from citeseek.conversations.conversation_record import (
    Choices,
    Record,
    SessionSummary,
    Turn,
    title_of,
)
from citeseek.conversations.store import MAX_QUERY, Store
from citeseek.errors import InvalidInput, NoConversation
from citeseek.i18n import Catalogue, catalogue, language_of
from citeseek.live_answers.hub import Hub
from citeseek.live_answers.live_answer import START, EntryId, LiveAnswer
from citeseek.surfaces.rest.documented import describe_route, event_schema, json_response, read
from citeseek.surfaces.rest.problems import PREFIX, problem_of
from citeseek.surfaces.rest.shapes import (
    Begun,
    FollowUpQuestions,
    Message,
    NewSession,
    Session,
    SessionChange,
    Sessions,
    show_event,
)
from citeseek.surfaces.verdict_text import checked_markdown, judged_markdown
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.cursors import cursor_of, place_of
from citeseek.surfaces.web.event_streams import STREAM, Streams, json_event

MAX_LISTED = 100
_EVENTS = {
    "description": "The events of the answer: `event` is the type, `data` JSON, `id` the number",
    "content": {STREAM: {"schema": event_schema("Event")}},
}


def router(hub: Hub) -> APIRouter:
    """Return the routes of ``/sessions``."""
    routes = APIRouter(prefix=f"{PREFIX}/sessions", tags=["sessions"])

    def running(session_id: str) -> str | None:
        answer = hub.running(session_id)
        return answer.id if answer else None

    @routes.post("", **describe_route(Session, takes=NewSession, status=201))
    async def begin(
        asked: Annotated[NewSession, Depends(read(NewSession))], request: Request
    ) -> Response:
        """Begin a conversation."""
        conversation = await hub.create(
            mode=asked.mode,
            search=asked.search,
            read=asked.read,
            gate=asked.gate,
            agent_id=asked.agent_id,
            choices=asked.choices.over(Choices()),
        )
        shown = Session.of(conversation, None, words_for(request), with_turns=True)
        return json_response(shown, 201, Location=f"{PREFIX}/sessions/{shown.id}")

    @routes.get("", **describe_route(Sessions))
    async def listed(
        limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 50,
        before: str = "",
        q: Annotated[str, Query(max_length=MAX_QUERY)] = "",
    ) -> Response:
        """List the conversations in which something was said, the newest first.

        With ``q`` those alone whose title, questions or answers hold it.
        """
        found = await _list(hub.assistant.store, q.strip(), limit, place_of(before))
        more = len(found) == limit
        return json_response(Sessions(sessions=found, next=cursor_of(found[-1]) if more else None))

    @routes.get("/{session_id}", **describe_route(Session))
    async def show(session_id: str, request: Request) -> Response:
        """Show a conversation with all of its turns."""
        conversation = await hub.open(session_id)
        say = words_for(request)
        return json_response(Session.of(conversation, running(session_id), say, with_turns=True))

    @routes.patch("/{session_id}", **describe_route(Session, takes=SessionChange))
    async def change(
        session_id: str,
        asked: Annotated[SessionChange, Depends(read(SessionChange))],
        request: Request,
    ) -> Response:
        """Change mode, switches, title, choices or the version shown; the next message obeys."""
        choices = None
        if asked.choices is not None:
            now = (await hub.open(session_id)).session.record.choices
            choices = asked.choices.over(now)
        conversation = await hub.change(
            session_id,
            mode=asked.mode,
            search=asked.search,
            read=asked.read,
            gate=asked.gate,
            title=asked.title,
            choices=choices,
            version=asked.version,
        )
        return json_response(Session.of(conversation, running(session_id), words_for(request)))

    @routes.delete("/{session_id}", **describe_route(None, status=204, text="It is gone"))
    async def delete(session_id: str) -> Response:
        """Delete a conversation for good; an answer under way is stopped."""
        await hub.delete(session_id)
        return Response(status_code=204)

    @routes.post("/{session_id}/turns/{turn_id}/check", **describe_route(CheckedCitations))
    async def check(session_id: str, turn_id: str, request: Request) -> Response:
        """Read the pages that an answer cites; say for each citation whether they support it.

        What is found is kept with the answer, in the place of an earlier check.
        """
        return json_response(_explain(await hub.check(session_id, turn_id), words_for(request)))

    exporting = describe_route(None, text="Markdown with links")
    exporting["responses"][200]["content"] = {"text/markdown": {"schema": {"type": "string"}}}

    @routes.get("/{session_id}/export", **exporting)
    async def export(session_id: str, turn: str = "") -> Response:
        """Give the conversation as a Markdown file, or one answer of it."""
        record = (await hub.open(session_id)).session.record
        title, turns = _find_shown(record, turn)
        name = quote(f"{title or 'citeseek'}.md", safe="")
        return Response(
            exported(title, turns),
            media_type="text/markdown; charset=utf-8",
            headers={"Content-Disposition": f"attachment; filename*=UTF-8''{name}"},
        )

    return routes


def answers_router(hub: Hub, streams: Streams) -> APIRouter:
    """Return the routes of ``/sessions/{session_id}/messages`` and ``/answers``."""
    routes = APIRouter(prefix=f"{PREFIX}/sessions/{{session_id}}", tags=["answers"])
    asking = describe_route(Begun, takes=Message, status=202, text="It has begun")
    asking["responses"] |= {200: _EVENTS}

    @routes.post("/messages", **asking)
    async def ask(
        session_id: str,
        message: Annotated[Message, Depends(read(Message))],
        request: Request,
        accept: Annotated[str, Header()] = "",
    ) -> Response:
        """Ask. With ``Accept: text/event-stream`` the events follow, else only where they are.

        The question is kept by then. The answer goes on when the connection ends.
        """
        if STREAM in accept:
            with streams.place() as place:
                answer = await hub.ask(session_id, message.text, instead_of=message.instead_of)
                await answer.wait_for_beginning()
                return place.respond(
                    _events(answer, START, words_for(request)), Location=address(session_id, answer)
                )
        answer = await hub.ask(session_id, message.text, instead_of=message.instead_of)
        await answer.wait_for_beginning()
        events = address(session_id, answer)
        return json_response(Begun(answer=answer.id, events=events), 202, Location=events)

    following = describe_route(None)
    following["responses"] |= {200: _EVENTS}

    @routes.get("/answers/{answer_id}", **following)
    async def follow(
        session_id: str,
        answer_id: str,
        request: Request,
        last_event_id: Annotated[str, Header()] = "0",
    ) -> Response:
        """Follow an answer from its beginning, or from behind ``Last-Event-ID``."""
        after = _entry_id(last_event_id)
        answer = await found(session_id, answer_id)
        return streams.respond(_events(answer, after, words_for(request)))

    @routes.post("/turns/{turn_id}/follow-ups", **describe_route(FollowUpQuestions))
    async def suggest(session_id: str, turn_id: str) -> Response:
        """Ask the model what may be asked next behind an answer; it is kept with that."""
        questions = await hub.suggest(session_id, turn_id)
        return json_response(FollowUpQuestions(questions=questions))

    @routes.delete(
        "/answers/{answer_id}", **describe_route(None, status=204, text="It was stopped")
    )
    async def stop(session_id: str, answer_id: str) -> Response:
        """Stop an answer; what was written until then is kept."""
        await (await found(session_id, answer_id)).end()
        return Response(status_code=204)

    def address(session_id: str, answer: LiveAnswer) -> str:
        return f"{PREFIX}/sessions/{session_id}/answers/{answer.id}"

    async def found(session_id: str, answer_id: str) -> LiveAnswer:
        answer = await hub.answer(session_id, answer_id)
        if answer is None:
            raise NoConversation(
                "There is no such answer under way, nor one that ended a short while ago.",
                hint=f"What was said is at {PREFIX}/sessions/{session_id}.",
            )
        return answer

    return routes


async def _list(
    store: Store, text: str, limit: int, before: tuple[float, str] | None
) -> list[SessionSummary]:
    if not text:
        return await store.list(limit, before)
    return [found.summary for found in await store.search(text, limit, before)]


async def _events(
    answer: LiveAnswer, after: EntryId, say: Catalogue
) -> AsyncGenerator[ServerSentEvent]:
    async with aclosing(answer.follow(after)) as events:
        async for id_, event in events:
            yield json_event(
                str(type(event).__struct_config__.tag), show_event(event, say), str(id_)
            )
    if answer.error is not None:
        behind = EntryId(answer.last_id.first, answer.last_id.second + 1)
        yield json_event("error", problem_of(answer.error, say), str(behind))


def _entry_id(last_event_id: str) -> EntryId:
    if not re.fullmatch(r"[0-9]{1,18}(-[0-9]{1,18})?", last_event_id):
        raise InvalidInput("Last-Event-ID is the id of an event.", hint="Leave it out.")
    return EntryId.of(last_event_id)


def _find_shown(record: Record, turn_id: str) -> tuple[str, list[Turn]]:
    """Return a turn with its question as the title, or all of them without an id.

    Raise NoConversation for one that is not shown.
    """
    if not turn_id:
        return record.title, record.turns
    for turn in record.turns:
        if turn.id == turn_id:
            return title_of(turn.message), [turn]
    raise NoConversation("There is no such turn among those that are shown.")


def exported(title: str, turns: Sequence[Turn]) -> str:
    """Return ``turns`` of a conversation; an answer's links are those that its reader had."""
    parts = [f"# {escape_line(title) or 'Citeseek'}"]
    for turn in turns:
        parts += _turn(turn)
    return "\n\n".join(parts) + "\n"


def _turn(turn: Turn) -> Iterator[str]:
    at = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(turn.at))
    yield f"---\n\n*{turn.mode.capitalize()} · {at} · {escape_line(turn.model)}*"
    yield "\n".join(f"> {escape_line(line)}" for line in turn.message.splitlines())
    say = catalogue(language_of(turn.message))
    for notice in turn.notices:
        told = escape_line(notice.sentence(say)), escape_line(notice.advice(say))
        yield f"*{' '.join(filter(None, told))}*"
    if turn.shown.strip():
        yield turn.shown.strip()
    if section := judged_markdown(turn.judged, say):
        yield section
    if turn.checked:
        yield checked_markdown(turn.checked, say)
    if turn.sources and not turn.references:
        yield f"## {say('sources.heading', count=len(turn.sources))}"
        yield "\n".join(source_row(source, say) for source in turn.sources)
    if turn.reads:
        # Only those that the list above has.
        is_short = turn.mode == "chat" and bool(turn.references)
        listed = [one for one in turn.sources if not is_short or one.number in turn.cited]
        yield "*" + " · ".join(_standings(listed, say)) + "*"


def _standings(sources: Sequence[Source], say: Catalogue) -> Iterator[str]:
    """Yield which sources were read, and which were only found."""
    for key, was_read in (("source.read", True), ("source.found", False)):
        numbers = [f"[{source.number}]" for source in sources if source.was_read is was_read]
        if numbers:
            yield f"{say(key)} {escape_line(' '.join(numbers))}"


def _explain(found: CheckedCitations, say: Catalogue) -> CheckedCitations:
    """Return ``found`` with why pages or the judge failed in the words of ``say``."""
    unread = tuple(
        structs.replace(page, failure=page.failure.translate(say)) for page in found.unread
    )
    judge = found.judge
    if judge and judge.failure:
        judge = structs.replace(judge, failure=judge.failure.translate(say))
    return structs.replace(found, unread=unread, judge=judge)
