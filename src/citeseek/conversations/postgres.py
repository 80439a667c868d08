"""A Postgres that keeps conversations: whether it can, how it is brought up, how it is reached."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
import psycopg
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Connection, Engine, NullPool, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from citeseek.conversations import migrations, queue_schema
from citeseek.conversations.tables import TABLES
from citeseek.errors import InvalidInput
from citeseek.text import plain_line, shorten

T = TypeVar("T")

LEAST_VERSION = 15
CONNECT_SECONDS = 5
# Of each process; a server takes 100 unless it is told otherwise.
CONNECTIONS = 8
# Held by the one process that makes tables or changes them; its number is nobody else's.
_LOCK = 0x43495445

State: TypeAlias = Literal[
    "ok", "unusable", "unreachable", "too_old", "read_only", "behind", "later", "foreign"
]
_DOCTOR = "`citeseek doctor database` looks at it again."
_UPGRADE = "Run `citeseek database upgrade`; `citeseek serve` does so when it starts."
# What each is, and what mends it.
_SENTENCES: dict[State, tuple[str, str]] = {
    "unusable": ("the address is not understood", "Correct CITESEEK_DATABASE_URL."),
    "unreachable": (
        "it cannot be reached ({reason})",
        f"Start it, or correct the address. {_DOCTOR}",
    ),
    "too_old": (
        f"it is version {{version}}; {LEAST_VERSION} or later is needed",
        "Update it, or name another one in CITESEEK_DATABASE_URL.",
    ),
    "read_only": ("it takes no changes, as a replica", "Name the one that replicas follow."),
    "behind": ("its tables are those of an earlier version, or not made yet", _UPGRADE),
    "later": (
        "its tables are those of a later version of Citeseek",
        "Update Citeseek on this machine, or name another database.",
    ),
    "foreign": (
        "its tables belong to another program",
        "Name a database of Citeseek's own in CITESEEK_DATABASE_URL.",
    ),
}

log = logging.getLogger(__name__)


class DatabaseStanding(msgspec.Struct, frozen=True):
    """How a database stands; ``reason`` is the server's or the network's own, for its operator.

    ``name`` is what a database that can be used is called.
    """

    state: State
    version: str = ""
    reason: str = ""
    name: str = ""

    def refusal(self) -> InvalidInput:
        """Return the error of one that cannot be used."""
        what, hint = _SENTENCES[self.state]
        said = what.format(version=self.version, reason=self.reason)
        return InvalidInput(
            f"The database of conversations cannot be used: {said}.",
            hint=hint,
            values={
                "case": f"database_{self.state}",
                "version": self.version,
                "reason": self.reason,
            },
        )


def look(address: str) -> DatabaseStanding:
    """Return how the database at ``address`` stands; nothing is changed."""
    return _use(address, upgrades=False)


def upgrade(address: str) -> DatabaseStanding:
    """Make the tables, or those of now from earlier ones; of several who do so, one does.

    Return how the database stands then.
    """
    found = look(address)
    return _use(address, upgrades=True) if found.state == "behind" else found


def ask(address: str, work: Callable[[Connection], T]) -> T | None:
    """Return what ``work`` finds out in a transaction of its own, None where nobody answers."""
    engine = _engine(connection_options(address))
    try:
        with engine.begin() as connection:
            return work(connection)
    except (DBAPIError, psycopg.Error, OSError):
        return None
    finally:
        engine.dispose()


def _use(address: str, *, upgrades: bool) -> DatabaseStanding:
    try:
        engine = _engine(connection_options(address))
    except psycopg.ProgrammingError:
        return DatabaseStanding("unusable")
    try:
        with engine.begin() as connection:
            return _judge(connection, upgrades=upgrades)
    except (DBAPIError, psycopg.Error, OSError) as error:
        return DatabaseStanding("unreachable", reason=reason_of(error))
    finally:
        engine.dispose()


def _engine(options: Mapping[str, Any]) -> Engine:
    return create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(**options), poolclass=NullPool
    )


def _judge(connection: Connection, *, upgrades: bool) -> DatabaseStanding:
    number = int(connection.scalar(text("SHOW server_version_num")) or 0)
    version = f"{number // 10_000}.{number % 10_000}"
    if number // 10_000 < LEAST_VERSION:
        return DatabaseStanding("too_old", version)
    if connection.scalar(text("SHOW transaction_read_only")) == "on":
        return DatabaseStanding("read_only", version)
    if upgrades:
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    state = _judge_tables(connection)
    if state == "behind" and upgrades:
        migrations.bring_up(connection)
        queue_schema.bring_up(connection)
        log.info("the tables of conversations are those of %s now", migrations.HEAD)
        state = "ok"
    name = str(connection.scalar(text("SELECT current_database()")))
    return DatabaseStanding(state, version, name=name)


def _judge_tables(connection: Connection) -> State:
    """Return how ours and those of the queue stand; what nobody can bring up counts first."""
    found: set[State] = {_judge_own(connection), queue_schema.judge(connection)}
    worst: tuple[State, ...] = ("foreign", "later", "behind")
    return next((state for state in worst if state in found), "ok")


def _judge_own(connection: Connection) -> State:
    revision = migrations.find_version(connection)
    if revision is None:
        ours = TABLES.tables.keys() & set(inspect(connection).get_table_names())
        return "foreign" if ours else "behind"
    if revision not in migrations.REVISIONS:
        return "later"
    return "ok" if revision == migrations.HEAD else "behind"


def open_pool(address: str) -> AsyncEngine:
    """Return what connects to ``address`` when somebody needs it, and again where that broke."""
    options = connection_options(address)

    async def connect() -> psycopg.AsyncConnection[Any]:
        return await psycopg.AsyncConnection.connect(**options)

    return create_async_engine(
        "postgresql+psycopg://",
        async_creator=connect,
        pool_size=CONNECTIONS,
        max_overflow=0,
        pool_timeout=CONNECT_SECONDS,
        pool_pre_ping=True,
        # What people write and read has no place in an error or a log.
        hide_parameters=True,
    )


def connection_options(address: str) -> dict[str, Any]:
    """Return what a connection is opened with; raise psycopg.ProgrammingError for no address."""
    usual = {"connect_timeout": CONNECT_SECONDS, "application_name": "citeseek"}
    # Statements are prepared for a connection, and a proxy such as PgBouncer gives another.
    return {**usual, **conninfo_to_dict(address), "prepare_threshold": None}


def reason_of(error: BaseException) -> str:
    """Return why in one line, without the statement; no driver says the password."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return shorten(plain_line(str(cause)), 300) or type(cause).__name__
