"""``citeseek engines``: what each engine can do, and whether its key is set."""

from __future__ import annotations

import argparse

from citeseek.surfaces.cli.output import FOUND, print_json, settings_of

HELP = "list the engines, what they can do and whether their key is set"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    """Print a row for each engine."""
    from citeseek.registry import Registry  # noqa: PLC0415 - imported when run
    from citeseek.surfaces import overview, terminal  # noqa: PLC0415 - imported when run

    rows = overview.engines(Registry(), settings_of(options))
    if options.json:
        print_json(rows)
    else:
        terminal.print_engines(rows)
    return FOUND
