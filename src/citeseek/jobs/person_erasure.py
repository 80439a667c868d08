"""A person is erased for good: what they have under way is stopped, and what is kept is deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec import structs

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.erasure import Belongings, count_belongings, erase_rows
from citeseek.conversations.usage import UsageMeter
from citeseek.errors import InvalidInput, reason_of
from citeseek.jobs.batches import Batches
from citeseek.jobs.reports import Reports
from citeseek.live_answers.hub import Hub
from citeseek.person import Person, acting_as
from citeseek.trace import trace_file


class PersonErasure:
    """Erases people from ``database`` and from the folder ``traces``.

    ``hub`` and ``meter`` are those of a server: what a person has under way in this process is
    stopped at once. Other processes find it out within seconds
    (:class:`~citeseek.conversations.erasure.ErasureWatch`).
    """

    def __init__(
        self,
        database: DatabaseStore,
        reports: Reports,
        batches: Batches,
        traces: Path | None,
        *,
        hub: Hub | None = None,
        meter: UsageMeter | None = None,
    ) -> None:
        self._database = database
        self._reports = reports
        self._batches = batches
        self._traces = traces
        self._hub = hub
        self._meter = meter

    async def count(self, name: str) -> Belongings:
        """Return how much is kept of the person ``name``."""
        found = await self._database.read(count_belongings, name)
        traces = len(trace_file.files_of(self._traces, name)) if self._traces else 0
        return structs.replace(found, traces=traces)

    async def erase(self, name: str) -> Belongings:
        """Stop what the person ``name`` has under way and delete what is kept of them for good.

        Return how much that was. Raise InvalidInput where a trace cannot be deleted, Busy and
        CiteseekError of the database: it may be done again then.
        """
        with acting_as(Person(name, "member")):
            await self._reports.cancel_all()
            await self._batches.cancel_all()
        await self.forget(name.__eq__)
        erased = await self._database.erase(erase_rows, name)
        await self._database.compact()
        if self._hub is not None:
            await self._hub.forget_streams(erased.conversations)
        traces = await asyncio.to_thread(_erase_traces, self._traces, name) if self._traces else 0
        return structs.replace(erased.belongings, traces=traces)

    async def forget(self, is_theirs: Callable[[str], bool]) -> None:
        """Stop what is under way here for the person of that name, and forget it."""
        if self._hub is not None:
            await self._hub.forget_person(is_theirs)
        if self._meter is not None:
            self._meter.forget(is_theirs)


def _erase_traces(folder: Path, name: str) -> int:
    try:
        return trace_file.erase_of(folder, name)
    except OSError as reason:
        raise InvalidInput(
            f"The traces of {name} cannot be deleted ({reason.strerror}).",
            values={"case": "traces_stay", "name": name, **reason_of(reason)},
        ) from None
