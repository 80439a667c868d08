"""``citeseek search QUERY``: search the web and print the results."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from citeseek.surfaces.cli.output import (
    FOUND,
    NOTHING,
    add_engine_options,
    add_trace_option,
    catalogue_for,
    finish,
    print_json,
    read_given,
    say,
    settings_of,
    trace_calls,
)
from citeseek.surfaces.cli.question import add_question

if TYPE_CHECKING:
    from citeseek.models import SearchResponse
    from citeseek.observing.receipt import EgressReceipt

HELP = "search the web and print the results"
FORMATS = ("table", "json", "contract", "results", "text")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_question(parser, "query", help_text="what to search for")
    add_engine_options(parser)
    parser.add_argument(
        "--quorum",
        type=int,
        metavar="N",
        help="with several engines: do not wait for more than N with results",
    )
    parser.add_argument("--category", metavar="C", help="web, news, images, videos, papers or code")
    parser.add_argument("--country", metavar="CC", help="country, such as cn")
    parser.add_argument("--language", metavar="L", help="language, such as zh-CN")
    parser.add_argument(
        "--freshness", metavar="F", help="day, week, month, year or FROM..TO (2026-01-31)"
    )
    parser.add_argument("--site", metavar="HOST", help="host to stay on")
    parser.add_argument("--page", type=int, metavar="N", help="result page")
    parser.add_argument("--safesearch", metavar="LEVEL", help="off, moderate or strict")
    add_trace_option(parser)
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        default="table",
        help="how to print (default: table); contract searches as web.search of the tool contract "
        "does, offline until WEB_SEARCH_BACKEND is set",
    )


def run(options: argparse.Namespace) -> int:
    """Search and print."""
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek import observing  # noqa: PLC0415 - imported when run
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.faces import CONTRACT, OPEN  # noqa: PLC0415 - imported when run
    from citeseek.query import FILTERS  # noqa: PLC0415 - imported when run
    from citeseek.tools import search_formats  # noqa: PLC0415 - imported when run

    async def search() -> tuple[SearchResponse, EgressReceipt]:
        async with Client(settings_of(options)) as client:
            ledger = client.ledger()
            with observing.watching(ledger):
                response = await client.search(
                    options.query,
                    face=CONTRACT if options.format == "contract" else OPEN,
                    engines=options.engines,
                    quorum=options.quorum,
                    seconds=options.timeout,
                    **read_given(options, "count", *FILTERS),
                )
            return response, ledger.receipt()

    with trace_calls(options):
        response, egress = finish(search(), f"Searching for {options.query!r:.60} …")
    if response.ignored:
        say(f"the engine cannot do these and left them out: {', '.join(response.ignored)}")
    match options.format:
        case "json":
            print_json({**search_formats.full(response), "egress": to_builtins(egress)})
        case "contract":
            print_json(search_formats.contract(response))
        case "results":
            print_json(search_formats.results(response, options.query))
        case "text":
            print(
                search_formats.compact(
                    response.items,
                    [item.rank for item in response.items],
                    details=search_formats.details_of(response, catalogue_for(options)),
                )
            )
        case _:
            from citeseek.surfaces.cli import terminal  # noqa: PLC0415 - rich costs 40 ms

            terminal.print_results(response, catalogue_for(options))
    return FOUND if response.items else NOTHING
