"""Clients for the settings as they stand when a conversation begins."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakSet

from citeseek.client import Client
from citeseek.settings import Settings

# Of settings that were edited lately; somebody may edit them back.
MAX_READY = 4


class Clients:
    """Reads the settings anew for each conversation and shares a client among equal ones.

    An open conversation keeps the client that it began with, whatever is written into the files
    meanwhile. All of them share connections, and what is known of the engines that an edit leaves
    as they are. What ``load`` raises for files that cannot be read, the beginner gets.
    """

    def __init__(self, load: Callable[[], Settings] = Settings.load) -> None:
        self._load = load
        # Most recently used last; the others are those that open conversations still have.
        self._ready: list[Client] = []
        self._open: WeakSet[Client] = WeakSet()

    def current(self) -> Client:
        """Return the client for the settings as they are now."""
        settings = self._load()
        for client in self._ready:
            if client.settings.same_as(settings):
                break
        else:
            client = Client(settings, beside=self._ready[-1] if self._ready else None)
            self._open.add(client)
        if self._ready[-1:] != [client]:
            self._ready = [*(one for one in self._ready if one is not client), client]
            while len(self._ready) > MAX_READY:
                self._ready.pop(0).forget()
        return client

    async def close(self) -> None:
        """Close every client."""
        self._ready.clear()
        while self._open:
            await self._open.pop().close()
