"""Merging: the answers of several providers become one, failed ones are named."""

from __future__ import annotations

from typing import Any

from citeseek.merge import Vote, merge
from citeseek.models import SearchItem
from citeseek.query import Query
from tools.cases import Case, NotBuilt, unequal, unknown_keys

KNOWN = {
    "urls",
    "url_one_of",
    "count",
    "ranks",
    "distinct",
    "error",
    "error_not_null",
    "failed_providers",
}


def merged(case: Case) -> list[str]:
    """Check ``merge``."""
    given, expect = case["input"], case["expect"]
    if "timeout_s" in given:
        raise NotBuilt("merge under a deadline")
    failed = [name for name, answer in given["lists"].items() if isinstance(answer, dict)]
    error = "all engines failed" if len(failed) == len(given["lists"]) else None
    query = Query.of("x")
    items = merge(_votes(given["lists"]), query, given.get("limit", query.count))
    urls = [item.url for item in items]
    got = {
        "urls": urls,
        "count": len(items),
        "ranks": [item.rank for item in items],
        "distinct": len(set(urls)) == len(urls),
        "error": error,
        "error_not_null": error is not None,
        "failed_providers": failed,
    }
    found = unknown_keys(expect, KNOWN)
    for name in got.keys() & expect.keys():
        found += unequal(name, expect[name], got[name])
    if "url_one_of" in expect and not set(urls) <= set(expect["url_one_of"]):
        found.append(f"expected one of {expect['url_one_of']}, got {urls}")
    return found


def _votes(lists: dict[str, Any]) -> list[Vote]:
    return [
        Vote(
            name,
            index=name,
            items=[
                SearchItem(**fields, provider=name, rank=rank)
                for rank, fields in enumerate(answer, start=1)
            ],
        )
        for name, answer in lists.items()
        if isinstance(answer, list)
    ]
