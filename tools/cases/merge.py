"""Merging: the answers of several engines become one, those that failed are named."""

from __future__ import annotations

import asyncio
from typing import Any

from citeseek.errors import SearchFailed
from citeseek.models import SearchResponse
from citeseek.query import Query
from citeseek.searching.cache import NoCache
from tools.cases import Case
from tools.cases.expectations import differences, missing
from tools.cases.scripted import SECONDS, Scripted, service, side_by_side


def check(case: Case) -> list[str]:
    """Check ``merge``."""
    response, error = asyncio.run(_search(case["input"]))
    items = response.items if response else ()
    urls = [item.url for item in items]
    seen = {
        "urls": urls,
        "count": len(items),
        "ranks": [item.rank for item in items],
        "distinct": len(set(urls)) == len(urls),
        "error": error and error.error_code,
        "error_not_null": error is not None,
        "failed_providers": [failure.engine for failure in response.errors] if response else [],
    }
    checks = {"url_one_of": lambda wanted: missing("only", urls, wanted)}
    return differences(case["expect"], seen, checks)


async def _search(given: dict[str, Any]) -> tuple[SearchResponse | None, SearchFailed | None]:
    engines = []
    for name, answer in given["lists"].items():
        engine = Scripted(name)
        engine.answer = answer
        engines.append(engine)
    groups = side_by_side(engines, given.get("timeout_s", SECONDS))
    query = Query.of("x", count=given.get("limit", 10))
    try:
        return await service().search(query, groups, cache=NoCache()), None
    except SearchFailed as error:
        return None, error
