"""Reports over HTTP: asked for, followed, listed, cancelled, and their results."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Header, Query, Request
from msgspec import Meta, structs
from sse_starlette import ServerSentEvent
from starlette.responses import Response

from citeseek.browser.pdf_printer import ResidentPdfPrinter
from citeseek.concurrency.admission import Places
from citeseek.errors import Busy, CiteseekError, InvalidInput, NoReport
from citeseek.faces import AUTO
from citeseek.fetching.own_file import OwnFile
from citeseek.i18n import Catalogue
from citeseek.jobs.report_job import ReportJob, ReportOrder, State
from citeseek.jobs.reports import Reports
from citeseek.language_model.model import check_model
from citeseek.live_answers.hub import Hub
from citeseek.research import Progress, RunError
from citeseek.research.inquiry import MAX_DEPTH, MAX_SECONDS, MAX_SOURCES, MIN_SECONDS
from citeseek.searching.engine_registry import fold_name
from citeseek.surfaces.page.report_print import printed_report
from citeseek.surfaces.rest.direct_report import answer_whole, stream, work_for
from citeseek.surfaces.rest.documented import (
    describe_route,
    event_schema,
    json_response,
    read,
    streams_too,
)
from citeseek.surfaces.rest.problems import PREFIX, problem_of, run_problem
from citeseek.surfaces.web.accepted_language import read_preferred, words_for
from citeseek.surfaces.web.cursors import cursor_of, place_of
from citeseek.surfaces.web.error_formats import failure
from citeseek.surfaces.web.event_streams import STREAM, Streams, json_event

MAX_LISTED = 100
MARKDOWN = "text/markdown"
PDF = "application/pdf"
# How soon one that waits for a result may ask again.
_RETRY_SECONDS = 2.0
# RFC 7240: "wait=10", and of a caller that waits for as long as it takes, "wait".
_WAIT = re.compile(r"(?:^|[,;])\s*wait(?:\s*=\s*\"?(\d{1,9})\"?)?\s*(?=[,;]|$)", re.IGNORECASE)


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

    def order(self) -> ReportOrder:
        """Return what is asked for."""
        return ReportOrder(**structs.asdict(self))


class ReportShown(msgspec.Struct, frozen=True, kw_only=True):
    """How a report stands; times are seconds since 1970.

    ``progress`` is what it was busy with last, ``attempt`` how often it was begun, ``error`` why
    it failed. ``events`` and ``result`` are addresses.
    """

    id: str
    state: State
    question: str
    created_at: float
    updated_at: float
    attempt: int
    progress: Progress | None
    error: RunError | None
    events: str
    result: str

    @classmethod
    def of(cls, job: ReportJob, say: Catalogue) -> ReportShown:
        """Return what the API shows of a report, in the words of ``say``."""
        address = _address(job)
        return cls(
            id=job.id,
            state=job.state,
            question=job.order.question,
            created_at=job.created_at,
            updated_at=job.updated_at,
            attempt=job.attempt,
            progress=job.progress,
            error=job.error.translate(say) if job.error else None,
            events=f"{address}/events",
            result=f"{address}/result",
        )


class ReportsShown(msgspec.Struct, frozen=True, kw_only=True):
    """A page of reports, the newest first; ``next`` is the ``before`` of the page after."""

    reports: list[ReportShown]
    next: str | None


def asking_router(hub: Hub, streams: Streams, places: Places, reports: Reports) -> APIRouter:
    """Return the route that asks for a report; ``places`` are for those who wait for theirs."""
    routes = APIRouter(prefix=PREFIX, tags=["research"])
    about = describe_route(ReportShown, takes=Question, status=202, text="It is kept and queued")
    whole = describe_route(dict[str, Any], text="The run result (docs/research.md)")
    streams_too(
        whole, "with `Accept: text/event-stream` `progress` events, then a `result` or an `error`"
    )
    about["responses"] |= {200: whole["responses"][200]}

    @routes.post("/research", **about)
    async def ask(
        request: Request,
        asked: Annotated[Question, Depends(read(Question))],
        accept: Annotated[str, Header()] = "",
        prefer: Annotated[str, Header()] = "",
    ) -> Response:
        """Ask for a report, which goes on when the connection ends.

        With `Prefer: wait` the answer is the report itself, of which nothing is kept: it is stopped
        when the client goes away. `wait=60` bounds `seconds` as well. With `Accept:
        text/event-stream` its progress is told on the way. A run that was not ok is a problem, with
        the run result as its `run`.
        """
        order = asked.order()
        client = hub.assistant.clients.current()
        if order.model is not None:
            await check_model(client.settings, order.model)
        files: tuple[OwnFile, ...] = ()
        if order.session is not None:
            files = (await hub.open(order.session)).session.record.files
        for name in order.engines:
            if fold_name(name) != AUTO:
                client.registry.get(name)
        order.inquiry()
        waits = _WAIT.search(prefer)
        if not waits and STREAM not in accept:
            job = await reports.ask(order)
            return json_response(
                ReportShown.of(job, words_for(request)), 202, Location=_address(job)
            )
        work = work_for(_within(order, waits), client, files)
        if STREAM in accept:
            with streams.place() as place:
                places.take()
                return place.respond(stream(work, words_for(request)), over=places.leave)
        with places.one():
            return await answer_whole(request, work)

    return routes


def router(reports: Reports) -> APIRouter:
    """Return the routes that list reports, show how one stands, and end it."""
    routes = APIRouter(prefix=f"{PREFIX}/research", tags=["research"])

    @routes.get("", **describe_route(ReportsShown))
    async def listed(
        request: Request,
        limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 50,
        before: str = "",
    ) -> Response:
        """List the reports, those that were asked for last first."""
        found = await reports.list(limit, place_of(before))
        cursor = cursor_of(found[-1]) if len(found) == limit else None
        say = words_for(request)
        shown = [ReportShown.of(job, say) for job in found]
        return json_response(ReportsShown(reports=shown, next=cursor))

    @routes.get("/{report_id}", **describe_route(ReportShown))
    async def show(request: Request, report_id: str) -> Response:
        """Show how a report stands."""
        return json_response(ReportShown.of(await reports.get(report_id), words_for(request)))

    ending = describe_route(ReportShown, text="It was cancelled")
    ending["responses"] |= {204: {"description": "It had ended, and is gone"}}

    @routes.delete("/{report_id}", **ending)
    async def end(request: Request, report_id: str) -> Response:
        """Cancel a report that has not ended; delete one that has for good."""
        if (await reports.get(report_id)).is_open:
            job = await reports.cancel(report_id)
            return json_response(ReportShown.of(job, words_for(request)))
        await reports.forget(report_id)
        return Response(status_code=204)

    return routes


def reading_router(streams: Streams, reports: Reports, printer: ResidentPdfPrinter) -> APIRouter:
    """Return the routes of a report's events and of its result, which ``printer`` prints."""
    routes = APIRouter(prefix=f"{PREFIX}/research/{{report_id}}", tags=["research"])
    following = describe_route(None)
    following["responses"] |= {
        200: {
            "description": "`progress` events, then `done` with how the report stands",
            "content": {STREAM: {"schema": event_schema()}},
        },
        204: {"description": "There is nothing behind the last event"},
    }

    @routes.get("/events", **following)
    async def follow(
        request: Request, report_id: str, last_event_id: Annotated[str, Header()] = "0"
    ) -> Response:
        """Follow a report from its beginning, or from behind `Last-Event-ID`, to its end."""
        after = _number(last_event_id)
        if await reports.is_over(report_id, after):
            # A browser's EventSource would come again and again.
            return Response(status_code=204)
        return streams.respond(_events(reports, report_id, after, words_for(request)))

    giving = describe_route(dict[str, Any], text="The run result (docs/research.md)")
    text = {"schema": {"type": "string"}}
    giving["responses"][200]["content"][MARKDOWN] = text
    giving["responses"][200]["content"][PDF] = {"schema": {"type": "string", "format": "binary"}}

    @routes.get("/result", **giving)
    async def result(
        request: Request,
        report_id: str,
        accept: Annotated[str, Header()] = "",
        format: Literal["json", "markdown", "pdf"] | None = None,  # noqa: A002 - its name on the wire
    ) -> Response:
        """Give the report as JSON, or as Markdown or PDF with `format` or by `Accept`.

        A PDF needs a browser on this machine (`browser_missing`). One that failed is a problem,
        with the run result as its `run`; one that has not ended is 409 with `Retry-After`.
        """
        job = await reports.get(report_id)
        run = await reports.result(report_id)
        if job.error is not None:
            return failure(request.url.path, run_problem(job.error, run, words_for(request)))
        if run is None:
            raise _no_result(job)
        if format == "pdf" or (format is None and PDF in accept):
            lang = read_preferred(request.headers.get("accept-language", ""))
            pdf = await printer.print(await asyncio.to_thread(printed_report, run, lang))
            name = {"Content-Disposition": f'inline; filename="report-{report_id}.pdf"'}
            return Response(pdf, media_type=PDF, headers=name)
        if format == "markdown" or (format is None and MARKDOWN in accept):
            return Response(run["artifacts"]["report"]["text"], media_type=MARKDOWN)
        return json_response(run)

    return routes


