"""A report over HTTP: whole at its end, or with its progress as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Header, Request
from msgspec import Meta
from sse_starlette import ServerSentEvent
from starlette.responses import Response

from citeseek.assistant.hub import Hub
from citeseek.assistant.report_writer import writer_of
from citeseek.client import Client
from citeseek.concurrency.admission import Places
from citeseek.errors import CiteseekError
from citeseek.faces import AUTO
from citeseek.fetching.own_file import OwnFile
from citeseek.language_model.model import check_model
from citeseek.research import Inquiry, Progress, RunResult, research
from citeseek.research.gathering import Watch
from citeseek.research.inquiry import MAX_DEPTH, MAX_SECONDS, MAX_SOURCES, MIN_SECONDS
from citeseek.searching.engine_registry import fold_name
from citeseek.surfaces.rest.documented import describe_route, json_response, read, streams_too
from citeseek.surfaces.rest.problems import problem_of, run_problem
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.error_formats import failure
from citeseek.surfaces.web.event_streams import STREAM, Streams, json_event

Work = Callable[[Watch], Awaitable[RunResult]]


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a report is to answer, and how far it may go.

    ``max_sources`` is the number of pages that it may rest on (5 by default), ``depth`` the rounds
    of searching (1). After ``seconds`` no further page is waited for. ``engines`` are asked instead
    of those of the settings; ``model`` plans and writes, ``extractive`` is none. The files of the
    conversation ``session`` are sources beside the pages.
    """

    question: Annotated[str, Meta(min_length=1, max_length=4_000)]
    max_sources: Annotated[int, Meta(ge=1, le=MAX_SOURCES)] | None = None
    depth: Annotated[int, Meta(ge=1, le=MAX_DEPTH)] | None = None
    seconds: Annotated[float, Meta(ge=MIN_SECONDS, le=MAX_SECONDS)] | None = None
    engines: Annotated[tuple[str, ...], Meta(max_length=20)] = ()
    model: Annotated[str, Meta(max_length=200)] | None = None
    session: Annotated[str, Meta(max_length=64)] | None = None


def router(hub: Hub, streams: Streams, places: Places) -> APIRouter:
    """Return the route of ``/research``."""
    routes = APIRouter(tags=["research"])
    about = describe_route(dict[str, Any], takes=Question, text="The run result (docs/research.md)")
    streams_too(
        about, "with `Accept: text/event-stream` `progress` events, then a `result` or an `error`"
    )

    @routes.post("/research", **about)
    async def report(
        request: Request,
        asked: Annotated[Question, Depends(read(Question))],
        accept: Annotated[str, Header()] = "",
    ) -> Response:
        """Write a report; with ``Accept: text/event-stream`` its progress is told on the way.

        The run is stopped when the client goes away. One that was not ok is a problem, with the run
        result as its ``run``.
        """
        client = hub.assistant.clients.current()
        if asked.model is not None:
            await check_model(client.settings, asked.model)
        files: tuple[OwnFile, ...] = ()
        if asked.session is not None:
            files = (await hub.open(asked.session)).session.record.files
        work = _work(client, asked, files)
        if STREAM in accept:
            with streams.place() as place:
                places.take()
                return place.respond(_events(work), over=places.leave)
        with places.one():
            result = await while_there(request, _whole(work))
        if result.error is None:
            return json_response(result.as_json())
        return failure(request.url.path, run_problem(result))

    return routes


def _work(client: Client, asked: Question, files: Sequence[OwnFile]) -> Work:
    """Return the run that is asked for; raise InvalidInput before it begins."""
    inquiry = Inquiry.of(
        asked.question,
        max_sources=asked.max_sources,
        depth=asked.depth,
        seconds=asked.seconds,
    )
    for name in asked.engines:
        if fold_name(name) != AUTO:
            client.registry.get(name)

    async def work(watch: Watch) -> RunResult:
        # With a model the libraries take a moment to be loaded.
        writer = await asyncio.to_thread(writer_of, client.settings, asked.model)
        try:
            return await research(
                inquiry, client, engines=asked.engines, files=files, writer=writer, watch=watch
            )
        finally:
            if writer:
                await writer.close()

    return work


async def _whole(work: Work) -> RunResult:
    return await work(lambda _: None)


async def _events(work: Work) -> AsyncGenerator[ServerSentEvent]:
    try:
        async with aclosing(_follow(work)) as events:
            async for event in events:
                if isinstance(event, Progress):
                    yield json_event("progress", event)
                elif event.error is None:
                    yield json_event("result", event.as_json())
                else:
                    yield json_event("error", run_problem(event))
    except CiteseekError as error:
        yield json_event("error", problem_of(error))


async def _follow(work: Work) -> AsyncGenerator[Progress | RunResult]:
    """Yield how far the run is, and in the end its result; whoever stops listening stops it."""
    so_far: asyncio.Queue[Progress | None] = asyncio.Queue()

    async def run() -> RunResult:
        try:
            return await work(so_far.put_nowait)
        finally:
            so_far.put_nowait(None)

    task = asyncio.create_task(run())
    try:
        while (progress := await so_far.get()) is not None:
            yield progress
        yield await task
    finally:
        task.cancel()
        await asyncio.wait([task])
