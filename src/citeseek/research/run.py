"""The run of a report: plan, search, read, rank, write; each step with its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from msgspec import structs

from citeseek import observing
from citeseek.client import Client
from citeseek.concurrency.clock import Clock
from citeseek.errors import ModelFailed
from citeseek.faces import CONTRACT, OPEN, Face
from citeseek.fetching.own_file import OwnFile
from citeseek.i18n import Catalogue, catalogue, language_of
from citeseek.observing.account import Account
from citeseek.observing.receipt import EgressReceipt
from citeseek.research.evidence import passages_of
from citeseek.research.findings import Findings, find_answers
from citeseek.research.gathering import Gathering, Progress, Watch, error_of, list_failures
from citeseek.research.inquiry import Inquiry, Writer
from citeseek.research.journal import Journal
from citeseek.research.memoization import RecordedJournal, Remembered, RememberedWriter
from citeseek.research.pages import ReadPage
from citeseek.research.report_text import CitedSentence, Contents, closing, write_report
from citeseek.research.result import Report, RunResult
from citeseek.research.summary import Summary, summarize
from citeseek.searching.recorded_search import RecordedClock
from citeseek.settings import Settings
from citeseek.settings.budget_settings import answer_budget
from citeseek.settings.sources import DEFAULT
from citeseek.text import sentences
from citeseek.tools.contract import WebProvider
from citeseek.tools.runtime import Runtime
from citeseek.tools.web_providers import WEB, WebFetchProvider

# Queries that a model may add to the question, and further ones for each round after the first.
PLANNED = 3
FOLLOW_UPS = 3


class Research:
    """Writes reports with the tools of ``runtime``.

    All that it knows of a page it was told by ``web.fetch``. Without a ``writer`` a report quotes
    and says nothing of its own. ``since`` is the day of the oldest answer of an earlier run that
    the tools give again (2026-01-31), which the notes tell. ``receipt`` gives what was sent out and
    brought in until now, for the end of the report.
    """

    def __init__(
        self,
        runtime: Runtime,
        *,
        writer: Writer | None = None,
        watch: Watch = lambda _: None,
        since: str | None = None,
        receipt: Callable[[], EgressReceipt | None] = lambda: None,
        clock: Clock | None = None,
    ) -> None:
        self._runtime = runtime
        self._writer = writer
        self._watch = watch
        self._since = since
        self._receipt = receipt
        self._clock = clock or Clock()

    async def run(self, inquiry: Inquiry, files: Sequence[OwnFile] = ()) -> RunResult:
        """Return how the run for ``inquiry`` went; failures of tools and model are in it.

        ``files`` are pages that were read before any is searched for.

        It is not ok when every search failed, or every fetch. Only cancellation passes through.
        """
        say = catalogue(language_of(inquiry.question))
        gathering = Gathering(inquiry.question, self._runtime, self._watch, files)
        notes = [say("research.kept", day=self._since)] if self._since else []
        try:
            async with asyncio.timeout(self._clock.limit(inquiry.seconds)):
                await self._gather(inquiry, gathering, notes, say)
        except TimeoutError:
            observing.ran_out_of_time()
            notes.append(say("research.out_of_time", seconds=f"{inquiry.seconds:g}"))
        error = error_of(gathering)
        report = None if error else await self._report(inquiry, gathering, notes, say)
        egress = self._receipt()
        if report and egress:
            report = structs.replace(report, text=report.text + closing(egress, say))
        return RunResult(
            trace_id=self._runtime.trace_id,
            question=inquiry.question,
            report=report,
            searches=tuple(gathering.searches),
            fetches=tuple(gathering.fetches),
            steps=tuple(self._runtime.steps),
            error=error,
            egress=egress,
        )

    async def _gather(
        self, inquiry: Inquiry, gathering: Gathering, notes: list[str], say: Catalogue
    ) -> None:
        await gathering.search([inquiry.question, *await self._plan(inquiry, notes, say)])
        await gathering.read(inquiry.sources_by(1))
        for round_ in range(2, inquiry.depth + 1):
            queries = await self._follow_ups(inquiry, gathering, notes, say)
            await gathering.search(queries)
            await gathering.read(inquiry.sources_by(round_))

    async def _plan(self, inquiry: Inquiry, notes: list[str], say: Catalogue) -> list[str]:
        if self._writer is None:
            return []
        self._watch(Progress("plan", 0, 1, self._writer.name))
        try:
            with self._runtime.step("plan"):
                # Planning may not use up the time in which pages could be read.
                async with asyncio.timeout(inquiry.seconds and inquiry.seconds / 4):
                    return await self._writer.plan(inquiry.question, PLANNED)
        except ModelFailed as error:
            notes.append(say("research.no_plan", reason=say.explain(error)[0]))
        except TimeoutError:
            notes.append(say("research.no_plan", reason=say("research.too_late")))
        return []

    async def _follow_ups(
        self, inquiry: Inquiry, gathering: Gathering, notes: list[str], say: Catalogue
    ) -> list[str]:
        """Return what to search for next: a model knows, else more like the best pages."""
        findings = await self._findings(inquiry, gathering)
        if self._writer is not None:
            try:
                with self._runtime.step("plan"):
                    return await self._writer.follow_up(
                        inquiry.question, findings.evidence, gathering.asked, FOLLOW_UPS
                    )
            except ModelFailed as error:
                notes.append(say("research.no_plan", reason=say.explain(error)[0]))
        best = dict.fromkeys(findings.sources[quote.page].title for quote in findings.quotes)
        return [title for title in best if title][:FOLLOW_UPS]

    async def _report(
        self, inquiry: Inquiry, gathering: Gathering, notes: list[str], say: Catalogue
    ) -> Report:
        findings = await self._findings(inquiry, gathering)
        notes = [*list_failures(gathering, say), *notes]
        if gathering.was_found and len(findings.sources) < inquiry.max_sources:
            got = len(findings.sources)
            notes.append(say("research.fewer", wanted=inquiry.max_sources, got=got))
        summary = await self._summary(inquiry, findings, gathering.pages, say)
        notes += summary.notes
        self._watch(Progress("write", 0, 1))
        with self._runtime.step("write_report"):
            evidence = findings.evidence
            contents = Contents(
                question=inquiry.question,
                sources=findings.sources,
                evidence=evidence,
                findings=[
                    CitedSentence(
                        quote.gist, quote.page + 1, (quote.locator,) if quote.locator else ()
                    )
                    for quote in findings.quotes
                ],
                disagreements=findings.disagreements,
                html=frozenset(
                    number
                    for number, page in enumerate(gathering.pages, start=1)
                    if "html" in page.content_type
                ),
                notes=notes,
                summary=summary.text,
                writer=self._writer.name if self._writer else "",
                checks=summary.checks,
            )
            text = write_report(contents, say)
        self._watch(Progress("write", 1, 1))
        return Report(
            text=text,
            summary=summary.text,
            sources=findings.sources,
            evidence=evidence,
            disagreements=findings.disagreements,
            checks=summary.checks,
            notes=tuple(notes),
            pages=tuple(page.text for page in gathering.pages),
            page_starts=tuple(page.pages for page in gathering.pages),
        )

    async def _findings(self, inquiry: Inquiry, gathering: Gathering) -> Findings:
        pages = gathering.pages
        self._watch(Progress("rank", 0, len(pages)))
        with self._runtime.step("extract") as meta:
            passages = await asyncio.to_thread(passages_of, pages)
            meta["passages"] = len(passages)
        with self._runtime.step("dedupe_rank") as meta:
            questions = [inquiry.question, *sentences(inquiry.question)]
            if self._writer is not None:
                # A model's queries are parts of the question; titles only lead to more pages.
                questions += gathering.asked
            findings = await asyncio.to_thread(
                find_answers, questions, gathering.distinct, passages
            )
            meta["quotes"] = len(findings.quotes)
        self._watch(Progress("rank", len(pages), len(pages)))
        return findings

    async def _summary(
        self, inquiry: Inquiry, findings: Findings, pages: Sequence[ReadPage], say: Catalogue
    ) -> Summary:
        if self._writer is None or not findings.quotes:
            return Summary()
        self._watch(Progress("write", 0, 1, self._writer.name))
        return await summarize(
            self._writer, inquiry.question, findings, pages, runtime=self._runtime, say=say
        )


async def research(
    inquiry: Inquiry,
    client: Client,
    *,
    engines: Iterable[str] = (),
    files: Sequence[OwnFile] = (),
    writer: Writer | None = None,
    journal: Journal | None = None,
    watch: Watch = lambda _: None,
) -> RunResult:
    """Return how the run for ``inquiry`` went, over ``client``.

    ``engines`` are asked instead of those of the settings: that of the tool contract if it is set
    (``WEB_SEARCH_BACKEND``), else those of the open face. What ``journal`` holds is not asked for
    again. ``files`` of one's own are sources before all others. Raise InvalidInput for engines that
    nobody knows; other failures are in the result.
    """
    kept = RecordedJournal(journal or Journal())
    ledger = client.ledger()
    account = Account(
        answer_budget(client.settings), prices=client.prices, named_in=[inquiry.question]
    )
    names = tuple(engines)
    asked = {
        "question": inquiry.question,
        "inquiry": inquiry,
        "engines": names,
        "model": writer.name if writer else "",
        "files": files,
    }

    def receipt() -> EgressReceipt:
        sent = ledger.receipt()
        return structs.replace(sent, resumed=sent.resumed + kept.resumed)

    async with client.recording("report", asked) as call:
        search = WebProvider(client, face=_face(client.settings), engines=names)
        runtime = Runtime(
            Remembered(search, kept), Remembered(WebFetchProvider(client, backend=WEB), kept)
        )
        desk = RememberedWriter(writer, kept) if writer else None
        run = Research(
            runtime,
            writer=desk,
            watch=watch,
            since=kept.since,
            receipt=receipt,
            clock=RecordedClock(),
        )
        with observing.watching(ledger, account):
            result = await run.run(inquiry, files)
        if call:
            call.result = result
        return result


def _face(settings: Settings) -> Face:
    # The stub of a contract that nobody set up is of no use to a report.
    is_set = settings.face(CONTRACT).engine.origin != DEFAULT
    return CONTRACT if is_set else OPEN
