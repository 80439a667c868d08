"""The cache: keys, and scripts of searches against what the engine would answer."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from msgspec import structs

from citeseek.errors import SearchFailed
from citeseek.models import SearchResponse
from citeseek.query import Query
from citeseek.searching.cache import MemoryCache
from citeseek.searching.service import cache_key
from tools.cases import Case
from tools.cases.expectations import differences
from tools.cases.scripted import Scripted, service, side_by_side

PERIODS = {"d": "day", "w": "week", "m": "month", "y": "year"}


def key(case: Case) -> list[str]:
    """Check ``cache.key``."""
    equal = _key(case["input"]["a"]) == _key(case["input"]["b"])
    return differences(case["expect"], {"equal": equal})


def script(case: Case) -> list[str]:
    """Check ``cache.script``."""
    return differences(case["expect"], asyncio.run(_play(case["input"])))


def _key(asked: dict[str, Any]) -> object:
    query = Query(
        text=" ".join(asked["query"].split()),
        count=asked["count"],
        language=asked["lang"],
        freshness=PERIODS.get(asked.get("time_range") or ""),  # type: ignore[arg-type]
        safesearch=asked.get("safesearch"),
    )
    return cache_key([[asked["engine"]]], query)


async def _play(given: dict[str, Any]) -> dict[str, Any]:
    now = 0.0
    cache = MemoryCache(given["capacity"], ttl=given["ttl_s"], clock=lambda: now)
    engines = _engines(given["steps"])
    hits: list[str] = []
    responses: list[SearchResponse | None] = []
    for step in given["steps"]:
        if "wait_s" in step:
            now += step["wait_s"]
            continue
        for engine in engines:
            upstream = step.get("upstream", {})
            engine.answer = upstream.get(engine.id, upstream)
        query, groups = Query.of(step["search"]), side_by_side(engines)
        try:
            response = await service().search(query, groups, cache=cache)
        except SearchFailed:
            responses.append(None)
            continue
        responses.append(response)
        hits += [step["search"]] if response.cached else []
        if "then_mutate" in step:
            _try_to_change(response)
    return {
        "upstream_calls": len(engines[0].calls),
        "returned_items": [response.count if response else 0 for response in responses],
        "hits": hits,
        "misses": engines[0].calls,
        "second_unchanged": len(responses) > 1
        and bool(responses[0] and responses[1])
        and _items(responses[0]) == _items(responses[1]),
    }


def _engines(steps: list[dict[str, Any]]) -> list[Scripted]:
    """Return an engine for each that the script names, or one for all."""
    named = [
        name
        for step in steps
        for name, answer in step.get("upstream", {}).items()
        if isinstance(answer, dict)
    ]
    return [Scripted(name) for name in dict.fromkeys(named or ["upstream"])]


def _items(response: SearchResponse | None) -> list[dict[str, Any]]:
    return [structs.asdict(item) for item in response.items] if response else []


def _try_to_change(response: SearchResponse) -> None:
    """Do what careless code would; frozen values refuse it."""
    with contextlib.suppress(AttributeError):
        response.items.clear()  # type: ignore[attr-defined]
    with contextlib.suppress(AttributeError):
        response.items[0].title = "X"  # type: ignore[misc]
