"""``citeseek settings``: each face's engine and limits, and where each value comes from."""

from __future__ import annotations

import argparse

from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, catalogue_of, print_json, settings_of


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--json", action="store_true", help=describe("json"))


def run(options: argparse.Namespace) -> int:
    """Print what the settings lead to."""
    from citeseek.searching.engine_registry import Registry  # noqa: PLC0415 - imported when run
    from citeseek.surfaces import overview  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli import table_output  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    report = overview.settings(Registry(), settings)
    if options.json:
        print_json(report)
    else:
        table_output.print_settings(report, catalogue_of(settings))
    return FOUND
