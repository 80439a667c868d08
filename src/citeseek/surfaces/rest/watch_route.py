"""Answers of a conversation whose sources are read again."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Request
from msgspec import Meta, structs
from starlette.responses import Response

from citeseek.errors import InvalidInput
from citeseek.i18n import Catalogue
from citeseek.live_answers.hub import Hub
from citeseek.source_watch import (
    KeptAnswer,
    WatchedAnswer,
    WatchedAnswers,
    WatchedSource,
    of_conversation,
    read_again,
)
from citeseek.surfaces.rest.documented import describe_route, json_response, read
from citeseek.surfaces.rest.problems import PREFIX
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.disconnect import while_there

MAX_TURNS = 100


class Watched(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which answers of the conversation: those of ``turns``, by default its last 100."""

    turns: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_TURNS)] | None = None


def router(hub: Hub) -> APIRouter:
    """Return the route of ``/sessions/{session_id}/watch``."""
    routes = APIRouter(prefix=f"{PREFIX}/sessions/{{session_id}}", tags=["sessions"])

    @routes.post("/watch", **describe_route(WatchedAnswers, takes=Watched))
    async def watch(
        session_id: str, request: Request, asked: Annotated[Watched, Depends(read(Watched))]
    ) -> Response:
        """Read the sources of answers again; say which no longer say what they were cited for.

        It takes the place of an answer, and stops when the client goes away.
        """
        record = (await hub.open(session_id)).session.record
        known = [turn.id for turn in record.turns]
        wanted = known[-MAX_TURNS:] if asked.turns is None else asked.turns
        for turn_id in wanted:
            if turn_id not in known:
                raise InvalidInput(
                    f"There is no turn {turn_id!r:.60} in this conversation.",
                    values={"case": "no_turn_here", "id": f"{turn_id!r:.60}"},
                )
        client = hub.assistant.clients.current()

        async def work() -> list[WatchedAnswer]:
            kept: list[KeptAnswer] = await asyncio.to_thread(of_conversation, record, wanted)
            return [await read_again(answer, client) for answer in kept]

        with hub.places.one():
            found = await while_there(request, work())
        words = words_for(request)
        return json_response(WatchedAnswers.of(_explain(answer, words) for answer in found))

    return routes


def _explain(answer: WatchedAnswer, words: Catalogue) -> WatchedAnswer:
    """Return ``answer`` with why pages could not be read in ``words``."""
    sources = tuple(_in_words(source, words) for source in answer.sources)
    return structs.replace(answer, sources=sources)


def _in_words(source: WatchedSource, words: Catalogue) -> WatchedSource:
    if source.failure is None:
        return source
    return structs.replace(source, failure=source.failure.translate(words))
