"""``citeseek research QUESTION``: a report whose every statement has its source and exact words."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeseek.concurrency.interruption import run_interruptible
from citeseek.errors import InvalidInput
from citeseek.extras import needing
from citeseek.surfaces.cli.batch_option import (
    add_batch_options,
    refuse_without_batch,
    run_batch,
)
from citeseek.surfaces.cli.certificate_option import Certifying, add_certificate_options, certifying
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import (
    FAILED,
    FOUND,
    NOTHING,
    catalogue_of,
    ending_with,
    print_json,
    say,
    settings_of,
)
from citeseek.surfaces.cli.shared_options import (
    add_engines,
    add_files,
    add_question,
    add_trace_option,
    read_given,
    read_number,
    read_whole,
    trace_calls,
    wrong_value,
)
from citeseek.surfaces.cli.written_dates import write_day

if TYPE_CHECKING:
    from citeseek.citations import Source
    from citeseek.jobs.batch import Answer
    from citeseek.research import Inquiry, RunFolder, RunResult
    from citeseek.research.result import ReportSource
    from citeseek.settings import Settings

FORMATS = ("text", "markdown", "json", "pdf")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_question(parser, "question", help_text=describe("research.question"))
    parser.add_argument(
        "--max-sources", type=read_whole, metavar="N", help=describe("research.max_sources")
    )
    parser.add_argument("--depth", type=read_whole, metavar="N", help=describe("research.depth"))
    parser.add_argument(
        "--out",
        type=_folder,
        metavar="DIR",
        help=describe("research.out"),
    )
    parser.add_argument("--fresh", action="store_true", help=describe("research.fresh"))
    add_files(parser)
    add_engines(parser)
    parser.add_argument("--model", metavar="NAME", help=describe("model"))
    parser.add_argument(
        "--timeout", type=read_number, metavar="S", help=describe("research.timeout")
    )
    add_certificate_options(parser)
    add_trace_option(parser)
    add_batch_options(parser, has_out=True)
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        default="text",
        help=describe("research.format"),
    )


def run(options: argparse.Namespace) -> int:
    """Write and print a report; an interrupted run goes on when the command is repeated."""
    if options.batch:
        return run_batch(options, "question", _answering, _usual)
    refuse_without_batch(options, "at_once", "retry_failed", "spread")
    from citeseek.research import Inquiry, RunFolder  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    if options.format == "pdf":
        _check_pdf(settings)
    inquiry = Inquiry.of(
        options.question,
        max_sources=options.max_sources,
        depth=options.depth,
        seconds=options.timeout,
    )
    folder = RunFolder(options.out) if options.out else RunFolder.in_home(settings.home, inquiry)
    with certifying(options, settings) as certificate:
        try:
            with trace_calls(options):
                result = run_interruptible(
                    _research(inquiry, folder, settings, options, certificate)
                )
        except KeyboardInterrupt:
            say(catalogue_of(settings)("cli.research_interrupted"))
            raise
    was_found = any(search.ok for search in result.searches)
    if options.out and (was_found or folder.has_run):
        folder.save(result)
    elif options.out or result.ok:
        # Where nothing was found there is nothing to go on from.
        folder.forget()
    if certificate:
        certificate.report(result, catalogue_of(settings))
    return _print_result(result, options, settings)


@asynccontextmanager
async def _answering(options: argparse.Namespace) -> AsyncIterator[Answer]:
    """Give what writes the reports of a batch; what a line says goes before the options."""
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.jobs.batch_answering import researching  # noqa: PLC0415 - imported when run

    usual = _usual(options)
    async with Client(settings_of(options)) as client, researching(client, usual) as answer:
        yield answer


def _usual(options: argparse.Namespace) -> dict[str, Any]:
    """Return what holds for lines of a batch that do not say otherwise; raise InvalidInput."""
    for name in ("certificate", "files"):
        if getattr(options, name):
            raise InvalidInput(
                f"--{name.removesuffix('s')} is for one report, not for a batch.",
                values={"case": "not_for_batch", "option": name.removesuffix("s")},
            )
    usual = read_given(options, "max_sources", "depth")
    if options.timeout is not None:
        usual["seconds"] = options.timeout
    return {**usual, "engines": options.engines, "model": options.model}


def _folder(text: str) -> Path:
    if not text.strip():
        from citeseek.settings.values import UnreadableValue  # noqa: PLC0415 - not for the help

        raise wrong_value(text, UnreadableValue("value_no_folder"))
    return Path(text)


async def _research(
    inquiry: Inquiry,
    folder: RunFolder,
    settings: Settings,
    options: argparse.Namespace,
    certificate: Certifying | None,
) -> RunResult:
    from citeseek.assistant.report_writer import writer_of  # noqa: PLC0415 - imported when run
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.fetching.own_file import OwnFile, load_file, with_file  # noqa: PLC0415 - imported when run
    from citeseek.research import research  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.progress_bar import watching  # noqa: PLC0415 - rich costs 40 ms

    writer, words = writer_of(settings, options.model), catalogue_of(settings)
    try:
        async with Client(settings) as client:
            files: tuple[OwnFile, ...] = ()
            for path in options.files:
                body = await asyncio.to_thread(load_file, path, settings)
                file = await client.read_file(body, name=path.name)
                files = with_file(files, file, settings)
                if certificate:
                    certificate.reads.keep_file(file, body)
            journal = folder.journal(inquiry, fresh=options.fresh)
            if journal.count:
                since = write_day(journal.since or "", words)
                say(words("cli.research_going_on", since=since))
            with watching(words) as watch:
                result = await research(
                    inquiry,
                    client,
                    engines=options.engines,
                    files=files,
                    writer=writer,
                    journal=journal,
                    watch=watch,
                )
        if journal.since:
            # Only now is known which of them this run had a use for.
            say(words("cli.research_resumed", count=journal.resumed))
        return result
    finally:
        if writer:
            await writer.close()


def _print_result(result: RunResult, options: argparse.Namespace, settings: Settings) -> int:
    from msgspec import structs  # noqa: PLC0415 - imported when run

    from citeseek.surfaces.cli.live import print_markdown  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.next_step import next_step  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.progress_bar import step_lines  # noqa: PLC0415 - imported when run
    from citeseek.text import without_controls  # noqa: PLC0415 - imported when run

    words = catalogue_of(settings)
    if result.error:
        result = structs.replace(result, error=result.error.translate(words))
    as_json = result.as_json()
    if options.format == "json":
        with ending_with(FAILED if result.error else FOUND):
            print_json(as_json)
    for line in step_lines(result, words):
        say(line)
    if error := result.error:
        searched = error.step == "tool.web.search"
        step = error.hint or next_step(
            words,
            error.code,
            error.detail_code,
            engine=error.engine,
            chooses_engine=searched,
        )
        engine = f"{error.engine}: " if error.engine else ""
        say(f"{engine}{error.message} {step}".rstrip())
        return FAILED
    assert result.report is not None  # noqa: S101 - a run without an error has one
    if options.format == "markdown":
        print(without_controls(result.report.text), end="")
    elif options.format == "pdf":
        sys.stdout.buffer.write(run_interruptible(_print_pdf(as_json, settings)))
    elif options.format == "text":
        print_markdown(result.report.text, map(_as_source, result.report.sources))
    if options.out:
        say(words("cli.kept_in", folder=options.out))
    return FOUND if result.report.evidence else NOTHING


def _check_pdf(settings: Settings) -> None:
    """Raise what stands in the way of a PDF, before anything is asked for it."""
    from citeseek.browser import find_chrome  # noqa: PLC0415 - imported when run

    if sys.stdout.isatty():
        raise InvalidInput(
            "A PDF is no text for a terminal: send it into a file with > FILE.",
            values={"case": "pdf_at_terminal"},
        )
    with needing("serve"):
        import citeseek.surfaces.page.report_print  # noqa: F401, PLC0415 - with the extra
    with needing("browser"):
        import playwright  # noqa: F401, PLC0415 - with the extra
    find_chrome(settings.browser.executable)


async def _print_pdf(run: Mapping[str, Any], settings: Settings) -> bytes:
    from citeseek.browser import BrowserOptions  # noqa: PLC0415 - imported when run
    from citeseek.browser.pdf_printer import PdfPrinter  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.page.report_print import printed_report  # noqa: PLC0415 - with the extra

    printer = PdfPrinter(BrowserOptions.of(settings))
    try:
        return await printer.print(printed_report(run, catalogue_of(settings).lang))
    finally:
        await printer.close()


def _as_source(source: ReportSource) -> Source:
    from citeseek.citations import Source  # noqa: PLC0415 - imported when run

    return Source(source.number, source.title, source.url, source.domain, source.snippet)
