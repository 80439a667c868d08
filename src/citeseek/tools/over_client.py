"""What the tool providers of the contract share: a client of their own, or one that was lent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from citeseek.client import Client
from citeseek.engine import AnyEngine
from citeseek.settings import Settings


class OverClient:
    """A provider over ``client``; without one, a client is opened here and closed with it."""

    def __init__(
        self,
        client: Client | None,
        settings: Settings | None,
        *,
        engines: Iterable[AnyEngine] = (),
    ) -> None:
        self._is_owner = client is None
        self._client = Client(settings, engines=engines) if client is None else client

    async def aclose(self) -> None:
        """Close what was opened here; a client that was lent stays open."""
        if self._is_owner:
            await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
