"""From one layout of the tables to the next, in a SQLite file as in Postgres.

The steps are Alembic's, one file each in ``versions``. Alembic itself is loaded only where there is
something to do: it takes longer than everything else that opening a file does.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, Table, Text, insert, inspect, select

from citeseek.conversations.tables import TABLES

# The steps in their order; the last one leads to the tables as they are in tables.py.
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010")
HEAD = REVISIONS[-1]
# Not Alembic's own name: the database may have tables of others.
VERSION_TABLE = "citeseek_version"

_VERSION = Table(
    VERSION_TABLE, MetaData(), Column("version_num", Text, primary_key=True, nullable=False)
)


def find_version(connection: Connection) -> str | None:
    """Return the revision of the tables that are there, None where none of them has been made."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalars(select(_VERSION.c.version_num)).one_or_none()


def make(connection: Connection) -> None:
    """Make the tables as they are now."""
    TABLES.create_all(connection, checkfirst=False)
    mark(connection, HEAD)


def mark(connection: Connection, revision: str) -> None:
    """Note that the tables, of which nothing was noted yet, are those of ``revision``."""
    _VERSION.create(connection)
    connection.execute(insert(_VERSION).values(version_num=revision))


def bring_up(connection: Connection) -> None:
    """Make the tables, or of those that are there those of now, in the transaction under way."""
    if (found := find_version(connection)) is None:
        make(connection)
    elif found != HEAD:
        upgrade(connection)


def upgrade(connection: Connection) -> None:
    """Take every step that was not taken yet, in the transaction under way."""
    from alembic import command  # noqa: PLC0415 - see above
    from alembic.config import Config  # noqa: PLC0415 - likewise

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
