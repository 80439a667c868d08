"""A report that its caller waits for: whole at its end, or with its progress on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

from fastapi import Request
from sse_starlette import ServerSentEvent
from starlette.responses import Response

from citeseek.assistant.report_writer import writer_of
from citeseek.client import Client
from citeseek.errors import CiteseekError
from citeseek.fetching.own_file import OwnFile
from citeseek.i18n import Catalogue
from citeseek.jobs.report_job import ReportOrder
from citeseek.research import Progress, RunResult, research
from citeseek.research.gathering import Watch
from citeseek.surfaces.rest.documented import json_response
from citeseek.surfaces.rest.problems import problem_of, run_problem
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.error_formats import failure
from citeseek.surfaces.web.event_streams import json_event

Work = Callable[[Watch], Coroutine[Any, Any, RunResult]]


def work_for(order: ReportOrder, client: Client, files: Sequence[OwnFile]) -> Work:
    """Return the run that ``order`` asks for, whose sources ``files`` are as well.

    Raise InvalidInput before it begins.
    """
    inquiry = order.inquiry()

    async def work(watch: Watch) -> RunResult:
        # With a model the libraries take a moment to be loaded.
        writer = await asyncio.to_thread(writer_of, client.settings, order.model)
        try:
            return await research(
                inquiry, client, engines=order.engines, files=files, writer=writer, watch=watch
            )
        finally:
            if writer:
                await writer.close()

    return work


async def answer_whole(request: Request, work: Work) -> Response:
    """Answer with the run result; the run is stopped when the client goes away."""
    result = await while_there(request, work(lambda _: None))
    if result.error is None:
        return json_response(result.as_json(), 200, **{"Preference-Applied": "wait"})
    problem = run_problem(result.error, result.as_json(), words_for(request))
    return failure(request.url.path, problem)


async def stream(work: Work, say: Catalogue) -> AsyncGenerator[ServerSentEvent]:
    """Yield progress and then the result, or the problem in the words of ``say``.

    Who stops listening stops the run.
    """
    try:
        async with aclosing(_follow(work)) as events:
            async for event in events:
                if isinstance(event, Progress):
                    yield json_event("progress", event)
                elif event.error is None:
                    yield json_event("result", event.as_json())
                else:
                    yield json_event("error", run_problem(event.error, event.as_json(), say))
    except CiteseekError as error:
        yield json_event("error", problem_of(error, say))


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
