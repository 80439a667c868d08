"""``citeseek search QUERY``: search the web and print the results."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from citeseek.surfaces.cli.batch_option import (
    add_batch_options,
    refuse_without_batch,
    run_batch,
)
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import (
    FOUND,
    NOTHING,
    catalogue_for,
    finish,
    print_json,
    say,
    settings_of,
)
from citeseek.surfaces.cli.shared_options import (
    add_engine_options,
    add_question,
    add_trace_option,
    read_given,
    read_whole,
    trace_calls,
)

if TYPE_CHECKING:
    from citeseek.jobs.batch import Answer
    from citeseek.models import SearchResponse
    from citeseek.observing.receipt import EgressReceipt

FORMATS = ("table", "json", "contract", "results", "text")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_question(parser, "query", help_text=describe("search.query"))
    add_engine_options(parser)
    parser.add_argument(
        "--quorum",
        type=read_whole,
        metavar="N",
        help=describe("search.quorum"),
    )
    parser.add_argument("--category", metavar="C", help=describe("search.category"))
    parser.add_argument("--country", metavar="CC", help=describe("search.country"))
    parser.add_argument("--language", metavar="L", help=describe("search.language"))
    parser.add_argument("--freshness", metavar="F", help=describe("search.freshness"))
    parser.add_argument("--site", metavar="HOST", help=describe("search.site"))
    parser.add_argument("--page", type=read_whole, metavar="N", help=describe("search.page"))
    parser.add_argument("--safesearch", metavar="LEVEL", help=describe("search.safesearch"))
    add_trace_option(parser)
    add_batch_options(parser)
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        default="table",
        help=describe("search.format"),
    )


@asynccontextmanager
async def _answering(options: argparse.Namespace) -> AsyncIterator[Answer]:
    """Give what answers the lines of a batch; what a line says goes before the options."""
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.faces import AUTO  # noqa: PLC0415 - imported when run
    from citeseek.jobs.batch_answering import searching  # noqa: PLC0415 - imported when run
    from citeseek.query import FILTERS, Query  # noqa: PLC0415 - imported when run
    from citeseek.searching.engine_registry import fold_name  # noqa: PLC0415 - imported when run

    async with Client(settings_of(options)) as client:
        # What every line would fail of is said before any is asked.
        for name in options.engines:
            if fold_name(name) != AUTO:
                client.registry.get(name)
        Query.of("batch", **read_given(options, "count", *FILTERS))

        yield searching(client, _usual(options))


def _usual(options: argparse.Namespace) -> dict[str, Any]:
    """Return what holds for lines of a batch that do not say otherwise."""
    from citeseek.query import FILTERS  # noqa: PLC0415 - imported when run

    usual = {"engines": options.engines, **read_given(options, "quorum", "count", *FILTERS)}
    if options.timeout is not None:
        usual["seconds"] = options.timeout
    return usual


def run(options: argparse.Namespace) -> int:
    """Search and print."""
    if options.batch:
        return run_batch(options, "query", _answering, _usual)
    refuse_without_batch(options, "out", "at_once", "retry_failed", "spread")
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek import observing  # noqa: PLC0415 - imported when run
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.faces import CONTRACT, OPEN  # noqa: PLC0415 - imported when run
    from citeseek.observing.account import CallAccount  # noqa: PLC0415 - imported when run
    from citeseek.query import FILTERS  # noqa: PLC0415 - imported when run
    from citeseek.tools import search_formats  # noqa: PLC0415 - imported when run

    async def search() -> tuple[SearchResponse, EgressReceipt]:
        async with Client(settings_of(options)) as client:
            ledger = client.ledger()
            with observing.watching(ledger, CallAccount(client.account)):
                response = await client.search(
                    options.query,
                    face=CONTRACT if options.format == "contract" else OPEN,
                    engines=options.engines,
                    quorum=options.quorum,
                    seconds=options.timeout,
                    **read_given(options, "count", *FILTERS),
                )
            return response, ledger.receipt()

    progress = catalogue_for(options)("cli.searching_for", query=f"{options.query!r:.60}")
    with trace_calls(options):
        response, egress = finish(search(), progress)
    # The settings, which may say another language, are known by now.
    words = catalogue_for(options)
    if response.ignored:
        say(words("cli.ignored", names=", ".join(response.ignored)))
    match options.format:
        case "json":
            print_json({**search_formats.full(response), "egress": to_builtins(egress)})
        case "contract":
            print_json(search_formats.contract(response))
        case "results":
            print_json(search_formats.results(response, options.query))
        case "text":
            ranks = [item.rank for item in response.items]
            details = search_formats.details_of(response, words)
            print(search_formats.compact(response.items, ranks, words, details=details))
        case _:
            from citeseek.surfaces.cli.result_list import print_results  # noqa: PLC0415 - likewise

            print_results(response, words)
    return FOUND if response.items else NOTHING
