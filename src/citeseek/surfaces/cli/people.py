"""``citeseek people``: who uses the server, and how much."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, print_json, settings_of

if TYPE_CHECKING:
    from citeseek.conversations.usage import PersonUse
    from citeseek.settings import Settings

DAYS = 30


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--days", type=int, default=DAYS, help=describe("people.days", usual=DAYS))
    parser.add_argument("--json", action="store_true", help=describe("json"))


def run(options: argparse.Namespace) -> int:
    """Print a row for each person; what was said is in none."""
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek.conversations.usage import MAX_DAYS  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli import terminal  # noqa: PLC0415 - imported when run

    if not 1 <= options.days <= MAX_DAYS:
        raise InvalidInput(
            f"--days is from 1 to {MAX_DAYS}.",
            values={"case": "option_range", "option": "--days", "low": "1", "high": str(MAX_DAYS)},
        )
    used = asyncio.run(_list(settings_of(options), options.days))
    if options.json:
        print_json([{"name": each.person, **to_builtins(each.use)} for each in used])
    else:
        terminal.print_people(used)
    return FOUND


async def _list(settings: Settings, days: int) -> Sequence[PersonUse]:
    from citeseek.conversations.store import open_store  # noqa: PLC0415 - likewise
    from citeseek.conversations.usage import list_usage  # noqa: PLC0415 - likewise

    store = open_store(settings)
    try:
        return await list_usage(store, days)
    finally:
        await store.close()
