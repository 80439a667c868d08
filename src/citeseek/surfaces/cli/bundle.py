"""``citeseek bundle TRACE``: the text to give to whoever helps."""

from __future__ import annotations

import argparse

from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, say
from citeseek.surfaces.cli.shared_options import read_path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("trace", metavar="TRACE", type=read_path, help=describe("trace_file"))
    parser.add_argument(
        "--pages",
        metavar="DIR",
        type=read_path,
        help=describe("bundle.pages"),
    )


def run(options: argparse.Namespace) -> int:
    """Print the text, and write the pages where they are wanted."""
    from citeseek.replay import bundle, write_pages  # noqa: PLC0415 - imported when run
    from citeseek.text import without_controls  # noqa: PLC0415 - imported when run
    from citeseek.trace.trace_file import load  # noqa: PLC0415 - imported when run

    trace = load(options.trace)
    print(without_controls(bundle(trace)), end="")
    if options.pages:
        for path in write_pages(trace, options.pages):
            say(f"kept {path}")
    return FOUND
