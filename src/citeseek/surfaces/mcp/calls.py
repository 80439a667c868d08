"""One call of a tool: what a model is given to read, and what a program is given."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import mcp_types as types
from msgspec import to_builtins

from citeseek import observing
from citeseek.client import Client
from citeseek.concurrency.admission import Places
from citeseek.errors import CiteseekError, InvalidInput, NoReport, WebProviderError
from citeseek.faces import AGENT
from citeseek.fetching.response import write_contract_output
from citeseek.i18n import ENGLISH, Catalogue, catalogue, language_of
from citeseek.jobs.report_job import ReportJob, ReportOrder
from citeseek.models import SearchResponse
from citeseek.observing.account import CallAccount
from citeseek.research import Inquiry, Progress, RunResult, research
from citeseek.research.definition import SECONDS
from citeseek.research.gathering import Watch
from citeseek.surfaces.mcp.offered import (
    REPORT,
    START_REPORT,
    VERIFY_CITATIONS,
    WAIT_SECONDS,
    WEB_READ,
    WEB_SEARCH,
    ToolFailure,
)
from citeseek.surfaces.mcp.report_shelf import ReportShelf
from citeseek.text import plain_line, shorten
from citeseek.tools import fence, search_formats
from citeseek.tools.arguments import is_blank
from citeseek.tools.tool_definitions import Definition
from citeseek.tools.toolset import FACE
from citeseek.tools.web_fetch import WebFetch
from citeseek.tools.web_search import WebSearch

log = logging.getLogger(__name__)
TOTAL = 100.0
ABOUT_CHARS = 80
# From where to where each stage leads.
_STAGES = {
    "plan": (0, 5),
    "search": (5, 20),
    "read": (20, 80),
    "rank": (80, 90),
    "write": (90, 100),
}
# A host may take what does not grow for a mistake; a second round begins where the first ended.
_LEAST = 0.01

# Takes what is done, of how much, and a sentence.
Send = Callable[[float, float, str], Awaitable[None]]


async def call(
    client: Client,
    tool: Definition,
    arguments: Mapping[str, Any],
    send: Send,
    reports: Places,
    *,
    kept: ReportShelf,
) -> types.CallToolResult:
    """Do what ``tool``, one of those that are offered, does with ``arguments``, which fit it.

    ``send`` is told how far it is; ``reports`` are the places for reports under way, ``kept`` has
    those that go on when the call is over. It is held to what one call may spend.
    """
    with observing.watching(CallAccount(client.account)):
        if tool is WEB_SEARCH:
            return await _search(client, arguments)
        if tool is WEB_READ:
            return await _fetch(client, arguments)
        if tool is REPORT:
            return await _report(client, arguments, send, reports)
        if tool is VERIFY_CITATIONS:
            return await _verify(client, arguments)
        return await _kept_report(kept, tool, arguments, send)


def refusal_result(error: InvalidInput) -> types.CallToolResult:
    """Return the result of a call whose arguments do not fit."""
    say = catalogue(ENGLISH)
    return _as_failed(search_formats.failure_text(error, say), error, say)


def _words_of(arguments: Mapping[str, Any]) -> Catalogue:
    """Return what a call is answered with: in the language of its question, else in English."""
    asked = (arguments.get(name) for name in ("query", "question", "text"))
    return catalogue(language_of(str(next(filter(None, asked), ""))))


async def _search(client: Client, arguments: Mapping[str, Any]) -> types.CallToolResult:
    """Search; numbers of results count from 1 in each call."""
    tool = WebSearch(client, WEB_SEARCH, max_results=AGENT.counts.high, face=FACE)
    call = await tool.run(arguments)
    if call.response is None:
        return _as_failed(call.text, call.error, _words_of(arguments))
    return _result(call.text, _as_found(call.response))


async def _fetch(client: Client, arguments: Mapping[str, Any]) -> types.CallToolResult:
    observing.name_pages((str(arguments.get("url") or ""),))
    reading = await WebFetch(client, lang=ENGLISH).run(arguments)
    if reading.response is None:
        return _as_failed(reading.text, reading.error, catalogue(ENGLISH))
    page = write_contract_output(reading.response)
    # The same text once more.
    del page["extracted_text"]
    return _result(reading.text, page)


async def _verify(client: Client, arguments: Mapping[str, Any]) -> types.CallToolResult:
    # Its libraries are loaded by who checks citations alone.
    from citeseek.surfaces.mcp import cited_sources  # noqa: PLC0415

    say = _words_of(arguments)
    try:
        checked = await cited_sources.verify(client, arguments)
    except InvalidInput as error:
        return _as_failed(search_formats.failure_text(error, say), error, say)
    text = fence.put_in_fence(cited_sources.verdict_text(checked, say), fence.new_id())
    return _result(text, to_builtins(cited_sources.verdicts(checked, say)))


async def _report(
    client: Client, arguments: Mapping[str, Any], send: Send, reports: Places
) -> types.CallToolResult:
    say = _words_of(arguments)
    try:
        with reports.one():
            result = await _research(client, arguments, send)
    except CiteseekError as error:
        return _as_failed(_report_failure(error, say), error, say)
    except Exception:
        # A failure is told, the server goes on.
        log.exception("research_report failed")
        broken = WebProviderError(
            "The report broke off unexpectedly.",
            detail_code="internal",
            values={"case": "report_broke"},
        )
        return _as_failed(_report_failure(broken, say), broken, say)
    content = result.as_json()
    del content["error"]
    if result.error:
        content["error"] = to_builtins(ToolFailure.of_run(result.error, say))
        return _result(_no_report(say.sentence(result.error), say), content, is_error=True)
    assert result.report is not None  # noqa: S101 - a run without an error has one
    return _result(fence.put_in_fence(result.report.text, fence.new_id()), content)


async def _kept_report(
    kept: ReportShelf, tool: Definition, arguments: Mapping[str, Any], send: Send
) -> types.CallToolResult:
    say = _words_of(arguments)
    try:
        if tool is START_REPORT:
            return await _start(kept, arguments, say)
        return await _read(kept, arguments, send, say)
    except CiteseekError as error:
        return _as_failed(_report_failure(error, say), error, say)


async def _start(
    kept: ReportShelf, arguments: Mapping[str, Any], say: Catalogue
) -> types.CallToolResult:
    given = {name: value for name, value in arguments.items() if not is_blank(value)}
    order = ReportOrder(**{"question": "", **given})
    order.inquiry()
    job = await (await kept.open()).ask(order)
    text = say("tool.report_started", id=job.id)
    return _result(text, {"report_id": job.id, "state": job.state})


async def _read(
    kept: ReportShelf, arguments: Mapping[str, Any], send: Send, say: Catalogue
) -> types.CallToolResult:
    reports = await kept.open()
    report_id = str(arguments.get("report_id") or "").strip()
    wait = arguments.get("wait")
    job = await reports.get(report_id)
    with suppress(TimeoutError):
        async with asyncio.timeout(WAIT_SECONDS if is_blank(wait) else wait):
            async with report(send, say) as watch, aclosing(reports.follow(report_id)) as events:
                async for _, event in events:
                    if isinstance(event, Progress):
                        watch(event)
                    else:
                        job = event
    if job.is_open:
        job = await reports.get(report_id)
    return _as_standing(job, await reports.result(report_id), say)


def _as_standing(
    job: ReportJob, run: dict[str, Any] | None, say: Catalogue
) -> types.CallToolResult:
    """Return what is told of a report: how far it is, why it failed, or itself."""
    told: dict[str, Any] = {"report_id": job.id, "state": job.state}
    if job.error is not None:
        say = catalogue(language_of(job.order.question))
        failed = {**told, "error": to_builtins(ToolFailure.of_run(job.error, say))}
        return _result(_no_report(say.sentence(job.error), say), failed, is_error=True)
    if job.is_open:
        stage = say(f"cli.stage_{job.progress.stage}") if job.progress else job.state
        if job.progress:
            told["progress"] = to_builtins(job.progress)
        return _result(say("tool.report_unfinished", id=job.id, stage=stage), told)
    if run is None:
        raise NoReport("The report was cancelled.", values={"case": "cancelled"})
    text = run["artifacts"]["report"]["text"]
    return _result(fence.put_in_fence(text, fence.new_id()), {**told, "run": run})


async def _research(client: Client, arguments: Mapping[str, Any], send: Send) -> RunResult:
    given = {name: value for name, value in arguments.items() if not is_blank(value)}
    inquiry = Inquiry.of(**{"question": "", "seconds": SECONDS, **given})
    from citeseek.assistant.report_writer import writer_of  # noqa: PLC0415 - only for a report

    # With a model the libraries take a moment to be loaded.
    writer = await asyncio.to_thread(writer_of, client.settings)
    try:
        async with report(send, _words_of(arguments)) as watch:
            return await research(inquiry, client, writer=writer, watch=watch)
    finally:
        if writer:
            await writer.close()


def _as_found(response: SearchResponse) -> dict[str, Any]:
    found = search_formats.contract(response)
    found["provider_meta"] = {
        "provider_name": response.provider,
        "latency_ms": response.took_ms,
    }
    if response.errors:
        found["errors"] = [to_builtins(failure) for failure in response.errors]
    return found


def _report_failure(error: CiteseekError, say: Catalogue) -> str:
    if isinstance(error, InvalidInput):
        return search_formats.failure_text(error, say)
    return _no_report(say.sentence(error), say)


def _no_report(why: str, say: Catalogue) -> str:
    return say("tool.no_report", reason=why)[: search_formats.FAILURE_CHARS]


def _as_failed(text: str, error: CiteseekError | None, say: Catalogue) -> types.CallToolResult:
    assert error is not None  # noqa: S101 - of an answer and an error there is one
    return _result(text, {"error": to_builtins(ToolFailure.of(error, say))}, is_error=True)


def _result(text: str, told: Mapping[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structured_content=told, is_error=is_error)


@asynccontextmanager
async def report(send: Send, say: Catalogue) -> AsyncIterator[Watch]:
    """Yield what is to be told of progress in the words of ``say``.

    It is sent in order, and all of it by the end.
    """
    queue: asyncio.Queue[Progress | None] = asyncio.Queue()
    sending = asyncio.create_task(_send_all(queue, send, say))
    try:
        yield queue.put_nowait
        queue.put_nowait(None)
        await sending
    finally:
        sending.cancel()


async def _send_all(queue: asyncio.Queue[Progress | None], send: Send, say: Catalogue) -> None:
    done = 0.0
    while (progress := await queue.get()) is not None:
        low, high = _STAGES[progress.stage]
        word = say(f"cli.stage_{progress.stage}")
        share = progress.done / progress.total if progress.total else 1.0
        done = round(max(low + (high - low) * min(share, 1.0), done + _LEAST), 2)
        about = shorten(plain_line(progress.about), ABOUT_CHARS)
        await send(done, TOTAL, f"{word} {progress.done}/{progress.total} {about}".rstrip())
