"""What a server does by itself to what it keeps: old things go, and people who were erased."""

from __future__ import annotations

from pathlib import Path

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.erasure import ErasureWatch
from citeseek.conversations.retention import Retention
from citeseek.conversations.usage import UsageMeter
from citeseek.jobs.batches import Batches
from citeseek.jobs.person_erasure import PersonErasure
from citeseek.jobs.reports import Reports
from citeseek.live_answers.hub import Hub
from citeseek.settings import Settings


class Maintenance:
    """Retention by age in ``database``, and what becomes of people whom others erased there."""

    def __init__(
        self,
        settings: Settings,
        database: DatabaseStore,
        reports: Reports,
        batches: Batches,
        *,
        hub: Hub,
        meter: UsageMeter,
    ) -> None:
        traces = Path(settings.trace.dir) if settings.trace.dir else None
        self.erasure = PersonErasure(database, reports, batches, traces, hub=hub, meter=meter)
        self._erased = ErasureWatch(database, self.erasure.forget)
        self._retention = Retention(database, settings.server.keep_days, traces)

    async def begin(self) -> None:
        """Begin."""
        await self._erased.begin()
        self._retention.begin()

    async def close(self) -> None:
        """End."""
        await self._retention.close()
        await self._erased.close()
