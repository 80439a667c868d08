"""``citeseek fetch URL``: read a page and print its text."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from citeseek.i18n.locale_language import locale_catalogue
from citeseek.surfaces.cli.batch_option import (
    add_batch_options,
    refuse_without_batch,
    run_batch,
)
from citeseek.surfaces.cli.help_texts import describe, say_of_argparse
from citeseek.surfaces.cli.output import FOUND, catalogue_for, finish, print_json, say, settings_of
from citeseek.surfaces.cli.shared_options import (
    add_trace_option,
    read_given,
    read_number,
    read_whole,
    trace_calls,
)
from citeseek.urls import without_password

if TYPE_CHECKING:
    from citeseek.fetching import FetchResponse
    from citeseek.fetching.options import Form
    from citeseek.jobs.batch import Answer
    from citeseek.observing.receipt import EgressReceipt

FORMATS = ("text", "markdown", "json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("url", metavar="URL", nargs="?", help=describe("fetch.url"))
    parser.add_argument(
        "-f", "--format", choices=FORMATS, default="text", help=describe("format", usual="text")
    )
    parser.add_argument(
        "--max-chars", type=read_whole, metavar="N", help=describe("fetch.max_chars")
    )
    parser.add_argument("--timeout", type=read_number, metavar="S", help=describe("fetch.timeout"))
    add_trace_option(parser)
    add_batch_options(parser)


@asynccontextmanager
async def _answering(options: argparse.Namespace) -> AsyncIterator[Answer]:
    """Give what answers the lines of a batch; what a line says goes before the options."""
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.jobs.batch_answering import fetching  # noqa: PLC0415 - imported when run

    async with Client(settings_of(options)) as client:
        yield fetching(client, _usual(options))


def _usual(options: argparse.Namespace) -> dict[str, Any]:
    """Return what holds for lines of a batch that do not say otherwise."""
    given = read_given(options, "max_chars")
    return {"form": _form(options), "seconds": options.timeout, **given}


def _form(options: argparse.Namespace) -> Form:
    return "markdown" if options.format == "markdown" else "text"


def run(options: argparse.Namespace) -> int:
    """Fetch and print; what is not the page's text goes to standard error."""
    if options.batch:
        return run_batch(options, "url", _answering, _usual)
    refuse_without_batch(options, "out", "at_once", "retry_failed", "spread")
    if options.url is None:
        options.parser.error(say_of_argparse("the following arguments are required: %s") % "URL")
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek import observing  # noqa: PLC0415 - imported when run
    from citeseek.client import Client  # noqa: PLC0415 - imported when run
    from citeseek.fetching.response import describe_page, write_page_head  # noqa: PLC0415 - imported when run
    from citeseek.observing.account import CallAccount  # noqa: PLC0415 - imported when run

    async def fetch() -> tuple[FetchResponse, EgressReceipt]:
        async with Client(settings_of(options)) as client:
            ledger = client.ledger()
            with observing.watching(ledger, CallAccount(client.account)):
                observing.name_pages((options.url,))
                response = await client.fetch(
                    options.url,
                    form=_form(options),
                    seconds=options.timeout,
                    **read_given(options, "max_chars"),
                )
            return response, ledger.receipt()

    with trace_calls(options):
        response, egress = finish(
            fetch(),
            locale_catalogue()("cli.reading", url=f"{without_password(options.url):.60}"),
        )
    if options.format == "json":
        print_json({**describe_page(response), "egress": to_builtins(egress)})
        return FOUND
    say(write_page_head(response).replace("\n", " · ").strip(" ·"))
    if options.format == "text":
        from citeseek.surfaces.cli.terminal import print_lines  # noqa: PLC0415 - rich costs 40 ms

        print_lines(response.text)
    else:
        print(response.text)
    words = catalogue_for(options)
    for one in response.degraded:
        if one.state == "unused":
            say(words("cli.page_as_it_came", why=one))
    if response.truncated:
        say(words("cli.text_cut"))
    return FOUND
