"""Reports on the page: asked for, listed with how they stand, followed, and read."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter
from markupsafe import Markup
from sse_starlette import ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from citeseek.errors import CiteseekError, NoReport
from citeseek.jobs.report_job import ReportJob
from citeseek.jobs.reports import Reports
from citeseek.research.inquiry import DEPTH, MAX_DEPTH, MAX_SOURCES, SOURCES
from citeseek.surfaces.page.readers import Readers, page_response, theme_of
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.page.report_body import report_body
from citeseek.surfaces.web.cursors import place_of
from citeseek.surfaces.web.event_streams import Streams, json_event

MAX_LISTED = 50
_READ = ["GET", "HEAD"]


def reports_router(reports: Reports, streams: Streams, readers: Readers) -> APIRouter:
    """Return the pages of ``reports`` under ``/reports``, which ask for them over the API."""
    pages = _ReportPages(reports, streams, readers)
    router = APIRouter(prefix="/reports", include_in_schema=False)
    router.add_api_route("", pages.listed, methods=_READ)
    router.add_api_route("/rows", pages.older, methods=["GET"])
    router.add_api_route("/events", pages.list_events, methods=["GET"])
    router.add_api_route("/{report_id}", pages.one, methods=_READ)
    router.add_api_route("/{report_id}/events", pages.one_events, methods=["GET"])
    return router


class _ReportPages:
    def __init__(self, reports: Reports, streams: Streams, readers: Readers) -> None:
        self._reports = reports
        self._streams = streams
        self._readers = readers

    async def listed(self, request: Request) -> Response:
        """Show the newest reports, and where to ask for one."""
        jobs = await self._reports.list(MAX_LISTED)
        rendering = self._readers.rendering(request)
        html = rendering.fill(
            "reports.html",
            rows=Markup(_rows(jobs, rendering)),  # noqa: S704 - our own template
            count=len(jobs),
            most=MAX_LISTED,
            sources=SOURCES,
            max_sources=MAX_SOURCES,
            depth=DEPTH,
            max_depth=MAX_DEPTH,
            theme=theme_of(request),
            demo=self._readers.finds_examples(),
        )
        return page_response(html, request)

    async def older(self, request: Request, before: str) -> Response:
        """Show the rows behind ``before``."""
        jobs = await self._reports.list(MAX_LISTED, place_of(before))
        response = page_response(_rows(jobs, self._readers.rendering(request)), request)
        response.headers["X-More"] = "true" if len(jobs) == MAX_LISTED else "false"
        return response

    async def one(self, request: Request, report_id: str) -> Response:
        """Show a report, or how far it is."""
        rendering = self._readers.rendering(request)
        theme = theme_of(request)
        try:
            job = await self._reports.get(report_id)
            run = await self._reports.result(report_id)
        except NoReport:
            return page_response(rendering.not_found(theme), request, 404)
        body = report_body(run, rendering.labels) if job.state == "finished" and run else ""
        html = rendering.fill(
            "kept_report.html",
            job=job,
            row=Markup(_row(job, rendering)),  # noqa: S704 - our own template
            body=Markup(body),  # noqa: S704 - sanitised
            theme=theme,
            demo=self._readers.finds_examples(),
        )
        return page_response(html, request)

    async def list_events(self, request: Request) -> Response:
        """Send what changes in the list."""
        return self._streams.respond(
            _news(self._reports.watch(MAX_LISTED), self._readers.rendering(request))
        )

    async def one_events(self, request: Request, report_id: str) -> Response:
        """Send what changes in how one report stands, until it has ended."""
        await self._reports.get(report_id)
        return self._streams.respond(
            _news(self._one(report_id), self._readers.rendering(request), is_all=False)
        )

    async def _one(self, report_id: str) -> AsyncGenerator[Sequence[ReportJob]]:
        async with aclosing(self._reports.watch_one(report_id)) as jobs:
            async for job in jobs:
                yield [job]


async def _news(
    lists: AsyncGenerator[Sequence[ReportJob]], rendering: Rendering, *, is_all: bool = True
) -> AsyncGenerator[ServerSentEvent]:
    """Yield the order of the rows with those that changed; ``gone`` when nothing more will come."""
    shown: dict[str, str] = {}
    try:
        async with aclosing(lists):
            async for jobs in lists:
                rows = {job.id: _row(job, rendering) for job in jobs}
                changed = {id_: html for id_, html in rows.items() if shown.get(id_) != html}
                shown = rows
                data: dict[str, Any] = {"order": list(rows), "rows": changed, "all": is_all}
                yield json_event("rows", data)
    except NoReport:
        pass
    except CiteseekError:
        # The database is away: who comes again finds it.
        return
    yield json_event("gone", {})


def _rows(jobs: Sequence[ReportJob], rendering: Rendering) -> str:
    return "\n".join(_row(job, rendering) for job in jobs)


def _row(job: ReportJob, rendering: Rendering) -> str:
    error = job.error
    why = rendering.words.sentence(error) if error else ""
    asked_at = datetime.fromtimestamp(job.created_at, UTC)
    return rendering.fill("report_row.html", job=job, why=why, asked_at=asked_at)
