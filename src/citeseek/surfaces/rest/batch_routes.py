"""Batches over HTTP: given as JSON Lines, followed, listed, cancelled, and their answers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Query
from sse_starlette import ServerSentEvent
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from citeseek.errors import Busy, CiteseekError, InvalidInput
from citeseek.faces import AUTO
from citeseek.i18n import Catalogue
from citeseek.jobs.batch_answering import Command
from citeseek.jobs.batch_files import Asked
from citeseek.jobs.batch_job import AT_ONCE, MAX_AT_ONCE, BatchJob, BatchOrder, BatchState
from citeseek.jobs.batches import Batches, read_questions
from citeseek.language_model.model import check_model
from citeseek.live_answers.hub import Hub
from citeseek.searching.engine_registry import fold_name
from citeseek.surfaces.rest.documented import describe_route, event_schema, json_response
from citeseek.surfaces.rest.problems import PREFIX, problem_of
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.cursors import cursor_of, place_of
from citeseek.surfaces.web.event_streams import STREAM, Streams, json_event
from citeseek.surfaces.web.refusal_texts import RouteRefusal

MAX_LISTED = 100
JSON_LINES = "application/jsonl"
# Lines that are no question, as they are told to whoever gave them; all are in the answers.
MAX_FAULTS = 20
# Whoever sends nothing for so long sends no more.
_PIECE_SECONDS = 30.0
# How soon one that waits for the answers may ask again.
_RETRY_SECONDS = 2.0
_LINES = {JSON_LINES: {"schema": {"type": "string"}}}


class LineFault(msgspec.Struct, frozen=True, kw_only=True):
    """Why a line is no question; its answer is that error, and nothing is asked for it."""

    line: int
    code: str
    message: str


class BatchShown(msgspec.Struct, frozen=True, kw_only=True):
    """How a batch stands; times are seconds since 1970.

    ``done`` of ``total`` lines are answered, ``failed`` of them by an error. ``rate`` is lines a
    second of late, or in all when it has ended, ``seconds_left`` what the rest takes at that rate,
    null where it is not known or nothing is left. ``events`` and ``result`` are addresses.
    """

    id: str
    state: BatchState
    command: Command
    created_at: float
    updated_at: float
    total: int
    done: int
    failed: int
    rate: float
    seconds_left: float | None
    events: str
    result: str

    @classmethod
    def of(cls, job: BatchJob) -> BatchShown:
        """Return what the API shows of a batch."""
        return cls(**_shown(job))


class BatchGiven(BatchShown, frozen=True, kw_only=True):
    """A batch that was taken on; ``invalid`` of its lines are no questions, the first are named."""

    invalid: int
    faults: list[LineFault]


class BatchesShown(msgspec.Struct, frozen=True, kw_only=True):
    """A page of batches, the newest first; ``next`` is the ``before`` of the page after."""

    batches: list[BatchShown]
    next: str | None


class _Faults:
    """The lines of a batch that are no questions, counted while they arrive."""

    def __init__(self) -> None:
        self.count = self.lines = 0
        self.first: list[LineFault] = []

    async def watch(self, questions: AsyncIterator[Asked]) -> AsyncIterator[Asked]:
        """Yield ``questions``; raise InvalidInput in their end where all of them are none."""
        async for asked in questions:
            self.lines += 1
            if asked.fault:
                self.count += 1
                if len(self.first) < MAX_FAULTS:
                    fault = LineFault(line=asked.line, code="InvalidInput", message=asked.fault)
                    self.first.append(fault)
            yield asked
        if self.lines and self.count == self.lines:
            told = "; ".join(f"line {each.line}: {each.message}" for each in self.first[:3])
            raise InvalidInput(
                "No line is a question.", hint=f"{told} Send JSON Lines, a question in each."
            )


def batches_router(hub: Hub, batches: Batches, *, max_bytes: int) -> APIRouter:
    """Return the routes that take on a batch of at most ``max_bytes``, list and end them."""
    routes = APIRouter(prefix=f"{PREFIX}/batches", tags=["batches"])
    about = describe_route(BatchGiven, status=202, text="It is kept and queued")
    about["openapi_extra"] = {"requestBody": {"required": True, "content": _LINES}}

    @routes.post("", **about)
    async def give(
        request: Request,
        command: Command,
        engine: Annotated[list[str] | None, Query(max_length=20)] = None,
        model: Annotated[str | None, Query(max_length=200)] = None,
        at_once: Annotated[int, Query(ge=1, le=MAX_AT_ONCE)] = AT_ONCE,
    ) -> Response:
        """Answer each line of the body, which is JSON Lines, by `command`.

        A line is a text, or an object with the text under `query` (`search`), `question` (`ask`,
        `research`) or `url` (`fetch`) and more beside it. `engine` (repeatable) is asked instead of
        those of the settings, `model` answers instead of theirs. `at_once` lines of a part are
        answered side by side. A line that is no question is answered by an error.
        """
        usual = await _usual(hub, command, engine or [], model)
        order = BatchOrder(command=command, usual=usual, at_once=at_once)
        faults = _Faults()
        questions = read_questions(_body(request, max_bytes), command)
        try:
            job = await batches.give(order, faults.watch(questions))
        except ClientDisconnect:
            raise InvalidInput("The body ended before its end.") from None
        given = BatchGiven(**_shown(job), invalid=faults.count, faults=faults.first)
        return json_response(given, 202, Location=_address(job))

    @routes.get("", **describe_route(BatchesShown))
    async def listed(
        limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 50, before: str = ""
    ) -> Response:
        """List the batches, those that were given last first."""
        found = await batches.list(limit, place_of(before))
        cursor = cursor_of(found[-1]) if len(found) == limit else None
        return json_response(BatchesShown(batches=list(map(BatchShown.of, found)), next=cursor))

    @routes.get("/{batch_id}", **describe_route(BatchShown))
    async def show(batch_id: str) -> Response:
        """Show how a batch stands."""
        return json_response(BatchShown.of(await batches.get(batch_id)))

    ending = describe_route(BatchShown, text="It was cancelled")
    ending["responses"] |= {204: {"description": "It had ended, and is gone"}}

    @routes.delete("/{batch_id}", **ending)
    async def end(batch_id: str) -> Response:
        """Cancel a batch that has not ended; delete one that has for good."""
        if (await batches.get(batch_id)).is_open:
            return json_response(BatchShown.of(await batches.cancel(batch_id)))
        await batches.forget(batch_id)
        return Response(status_code=204)

    return routes


def answers_router(streams: Streams, batches: Batches) -> APIRouter:
    """Return the routes of a batch's events and of its answers."""
    routes = APIRouter(prefix=f"{PREFIX}/batches/{{batch_id}}", tags=["batches"])
    following = describe_route(None)
    following["responses"] |= {
        200: {
            "description": "`progress` events, then `done`, both with how the batch stands",
            "content": {STREAM: {"schema": event_schema()}},
        },
        204: {"description": "There is nothing behind the last event"},
    }

    @routes.get("/events", **following)
    async def follow(
        request: Request, batch_id: str, last_event_id: Annotated[str, Header()] = ""
    ) -> Response:
        """Follow a batch from now on, or from behind `Last-Event-ID`, to its end."""
        after = _number(last_event_id)
        job = await batches.get(batch_id)
        if not job.is_open and after > job.total:
            # A browser's EventSource would come again and again.
            return Response(status_code=204)
        return streams.respond(_events(batches, batch_id, after, words_for(request)))

    giving = describe_route(None, text="A line for each question, in their order")
    giving["responses"][200]["content"] = _LINES

    @routes.get("/result", **giving)
    async def result(batch_id: str, *, partial: bool = False) -> Response:
        """Give the answers as JSON Lines, in the order of the questions.

        One that has not ended is 409 with `Retry-After`; with `partial` it gives what is answered
        so far, as does one that was cancelled.
        """
        job = await batches.get(batch_id)
        if job.is_open and not partial:
            raise Busy(
                "The batch has not ended yet.",
                hint=f"Ask again, follow it at {_address(job)}/events, or take what is done with "
                "partial=true.",
                detail_code="batch_unfinished",
                retry_after=_RETRY_SECONDS,
                values={"case": "unfinished", "events": f"{_address(job)}/events"},
            )
        return StreamingResponse(batches.answers(job), media_type=JSON_LINES)

    return routes


