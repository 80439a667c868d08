"""The cache: keys, and scripts of searches against what the engine would answer."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from msgspec import structs

from citeseek.cache import MemoryCache
from citeseek.engine import EngineOptions
from citeseek.errors import BadGateway, SearchFailed, WebBlocked
from citeseek.http import Transports
from citeseek.models import SearchResponse
from citeseek.query import Query
from citeseek.runner import Route, Runner
from citeseek.service import Candidate, Service, cache_key
from tools.cases import Case, NotBuilt, unequal, unknown_keys

PERIODS = {"d": "day", "w": "week", "m": "month", "y": "year"}


def key(case: Case) -> list[str]:
    """Check ``cache.key``."""
    equal = _key(case["input"]["a"]) == _key(case["input"]["b"])
    return unequal("equal", case["expect"]["equal"], equal)


def script(case: Case) -> list[str]:
    """Check ``cache.script``."""
    given, expect = case["input"], case["expect"]
    played = asyncio.run(_play(given))
    known = {"upstream_calls", "returned_items", "hits", "misses", "second_unchanged"}
    found = unknown_keys(expect, known)
    for name in known & expect.keys():
        found += unequal(name, expect[name], played[name])
    return found


def _key(asked: dict[str, Any]) -> object:
    query = Query(
        text=" ".join(asked["query"].split()),
        count=asked["count"],
        language=asked["lang"],
        freshness=PERIODS.get(asked.get("time_range") or ""),  # type: ignore[arg-type]
        safesearch=asked.get("safesearch"),
    )
    return cache_key([[asked["engine"]]], query)


class _Upstream:
    """An engine in the plain form that answers what the script says next."""

    id = "upstream"

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.next: dict[str, Any] = {}

    async def search(self, query: str, num_results: int) -> list[dict[str, str]]:
        self.calls.append(query)
        if error := self.next.get("error"):
            raise WebBlocked(error, detail_code="http_429" if error == "rate_limited" else "")
        count = self.next.get("items", 1)
        if not count and self.next.get("unresponsive"):
            raise BadGateway("all engines failed")
        entries = [{"title": f"t{n}", "url": f"https://e.example/{n}"} for n in range(count)]
        return entries[:num_results]


async def _play(given: dict[str, Any]) -> dict[str, Any]:
    now = 0.0
    cache = MemoryCache(given["capacity"], ttl=given["ttl_s"], clock=lambda: now)
    upstream = _Upstream()
    runner = Runner(Transports())
    groups = [(Candidate("upstream", upstream, Route(options=EngineOptions()), 5),)]
    hits: list[str] = []
    responses: list[SearchResponse | None] = []
    for step in given["steps"]:
        if "wait_s" in step:
            now += step["wait_s"]
            continue
        upstream.next = step.get("upstream", {})
        if any(isinstance(value, dict) for value in upstream.next.values()):
            raise NotBuilt("several engines")
        try:
            # Anew at each step: a service leaves an engine alone that failed, and here it is the
            # cache alone that is looked at.
            response = await Service(runner).search(Query.of(step["search"]), groups, cache=cache)
        except SearchFailed:
            responses.append(None)
            continue
        responses.append(response)
        hits += [step["search"]] if response.cached else []
        if "then_mutate" in step:
            _try_to_change(response)
    return {
        "upstream_calls": len(upstream.calls),
        "returned_items": [response.count if response else 0 for response in responses],
        "hits": hits,
        "misses": upstream.calls,
        "second_unchanged": len(responses) > 1
        and bool(responses[0] and responses[1])
        and _items(responses[0]) == _items(responses[1]),
    }


def _items(response: SearchResponse | None) -> list[dict[str, Any]]:
    return [structs.asdict(item) for item in response.items] if response else []


def _try_to_change(response: SearchResponse) -> None:
    """Do what careless code would; frozen values refuse it."""
    with contextlib.suppress(AttributeError):
        response.items.clear()  # type: ignore[attr-defined]
    with contextlib.suppress(AttributeError):
        response.items[0].title = "X"  # type: ignore[misc]
