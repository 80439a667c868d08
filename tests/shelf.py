"""An engine in the plain form, as a third party writes it, that does as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from citeseek.engine import EngineOptions
from citeseek.searching.engine_group import Candidate, Group
from citeseek.searching.runner import Route

RESULT = {"title": "Tea", "url": "https://e.example/", "snippet": "A leaf."}


class Shelf:
    """Gives or raises ``outcome`` while ``open`` is set, and keeps what it was called with."""

    def __init__(
        self,
        outcome: list[Any] | Exception | None = None,
        *,
        id: str = "shelf",  # noqa: A002 - the contract's name
    ) -> None:
        self.id = id
        self.outcome: list[Any] | Exception = [RESULT] if outcome is None else outcome
        self.calls: list[tuple[str, int]] = []
        self.called = asyncio.Event()
        self.ended = asyncio.Event()
        self.open = asyncio.Event()
        self.open.set()

    async def search(self, query: str, num_results: int) -> Sequence[object]:
        self.calls.append((query, num_results))
        self.called.set()
        try:
            await self.open.wait()
        finally:
            self.ended.set()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def in_turn(*engines: Shelf, seconds: float = 5) -> list[Group]:
    """Return the engines as groups of one, asked as one, two and three."""
    return [(candidate,) for candidate in together(*engines, seconds=seconds)]


def together(*engines: Shelf, seconds: float = 5) -> Group:
    """Return the engines as one group, asked as one, two and three."""
    names = ("one", "two", "three")[: len(engines)]
    route = Route(options=EngineOptions())
    return tuple(
        Candidate(name, engine, route, seconds) for name, engine in zip(names, engines, strict=True)
    )