async def _events(
    reports: Reports, report_id: str, after: int, say: Catalogue
) -> AsyncGenerator[ServerSentEvent]:
    try:
        async with aclosing(reports.follow(report_id, after)) as events:
            async for number, event in events:
                if isinstance(event, Progress):
                    yield json_event("progress", event, str(number))
                else:
                    yield json_event("done", ReportShown.of(event, say), str(number))
    except CiteseekError as error:
        yield json_event("error", problem_of(error, say))


def _within(order: ReportOrder, waits: re.Match[str] | None) -> ReportOrder:
    """Return ``order`` for a caller who waits no longer than so many seconds."""
    if waits is None or waits[1] is None:
        return order
    bound = min(max(float(waits[1]), MIN_SECONDS), MAX_SECONDS)
    return structs.replace(order, seconds=min(order.seconds or bound, bound))


def _no_result(job: ReportJob) -> CiteseekError:
    if job.is_open:
        return Busy(
            "The report has not ended yet.",
            hint=f"Ask again, or follow it at {_address(job)}/events.",
            detail_code="report_unfinished",
            retry_after=_RETRY_SECONDS,
            values={"case": "unfinished", "events": f"{_address(job)}/events"},
        )
    return NoReport(
        "The report was cancelled.", hint="Ask for it again.", values={"case": "cancelled"}
    )


def _address(job: ReportJob) -> str:
    return f"{PREFIX}/research/{job.id}"


def _number(last_event_id: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", last_event_id):
        raise InvalidInput("Last-Event-ID is the number of an event.", hint="Leave it out.")
    return int(last_event_id)
