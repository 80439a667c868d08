"""``citeseek programs``: which programs people gave access over MCP, and the end of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeseek.concurrency.interruption import run_interruptible
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, catalogue_of, print_json, settings_of

if TYPE_CHECKING:
    from citeseek.conversations.oauth_grants import Grant
    from citeseek.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--take-back", metavar="ID", help=describe("programs.take_back"))
    parser.add_argument("--json", action="store_true", help=describe("json"))


def run(options: argparse.Namespace) -> int:
    """Print a row for each program; take the access of one back before that, if it is named."""
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek.surfaces.cli import table_output  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    kept = run_interruptible(_list(settings, options.take_back))
    if options.json:
        print_json([to_builtins(each) for each in kept])
    elif kept:
        table_output.print_programs(kept, catalogue_of(settings))
    else:
        print(catalogue_of(settings)("cli.programs_none"))
    return FOUND


async def _list(settings: Settings, ended: str | None) -> Sequence[Grant]:
    """Return what has access; raise NoProgram where none with the id ``ended`` had."""
    from citeseek.conversations.oauth_grants import Grants  # noqa: PLC0415 - with the extra
    from citeseek.conversations.store import open_store  # noqa: PLC0415 - likewise

    store = open_store(settings)
    try:
        grants = Grants(store)
        if ended is not None:
            await grants.end(ended)
        return await grants.list_all()
    finally:
        await store.close()
