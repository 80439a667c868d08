"""How much each person uses: numbers by day, and none of what was said."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

import msgspec
from sqlalchemy import Connection, Insert, func, select
from sqlalchemy.dialects import postgresql, sqlite

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.tables import USAGE
from citeseek.errors import CiteseekError, InvalidInput
from citeseek.observing.operation import Kind, Operation
from citeseek.person import current_person

FLUSH_SECONDS = 5.0
MAX_DAYS = 366

# A person and a day.
Key: TypeAlias = tuple[str, str]

log = logging.getLogger(__name__)


class UseCounts(msgspec.Struct, kw_only=True):
    """What was done for somebody, each as often; tokens are those that the model's server counts.

    What was under way within something else counts as well: the searches of an answer.
    """

    searches: int = 0
    pages: int = 0
    answers: int = 0
    reports: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class PersonUse(msgspec.Struct, frozen=True, kw_only=True):
    """How much ``person`` used; the empty name is whoever runs the program."""

    person: str
    use: UseCounts


_COUNTED: Mapping[Kind, str] = {
    "search": "searches",
    "fetch": "pages",
    "answer": "answers",
    "report": "reports",
    "model": "model_calls",
}
_FIELDS = UseCounts.__struct_fields__


class UsageMeter:
    """A watcher that counts for each person, and adds it to ``database`` every 5 seconds.

    What a process that is killed counted within them is lost.
    """

    def __init__(self, database: DatabaseStore) -> None:
        self._database = database
        self._new: dict[Key, UseCounts] = {}
        self._adding: asyncio.Task[None] | None = None

    def began(self, operation: Operation) -> None:
        """Do nothing: what counts is known at the end."""

    def ended(self, operation: Operation) -> None:
        """Count ``operation`` for whoever it was done for."""
        name = _COUNTED.get(operation.kind)
        # What was refused for what was asked was not done.
        if name is None or isinstance(operation.error, InvalidInput):
            return
        key = current_person().name, _day(time.time())
        use = self._new.setdefault(key, UseCounts())
        setattr(use, name, getattr(use, name) + 1)
        use.input_tokens += operation.input_tokens or 0
        use.output_tokens += operation.output_tokens or 0

    def begin(self) -> None:
        """Begin to add what was counted."""
        self._adding = asyncio.create_task(self._add_again())

    async def close(self) -> None:
        """Add what is left, and end."""
        if self._adding is not None:
            self._adding.cancel()
            with suppress(asyncio.CancelledError):
                await self._adding
        await self.flush()

    async def flush(self) -> None:
        """Add what was counted; where the database is away, it is added later."""
        new, self._new = self._new, {}
        if not new:
            return
        try:
            await self._database.write(_add, new)
        except CiteseekError as error:
            log.warning("what people use is added later: %s", error)
            for key, use in new.items():
                self._new[key] = _sum(use, self._new.get(key, UseCounts()))

    def forget(self, is_theirs: Callable[[str], bool]) -> None:
        """Drop what was counted for the person of that name and not added yet."""
        self._new = {key: use for key, use in self._new.items() if not is_theirs(key[0])}

    async def list(self, days: int) -> Sequence[PersonUse]:
        """Return how much each person used within the last ``days``, today among them."""
        await self.flush()
        return await list_usage(self._database, days)

    async def _add_again(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self.flush()


async def list_usage(database: DatabaseStore, days: int) -> Sequence[PersonUse]:
    """Return what ``database`` has of it, by name; days are those of UTC."""
    since = _day(time.time() - (days - 1) * 24 * 3600)
    return await database.read(_list, since)


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))


def _sum(one: UseCounts, other: UseCounts) -> UseCounts:
    return UseCounts(**{name: getattr(one, name) + getattr(other, name) for name in _FIELDS})


def _added(new: postgresql.Insert | sqlite.Insert) -> Insert:
    """Return the statement that adds to what is there."""
    sums = {name: USAGE.c[name] + new.excluded[name] for name in _FIELDS}
    return new.on_conflict_do_update(index_elements=["person", "day"], set_=sums)


# What both have in common has two doors all the same.
_ADD = {"sqlite": _added(sqlite.insert(USAGE)), "postgresql": _added(postgresql.insert(USAGE))}


def _add(connection: Connection, new: Mapping[Key, UseCounts]) -> None:
    # In one order everywhere: processes that add at one time do not wait for each other in a ring.
    rows = [
        {"person": person, "day": day, **msgspec.structs.asdict(use)}
        for (person, day), use in sorted(new.items())
    ]
    connection.execute(_ADD[connection.dialect.name], rows)


def _list(connection: Connection, since: str) -> Sequence[PersonUse]:
    sums = [func.sum(USAGE.c[name]).label(name) for name in _FIELDS]
    rows = connection.execute(
        select(USAGE.c.person, *sums)
        .where(USAGE.c.day >= since)
        .group_by(USAGE.c.person)
        .order_by(USAGE.c.person)
    )
    return [
        PersonUse(
            person=row.person, use=UseCounts(**{name: int(getattr(row, name)) for name in _FIELDS})
        )
        for row in rows
    ]
