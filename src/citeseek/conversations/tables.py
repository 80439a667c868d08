"""The tables that keep conversations, reports and batches, in a SQLite file as in Postgres.

Turns, sources and rounds are rows of their own: what was said before is not written again. All of
them belong to a row of ``sessions``, so that whose a conversation is need be said there alone: its
``person`` is the name of a :class:`~citeseek.person.Person`. The ids of what was deleted stay: an
answer still under way must not bring it back.

Whatever is changed here needs a migration beside it, see :mod:`citeseek.conversations.migrations`.
"""

from __future__ import annotations

from sqlalchemy import (
    REAL,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

TABLES = MetaData()

# Compared by their bytes, as everywhere else: pages of a list begin behind an id.
ID = Text().with_variant(Text(collation="C"), "postgresql")
SECONDS: REAL[float] = REAL().with_variant(Double(), "postgresql")
# In SQLite it has to be this very type to be the number of the row.
PLACE = Integer().with_variant(BigInteger(), "postgresql")

# Something was said, or an answer to it is under way. Texts, since the indexes need them so.
SAID = text("(turns > 0 OR asked)")
SILENT = text("turns = 0")

SESSIONS = Table(
    "sessions",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("title", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("agent_id", Text),
    Column("created_at", SECONDS, nullable=False),
    Column("updated_at", SECONDS, nullable=False),
    Column("turns", Integer, nullable=False, server_default="0"),
    Column("value", LargeBinary, nullable=False),
    Column("asked", Boolean, nullable=False, server_default=false()),
    # The id of the last turn that is shown; empty stands for the newest.
    Column("head", Text, nullable=False, server_default=""),
    Column("person", ID, nullable=False, server_default=""),
)
Index(
    "listed",
    SESSIONS.c.person,
    SESSIONS.c.updated_at,
    SESSIONS.c.id,
    sqlite_where=SAID,
    postgresql_where=SAID,
)
Index(
    "silent",
    SESSIONS.c.person,
    SESSIONS.c.created_at,
    sqlite_where=SILENT,
    postgresql_where=SILENT,
)


def _session() -> Column[str]:
    return Column("session", ID, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False)


TURNS = Table(
    "turns",
    TABLES,
    Column("place", PLACE, primary_key=True),
    _session(),
    Column("value", LargeBinary, nullable=False),
    Column("id", Text, nullable=False, server_default=""),
    # The id of the turn from which it goes on, empty for a first one, NULL for the one before it.
    Column("follows", Text),
)
Index("turns_of", TURNS.c.session, TURNS.c.place)


def _numbered(name: str) -> Table:
    """Return a table of what has a number in its conversation, which is its place."""
    session = _session()
    session.primary_key = True
    place = Column("place", Integer, primary_key=True, autoincrement=False)
    return Table(name, TABLES, session, place, Column("value", LargeBinary, nullable=False))


SOURCES = _numbered("sources")
ROUNDS = _numbered("rounds")

FILES = Table(
    "files",
    TABLES,
    Column("place", PLACE, primary_key=True),
    _session(),
    Column("url", Text, nullable=False),
    Column("value", LargeBinary, nullable=False),
    UniqueConstraint("session", "url"),
)
DELETED = Table("deleted", TABLES, Column("id", ID, primary_key=True))

# The states of a job that is still to be done, or is being done.
OPEN_STATES = ("queued", "running")
OPEN = text(f"state IN {OPEN_STATES}")

REPORTS = Table(
    "reports",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("state", Text, nullable=False),
    Column("created_at", SECONDS, nullable=False),
    Column("updated_at", SECONDS, nullable=False),
    # How often it was begun: who began it last may write, and nobody else.
    Column("attempt", Integer, nullable=False, server_default="0"),
    # How often it was begun and neither ended nor given back.
    Column("lost", Integer, nullable=False, server_default="0"),
    # Without a queue: the process that has it, and when that was last heard of.
    Column("owner", Text, nullable=False, server_default=""),
    Column("beat_at", SECONDS, nullable=False, server_default="0"),
    # Its number in the queue of Postgres.
    Column("job", PLACE),
    Column("value", LargeBinary, nullable=False),
    Column("error", LargeBinary),
    Column("result", LargeBinary),
    Column("person", ID, nullable=False, server_default=""),
)
Index("reports_listed", REPORTS.c.person, REPORTS.c.created_at, REPORTS.c.id)
Index("reports_open", REPORTS.c.beat_at, sqlite_where=OPEN, postgresql_where=OPEN)


def _report() -> Column[str]:
    return Column("report", ID, ForeignKey("reports.id", ondelete="CASCADE"), primary_key=True)


# The journal of a report that has not ended.
REPORT_ANSWERS = Table(
    "report_answers",
    TABLES,
    _report(),
    # A hash: what was asked may be longer than an index takes.
    Column("key", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
REPORT_EVENTS = Table(
    "report_events",
    TABLES,
    _report(),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("value", LargeBinary, nullable=False),
)

# Many questions that were given at one time, and are answered in parts.
BATCHES = Table(
    "batches",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("state", Text, nullable=False),
    Column("created_at", SECONDS, nullable=False),
    Column("updated_at", SECONDS, nullable=False),
    # When its first part was begun.
    Column("began_at", SECONDS, nullable=False, server_default="0"),
    Column("total", PLACE, nullable=False, server_default="0"),
    Column("done", PLACE, nullable=False, server_default="0"),
    Column("failed", PLACE, nullable=False, server_default="0"),
    Column("parts", Integer, nullable=False, server_default="0"),
    # The first part that is not in the queue yet: no more than so many of them are.
    Column("next", Integer, nullable=False, server_default="0"),
    # As of reports.
    Column("owner", Text, nullable=False, server_default=""),
    Column("beat_at", SECONDS, nullable=False, server_default="0"),
    Column("value", LargeBinary, nullable=False),
    Column("person", ID, nullable=False, server_default=""),
)
Index("batches_listed", BATCHES.c.person, BATCHES.c.created_at, BATCHES.c.id)
Index("batches_open", BATCHES.c.beat_at, sqlite_where=OPEN, postgresql_where=OPEN)
BATCH_PARTS = Table(
    "batch_parts",
    TABLES,
    Column("batch", ID, ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),
    Column("lines", Integer, nullable=False),
    # As of reports.
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("lost", Integer, nullable=False, server_default="0"),
    Column("job", PLACE),
    Column("ended_at", SECONDS, nullable=False, server_default="0"),
    # JSON Lines, compressed.
    Column("asked", LargeBinary, nullable=False),
    Column("answers", LargeBinary),
)
Index("batch_parts_ended", BATCH_PARTS.c.batch, BATCH_PARTS.c.ended_at)

# How much each person used on a day of UTC, written as 2026-11-30.
USAGE = Table(
    "usage",
    TABLES,
    Column("person", ID, primary_key=True),
    Column("day", Text, primary_key=True),
    *(
        Column(name, PLACE, nullable=False, server_default="0")
        for name in (
            *("searches", "pages", "answers", "reports"),
            *("model_calls", "input_tokens", "output_tokens"),
        )
    ),
)

# Links to a turn or a report; who has the id may read it, until the row is gone.
SHARES = Table(
    "shares",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("person", ID, nullable=False),
    Column("created_at", SECONDS, nullable=False),
    Column("session", ID, ForeignKey("sessions.id", ondelete="CASCADE")),
    Column("turn", Text),
    Column("report", ID, ForeignKey("reports.id", ondelete="CASCADE")),
)
Index("shares_listed", SHARES.c.person, SHARES.c.created_at)
Index("shares_of_session", SHARES.c.session)
Index("shares_of_report", SHARES.c.report)

# What one process of all does now and then, and when that was done last.
CHORES = Table(
    "chores",
    TABLES,
    Column("name", ID, primary_key=True),
    Column("done_at", SECONDS, nullable=False),
)
# Tells processes for a while that a person was erased; of the name there is a hash alone.
ERASURES = Table(
    "erasures",
    TABLES,
    Column("place", PLACE, primary_key=True),
    Column("person", ID, nullable=False),
    Column("erased_at", SECONDS, nullable=False),
)

# Programs that registered themselves, to be given access by people (RFC 7591).
OAUTH_CLIENTS = Table(
    "oauth_clients",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("created_at", SECONDS, nullable=False),
    Column("value", LargeBinary, nullable=False),
)
Index("oauth_clients_of_age", OAUTH_CLIENTS.c.created_at)

# What a person lets a program do: one consent, which ends with its tokens when it expires.
OAUTH_GRANTS = Table(
    "oauth_grants",
    TABLES,
    Column("id", ID, primary_key=True),
    Column("person", ID, nullable=False),
    Column("client", ID, nullable=False),
    # What the program calls itself, and where it is sent back to.
    Column("name", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("resource", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("created_at", SECONDS, nullable=False),
    # When the program last got tokens; 0 before its first ones.
    Column("used_at", SECONDS, nullable=False, server_default="0"),
    Column("expires_at", SECONDS, nullable=False),
)
Index("oauth_grants_listed", OAUTH_GRANTS.c.person, OAUTH_GRANTS.c.created_at)
Index("oauth_grants_of_client", OAUTH_GRANTS.c.client)
Index("oauth_grants_ending", OAUTH_GRANTS.c.expires_at)

# Codes, access tokens and refresh tokens, of which only the SHA-256 is known here.
OAUTH_TOKENS = Table(
    "oauth_tokens",
    TABLES,
    Column("hash", ID, primary_key=True),
    Column("grant_id", ID, ForeignKey("oauth_grants.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("expires_at", SECONDS, nullable=False),
    # A code and a refresh token count once: when that was.
    Column("used_at", SECONDS, nullable=False, server_default="0"),
    # Of a code: where it may be redeemed, and by whom.
    Column("value", LargeBinary),
)
Index("oauth_tokens_of_grant", OAUTH_TOKENS.c.grant_id)
Index("oauth_tokens_ending", OAUTH_TOKENS.c.expires_at)
