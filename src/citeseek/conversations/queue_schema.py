"""The tables of Procrastinate, whose queue of jobs is in the same Postgres.

They come with that library: its migrations are taken in the order of their names, and the name of
the last one is written down, since the library writes down none.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias

import psycopg
from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    Table,
    Text,
    insert,
    inspect,
    select,
    text,
    update,
)

# What tables of the library are called, ours of them as well.
PREFIX = "procrastinate_"

_VERSION = Table("citeseek_queue", MetaData(), Column("migration", Text, nullable=False))

_WITHOUT_WORKER = text(
    f"SELECT count(*) FROM {PREFIX}jobs WHERE status = 'todo' AND NOT EXISTS (SELECT"  # noqa: S608
    f" FROM {PREFIX}workers WHERE last_heartbeat > now() - INTERVAL '30 seconds')"
)

State: TypeAlias = Literal["ok", "behind", "later", "foreign"]


def judge(connection: Connection) -> State:
    """Return how the tables stand beside those of the library that is installed.

    ``foreign`` are those that another program made for itself.
    """
    found, wanted = _find(connection), _migrations()[-1].name
    if found is None:
        return "foreign" if inspect(connection).has_table(f"{PREFIX}jobs") else "behind"
    if found == wanted:
        return "ok"
    return "behind" if found < wanted else "later"


def bring_up(connection: Connection) -> None:
    """Make the tables, or those of now from earlier ones, in the transaction under way."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)  # noqa: S101 - it is Postgres
    *_, last = migrations = _migrations()
    if (found := _find(connection)) is None:
        steps = [last.parents[1] / "schema.sql"]
        _VERSION.create(connection)
        connection.execute(insert(_VERSION).values(migration=last.name))
    else:
        steps = [migration for migration in migrations if migration.name > found]
        connection.execute(update(_VERSION).values(migration=last.name))
    for step in steps:
        # Many statements in one text, which only the driver takes, and only without values.
        driver.execute(step.read_bytes())


def count_without_worker(connection: Connection) -> int:
    """Return how many jobs wait, 0 where a worker was heard of within half a minute."""
    return connection.scalar(_WITHOUT_WORKER) or 0


def _find(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION.name):
        return None
    return connection.scalars(select(_VERSION.c.migration)).one_or_none()


@cache
def _migrations() -> list[Path]:
    """Return the files of the library's migrations; importing it takes a third of a second."""
    found = find_spec("procrastinate")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("No module named 'procrastinate'", name="procrastinate")
    return sorted((Path(found.origin).parent / "sql" / "migrations").glob("*.sql"))
