"""Reports that a host begins and reads later, kept where the server's conversations are."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from citeseek.client import Client
from citeseek.conversations.store import Store, open_store
from citeseek.errors import InvalidInput
from citeseek.extras import MissingExtra

if TYPE_CHECKING:
    from citeseek.jobs.reports import Reports


class ReportShelf:
    """Opens the database of reports when somebody first asks for it: most hosts never do."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._turn = asyncio.Lock()
        self._store: Store | None = None
        self._reports: Reports | None = None

    async def open(self) -> Reports:
        """Return the reports; raise InvalidInput where they cannot be kept."""
        async with self._turn:
            if self._reports is None:
                self._reports = await self._open()
            return self._reports

    async def close(self) -> None:
        """Leave what is not finished for another, or for the next time."""
        if self._reports is not None:
            await self._reports.close()
        if self._store is not None:
            await self._store.close()

    async def _open(self) -> Reports:
        settings = self._client.settings
        try:
            # Libraries are loaded, and the file is looked at.
            store: Store = await asyncio.to_thread(open_store, settings)
        except MissingExtra as error:
            raise InvalidInput("Reports cannot be kept here.", hint=str(error)) from None
        from citeseek.jobs.reports import open_reports  # noqa: PLC0415 - with the extra

        self._store = store
        reports = open_reports(settings, store, lambda: self._client)
        await reports.start()
        return reports
