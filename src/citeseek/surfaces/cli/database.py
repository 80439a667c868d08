"""``citeseek database``: make its tables those of this version, copy conversations into it."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, catalogue_of, say, settings_of

if TYPE_CHECKING:
    from citeseek.conversations.copying import Copied
    from citeseek.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "action",
        choices=("upgrade", "copy"),
        help=describe("database.action"),
    )
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help=describe("database.from"),
    )


def run(options: argparse.Namespace) -> int:
    """Do it; what stands in the way is an error that names the repair."""
    from citeseek.conversations.store import bring_up  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    words = catalogue_of(settings)
    if options.action == "upgrade":
        if options.source is not None:
            raise InvalidInput(
                "--from names a file to copy from: the action is copy.",
                values={"case": "from_without_copy"},
            )
        say(words("cli.database_current" if bring_up(settings) else "cli.database_file"))
        return FOUND
    file = options.source or settings.sessions_file
    if not settings.database_url:
        raise InvalidInput(
            "Conversations are copied into a Postgres, and none is set.",
            hint="Set CITESEEK_DATABASE_URL.",
            values={"case": "copy_without_database"},
        )
    if file is None or not Path(file).is_file():
        raise InvalidInput(
            f"There is no file of conversations {file}.",
            hint="Name it with --from.",
            values={"case": "no_conversations_file", "path": str(file)},
        )
    found = asyncio.run(_copy(Path(file), settings))
    told = {"copied": found.copied, "there": found.there, "deleted": found.deleted}
    say(words("cli.database_copied", **told))
    return FOUND


async def _copy(file: Path, settings: Settings) -> Copied:
    from citeseek.conversations.copying import copy_conversations  # noqa: PLC0415 - when run
    from citeseek.conversations.sqlite_store import SqliteStore  # noqa: PLC0415 - likewise
    from citeseek.conversations.store import open_store  # noqa: PLC0415 - likewise

    # Refuses what cannot be used, libraries that are missing as well.
    target = open_store(settings)
    source = SqliteStore(file)
    try:
        return await copy_conversations(source, target)
    finally:
        await source.close()
        await target.close()
