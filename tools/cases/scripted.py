"""Engines in the plain form that answer what a case says, and a service that asks them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from citeseek.engine import EngineOptions
from citeseek.errors import BadGateway, Timeout, WebBlocked
from citeseek.http import Transports
from citeseek.searching.engine_group import Candidate, Group
from citeseek.searching.runner import Route, Runner
from citeseek.searching.service import Service

SECONDS = 5.0


class Scripted:
    """Answers what ``answer`` says: items, a number of them, an error, or never."""

    def __init__(self, engine_id: str) -> None:
        self.id = engine_id
        self.calls: list[str] = []
        self.answer: dict[str, Any] | list[dict[str, str]] = {}

    async def search(self, query: str, num_results: int) -> list[dict[str, str]]:
        """Answer as told."""
        self.calls.append(query)
        if isinstance(self.answer, list):
            return self.answer
        if self.answer.get("hangs_s"):
            await asyncio.Event().wait()
        match self.answer.get("error"):
            case None:
                pass
            case "timeout":
                raise Timeout("late")
            case "rate_limited":
                raise WebBlocked("too many", detail_code="http_429")
            case other:
                raise WebBlocked(other, detail_code="captcha_required")
        count = self.answer.get("items", 1)
        if not count and self.answer.get("unresponsive"):
            raise BadGateway("all engines failed")
        entries = [{"title": f"t{n}", "url": f"https://e.example/{n}"} for n in range(count)]
        return entries[:num_results]


def side_by_side(engines: Iterable[Scripted], seconds: float = SECONDS) -> list[Group]:
    """Return the one group that asks all ``engines`` at the same time."""
    route = Route(options=EngineOptions())
    return [tuple(Candidate(engine.id, engine, route, seconds) for engine in engines)]


def service() -> Service:
    """Return a service of its own: one leaves an engine alone that has failed before."""
    return Service(Runner(Transports()))
