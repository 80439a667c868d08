"""``citeseek database upgrade``: make the tables of conversations those of this version."""

from __future__ import annotations

import argparse

from citeseek.surfaces.cli.output import FOUND, catalogue_of, say, settings_of


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "action",
        choices=("upgrade",),
        help="upgrade: make the tables in the database of the setting database.url, or those of "
        "now from earlier ones; a server does so when it starts, a file when it is opened",
    )


def run(options: argparse.Namespace) -> int:
    """Bring it up; what stands in the way is an error that names the repair."""
    from citeseek.conversations.store import bring_up  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    words = catalogue_of(settings)
    say(words("cli.database_current" if bring_up(settings) else "cli.database_file"))
    return FOUND
