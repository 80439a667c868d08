"""Clients for the settings as they stand when a conversation begins."""

from __future__ import annotations

from collections.abc import Callable

from citeseek.client import Client
from citeseek.settings import Settings


class Clients:
    """Reads the settings anew for each conversation and shares a client among equal ones.

    An open conversation keeps the client that it began with, whatever is written into the files
    meanwhile. What ``load`` raises for files that cannot be read, the beginner gets.
    """

    def __init__(self, load: Callable[[], Settings] = Settings.load) -> None:
        self._load = load
        self._open: list[Client] = []

    def current(self) -> Client:
        """Return the client for the settings as they are now."""
        settings = self._load()
        for client in self._open:
            if client.settings.same_as(settings):
                return client
        self._open.append(Client(settings))
        return self._open[-1]

    async def close(self) -> None:
        """Close every client."""
        while self._open:
            await self._open.pop().close()
