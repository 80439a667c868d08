"""``citeseek database``: bring it up, copy into it, back it up and restore it, prune it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from citeseek.concurrency.interruption import run_interruptible
from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, agrees, catalogue_of, say, settings_of
from citeseek.surfaces.cli.shared_options import read_by, read_path

if TYPE_CHECKING:
    from citeseek.conversations.copying import Copied
    from citeseek.conversations.retention import Outdated
    from citeseek.i18n import Catalogue
    from citeseek.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    from citeseek.settings.server_settings import ServerSection  # noqa: PLC0415 - when it is given

    parser.add_argument(
        "action",
        choices=("upgrade", "copy", "prune", "backup", "restore"),
        help=describe("database.action"),
    )
    parser.add_argument(
        "file",
        nargs="?",
        type=read_path,
        metavar="FILE",
        help=describe("database.file"),
    )
    parser.add_argument("--yes", action="store_true", help=describe("database.yes"))
    parser.add_argument(
        "--from",
        dest="source",
        type=read_path,
        metavar="FILE",
        help=describe("database.from"),
    )
    parser.add_argument(
        "--days",
        type=read_by(ServerSection.keep_days.read),
        metavar="N",
        help=describe("database.days"),
    )


def run(options: argparse.Namespace) -> int:
    """Do it; what stands in the way is an error that names the repair."""
    from citeseek.conversations.store import bring_up  # noqa: PLC0415 - imported when run

    settings = settings_of(options)
    words = catalogue_of(settings)
    if options.action in ("backup", "restore"):
        return _back_up(settings, options, words)
    if options.action == "prune":
        return _prune(settings, options.days, words)
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
    found = run_interruptible(_copy(Path(file), settings))
    told = {"copied": found.copied, "there": found.there, "deleted": found.deleted}
    say(words("cli.database_copied", **told))
    return FOUND


def _back_up(settings: Settings, options: argparse.Namespace, words: Catalogue) -> int:
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek.conversations.backup import back_up, check_backup, restore  # noqa: PLC0415

    kept = settings.sessions_file
    if settings.database_url or kept is None:
        raise InvalidInput(
            "A Postgres is backed up and restored by its own programs.",
            hint="pg_dump --format=custom makes a backup, pg_restore puts it back: "
            "docs/self-hosting.md.",
            values={"case": "backup_of_postgres"},
        )
    if options.file is None:
        raise InvalidInput(
            f"citeseek database {options.action} needs the name of a file.",
            values={"case": "backup_without_file", "command": options.action},
        )
    if options.action == "backup":
        made = back_up(kept, options.file)
        say(words("cli.database_backed_up", path=options.file, **to_builtins(made)))
        return FOUND
    found = check_backup(options.file)
    if kept.exists() and not options.yes:
        print(words("cli.database_restoring", path=kept, **to_builtins(found)), file=sys.stderr)
        if not agrees(words("cli.database_restore_sure")):
            say(words("cli.database_not_restored"))
            return FOUND
    put_back = restore(options.file, kept)
    say(words("cli.database_restored", path=kept, **to_builtins(put_back)))
    return FOUND


def _prune(settings: Settings, days: int | None, words: Catalogue) -> int:
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    days = settings.server.keep_days if days is None else days
    if days is None:
        raise InvalidInput(
            "Nothing is too old: no age is set.",
            hint="Name it with --days, from 1, or set server.keep_days (CITESEEK_KEEP_DAYS).",
            values={"case": "no_age"},
        )
    gone = run_interruptible(_prune_older(settings, days))
    say(words("cli.database_pruned", days=days, **to_builtins(gone)))
    return FOUND


async def _prune_older(settings: Settings, days: int) -> Outdated:
    from citeseek.conversations.retention import prune  # noqa: PLC0415 - imported when run
    from citeseek.conversations.store import open_store  # noqa: PLC0415 - likewise

    store = open_store(settings)
    try:
        folder = settings.trace.dir
        return await prune(store, days, Path(folder) if folder else None)
    finally:
        await store.close()


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