async def _body(request: Request, most: int) -> AsyncIterator[bytes]:
    """Yield the body as it arrives; raise what becomes 413 and 408."""
    seen = int(request.headers.get("content-length", "0"))
    if seen > most:
        raise _too_large(most)
    seen = 0
    async with aclosing(request.stream()) as pieces:
        while True:
            try:
                async with asyncio.timeout(_PIECE_SECONDS):
                    piece = await anext(pieces, None)
            except TimeoutError:
                raise RouteRefusal(HTTPStatus.REQUEST_TIMEOUT, "body_too_slow") from None
            if piece is None:
                return
            seen += len(piece)
            if seen > most:
                raise _too_large(most)
            yield piece


def _too_large(most: int) -> RouteRefusal:
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return RouteRefusal(status, "body_too_large", most=f"{most:,}")


async def _usual(
    hub: Hub, command: Command, engines: list[str], model: str | None
) -> dict[str, Any]:
    """Return what holds for all lines; raise InvalidInput for what none of them could be asked."""
    client = hub.assistant.clients.current()
    usual: dict[str, Any] = {}
    if engines:
        if command == "fetch":
            raise InvalidInput("A page is read at its address: leave engine out.")
        for name in engines:
            if fold_name(name) != AUTO:
                client.registry.get(name)
        usual["engines"] = engines
    if model is not None:
        if command not in ("ask", "research"):
            raise InvalidInput(f"No model answers a {command}: leave model out.")
        await check_model(client.settings, model)
        usual["model"] = model
    return usual


async def _events(
    batches: Batches, batch_id: str, after: int, say: Catalogue
) -> AsyncGenerator[ServerSentEvent]:
    try:
        async with aclosing(batches.follow(batch_id, after)) as jobs:
            async for job in jobs:
                if job.is_open:
                    yield json_event("progress", BatchShown.of(job), str(job.done))
                else:
                    yield json_event("done", BatchShown.of(job), str(job.total + 1))
    except CiteseekError as error:
        yield json_event("error", problem_of(error, say))


def _shown(job: BatchJob) -> dict[str, Any]:
    left = job.seconds_left
    return {
        "id": job.id,
        "state": job.state,
        "command": job.order.command,
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        "total": job.total,
        "done": job.done,
        "failed": job.failed,
        "rate": round(job.rate, 3),
        "seconds_left": None if left is None else round(left, 3),
        "events": f"{_address(job)}/events",
        "result": f"{_address(job)}/result",
    }


def _address(job: BatchJob) -> str:
    return f"{PREFIX}/batches/{job.id}"


def _number(last_event_id: str) -> int:
    if not last_event_id:
        return -1
    if not re.fullmatch("[0-9]{1,12}", last_event_id):
        raise InvalidInput("Last-Event-ID is the number of an event.", hint="Leave it out.")
    return int(last_event_id)
