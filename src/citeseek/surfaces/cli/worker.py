"""``citeseek worker``: writes the reports and answers the batches of a server, beside it."""

from __future__ import annotations

import argparse
import asyncio
import logging
import math
import signal

from citeseek.errors import InvalidInput
from citeseek.settings import Settings
from citeseek.shared_state import valkey_of
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import FOUND, TOLD_BY_COMMANDS, catalogue_of, say, settings_of
from citeseek.surfaces.cli.shared_options import read_number, read_whole

AT_ONCE, MAX_AT_ONCE = 4, 100
GRACE_SECONDS, MAX_GRACE_SECONDS = 25.0, 3_600


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--at-once",
        type=read_whole,
        default=AT_ONCE,
        metavar="N",
        help=describe("worker.at_once", most=MAX_AT_ONCE, usual=AT_ONCE),
    )
    parser.add_argument(
        "--grace",
        type=read_number,
        default=GRACE_SECONDS,
        metavar="S",
        help=describe("worker.grace", most=MAX_GRACE_SECONDS, usual=f"{GRACE_SECONDS:g}"),
    )


def run(options: argparse.Namespace) -> int:
    """Work until a signal comes, which is how a worker ends, so it is a good end."""
    if not 1 <= options.at_once <= MAX_AT_ONCE:
        raise InvalidInput(
            f"--at-once is a number from 1 to {MAX_AT_ONCE}.",
            values={
                "case": "option_range",
                "option": "--at-once",
                "low": "1",
                "high": str(MAX_AT_ONCE),
            },
        )
    if not (math.isfinite(options.grace) and 0 <= options.grace <= MAX_GRACE_SECONDS):
        raise InvalidInput(
            f"--grace is a number of seconds from 0 to {MAX_GRACE_SECONDS}.",
            values={
                "case": "option_range",
                "option": "--grace",
                "low": "0",
                "high": str(MAX_GRACE_SECONDS),
            },
        )
    settings = settings_of(options)
    if not settings.database_url:
        raise InvalidInput(
            "A worker takes reports from a Postgres, and none is set.",
            hint="Set CITESEEK_DATABASE_URL; without it `citeseek serve` writes them itself.",
            values={"case": "worker_without_database"},
        )
    for name in TOLD_BY_COMMANDS:
        logging.getLogger(name).setLevel(logging.NOTSET)
    if not options.verbose:
        # The worker says in a line what these say of a database that is away in a hundred.
        for name in ("procrastinate", "psycopg.pool"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    asyncio.run(_work(settings, options))
    return FOUND


async def _work(settings: Settings, options: argparse.Namespace) -> None:
    from citeseek.assistant.assistant import Assistant  # noqa: PLC0415 - imported when run
    from citeseek.conversations.person_accounts import PersonAccounts  # noqa: PLC0415 - likewise
    from citeseek.conversations.store import open_store  # noqa: PLC0415 - likewise
    from citeseek.conversations.usage import UsageMeter  # noqa: PLC0415 - likewise

    # Refuses what cannot be used, libraries that are missing as well.
    conversations = open_store(settings)
    from citeseek.conversations.postgres import connection_options  # noqa: PLC0415 - with the extra
    from citeseek.jobs.batch_run import PartRunner  # noqa: PLC0415 - imported when run
    from citeseek.jobs.batch_store import BatchStore  # noqa: PLC0415 - imported when run
    from citeseek.jobs.job_worker import JobWorker  # noqa: PLC0415 - with the extra
    from citeseek.jobs.report_run import ReportRunner  # noqa: PLC0415 - imported when run
    from citeseek.jobs.report_store import ReportStore  # noqa: PLC0415 - imported when run

    assistant = Assistant(lambda: settings_of(options), store=conversations)
    usage = UsageMeter(conversations)
    accounts = PersonAccounts(settings, conversations, valkey_of(settings))
    watchers = (usage, accounts)
    reports, batches = ReportStore(conversations), BatchStore(conversations)
    worker = JobWorker(
        reports,
        ReportRunner(reports, assistant.clients.current, conversations, watchers),
        batches,
        PartRunner(batches, assistant, watchers),
        connection_options(settings.database_url or ""),
        at_once=options.at_once,
        grace=options.grace,
    )
    words = catalogue_of(settings)

    def stop() -> None:
        say(words("cli.worker_stopping"))
        worker.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    say(words("cli.worker_ready", at_once=options.at_once))
    usage.begin()
    await accounts.begin()
    try:
        await worker.run()
    finally:
        await usage.close()
        await accounts.close()
        await assistant.close()
