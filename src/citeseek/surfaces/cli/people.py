"""``citeseek people``: who uses the server and how much, and the end of what is kept of one."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeseek.concurrency.interruption import run_interruptible
from citeseek.errors import InvalidInput
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, agrees, catalogue_of, print_json, say, settings_of
from citeseek.surfaces.cli.shared_options import read_whole

if TYPE_CHECKING:
    from citeseek.conversations.erasure import Belongings
    from citeseek.conversations.usage import PersonUse
    from citeseek.settings import Settings

DAYS = 30


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("action", nargs="?", choices=("erase",), help=describe("people.action"))
    parser.add_argument("name", nargs="?", metavar="NAME", help=describe("people.name"))
    parser.add_argument("--yes", action="store_true", help=describe("people.yes"))
    parser.add_argument(
        "--days", type=read_whole, default=DAYS, help=describe("people.days", usual=DAYS)
    )
    parser.add_argument("--json", action="store_true", help=describe("json"))


def run(options: argparse.Namespace) -> int:
    """Print a row for each person, in which nothing is that was said, or erase one."""
    return _erase(options) if options.action == "erase" else _show(options)


def _show(options: argparse.Namespace) -> int:
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek.conversations.usage import MAX_DAYS  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli import table_output  # noqa: PLC0415 - imported when run

    if not 1 <= options.days <= MAX_DAYS:
        raise InvalidInput(
            f"--days is from 1 to {MAX_DAYS}.",
            values={"case": "option_range", "option": "--days", "low": "1", "high": str(MAX_DAYS)},
        )
    settings = settings_of(options)
    used = run_interruptible(_list(settings, options.days))
    if options.json:
        print_json([{"name": each.person, **to_builtins(each.use)} for each in used])
    elif used:
        table_output.print_people(used, catalogue_of(settings))
    else:
        print(catalogue_of(settings)("cli.people_nobody", days=options.days))
    return FOUND


async def _list(settings: Settings, days: int) -> Sequence[PersonUse]:
    from citeseek.conversations.store import open_store  # noqa: PLC0415 - likewise
    from citeseek.conversations.usage import list_usage  # noqa: PLC0415 - likewise

    store = open_store(settings)
    try:
        return await list_usage(store, days)
    finally:
        await store.close()


def _erase(options: argparse.Namespace) -> int:
    from msgspec import to_builtins  # noqa: PLC0415 - imported when run

    from citeseek.settings.known_people import name_of_anybody  # noqa: PLC0415 - likewise

    if options.name is None:
        raise InvalidInput(
            "Whom? Name the person.",
            hint="citeseek people lists who used the server.",
            values={"case": "erase_whom"},
        )
    name, settings = name_of_anybody(options.name), settings_of(options)
    words = catalogue_of(settings)

    def is_wanted(found: Belongings) -> bool:
        if options.yes:
            return True
        print(words("cli.people_erasing", name=name, **to_builtins(found)), file=sys.stderr)
        return agrees(words("cli.people_erase_sure"))

    erased = run_interruptible(_erase_person(settings, name, is_wanted))
    if erased is not None and (path := settings.server.audit_log):
        from citeseek.surfaces.server.audit_log import AuditLog  # noqa: PLC0415 - as above

        AuditLog(path).write("person_erased", about={"name": name})
    if erased is None:
        say(words("cli.people_nothing_erased"))
    elif options.json:
        print_json({"name": name, **to_builtins(erased)})
    else:
        say(words("cli.people_erased", name=name, **to_builtins(erased)))
    return FOUND


async def _erase_person(
    settings: Settings, name: str, is_wanted: Callable[[Belongings], bool]
) -> Belongings | None:
    """Erase the person when whoever is asked agrees; return how much that was."""
    from citeseek.assistant.assistant import Assistant  # noqa: PLC0415 - imported when run
    from citeseek.conversations.store import open_store  # noqa: PLC0415 - likewise
    from citeseek.jobs.batches import open_batches  # noqa: PLC0415 - likewise
    from citeseek.jobs.person_erasure import PersonErasure  # noqa: PLC0415 - likewise
    from citeseek.jobs.reports import open_reports  # noqa: PLC0415 - likewise

    store = open_store(settings)
    assistant = Assistant(lambda: settings, store=store)
    reports = open_reports(settings, store, assistant.clients.current)
    batches = open_batches(settings, store, assistant)
    traces = Path(settings.trace.dir) if settings.trace.dir else None
    erasure = PersonErasure(store, reports, batches, traces)
    try:
        if not await asyncio.to_thread(is_wanted, await erasure.count(name)):
            return None
        return await erasure.erase(name)
    finally:
        await assistant.close()
