"""Engines: a real answer over loopback, through the whole client."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from tests.loopback import LoopbackServer, Reply

from citeseek import Client, Settings
from citeseek.errors import (
    AuthError,
    BadGateway,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
)
from citeseek.models import SearchItem
from citeseek.searching.cache import session_cache
from tools.cases import Case
from tools.cases.expectations import Checks, differences, unequal
from tools.cases.names import engine_named


def parse(case: Case) -> list[str]:
    """Check ``engine.parse``."""
    given = case["input"]
    engine_id = engine_named(given["engine"]).id
    if "body_b64" in given:
        body: bytes = base64.b64decode(given["body_b64"])
    else:
        body = given["body"].encode()
    with LoopbackServer() as server:
        server.otherwise(Reply(given["status"], given["headers"], body))
        query = given.get("query") or "x"
        items, error, kept = asyncio.run(_search(engine_id, server.base_url, query))
    return _differences(case["expect"], items, error, kept=kept)


# A case is about what an answer means; a browser on a busy machine starts late.
_UNHURRIED = {"browser": {"start_seconds": 30}, "search": {"timeout_seconds": 40}}


async def _search(
    engine_id: str, base_url: str, query: str
) -> tuple[list[SearchItem], SearchFailed | None, bool]:
    """Return the items, the error, and whether the cache kept the answer."""
    entry = {"base_url": base_url, "api_key": "k"}
    config = {"engines": {engine_id: entry}, **_UNHURRIED}
    settings = Settings.load(config=config, agents={}, env={})
    cache = session_cache()
    async with Client(settings) as client:
        try:
            response = await client.search(query, engine=engine_id, cache=cache)
        except SearchFailed as error:
            return [], error, len(cache) > 0
    return list(response.items), None, len(cache) > 0


KINDS: tuple[tuple[type[SearchFailed], str], ...] = (
    (WebBlocked, "blocked"),
    (AuthError, "forbidden"),
    (WebParseError, "bad_response"),
    (BadGateway, "upstream_failed"),
    (Timeout, "timeout"),
)
BLOCKS = {"http_429": "rate_limited", "http_403": "forbidden"}


def kind(error: SearchFailed | None) -> str | None:
    """Return the cases' word for an error."""
    if error is None:
        return None
    if error.detail_code in BLOCKS and isinstance(error, WebBlocked):
        return BLOCKS[error.detail_code]
    return next((word for type_, word in KINDS if isinstance(error, type_)), error.error_code)


def _differences(
    expect: dict[str, Any], items: list[SearchItem], error: SearchFailed | None, *, kept: bool
) -> list[str]:
    tidy = _collapsed if expect.get("collapse_space") else str
    shown = [{"title": tidy(i.title), "url": i.url, "snippet": tidy(i.snippet)} for i in items]
    values = {
        "urls": [item.url for item in items],
        "ranks": [item.rank for item in items],
        "titles_non_empty": all(item.title for item in items),
        "error": kind(error),
        "error_text": str(error or ""),
        "error_not_null": error is not None,
        "cacheable": kept,
        # Whatever else the search raises ends the case.
        "no_exception_escapes": True,
        # How the other expectations are compared.
        "collapse_space": bool(expect.get("collapse_space")),
    }

    def equal(wanted: list[dict[str, Any]]) -> list[str]:
        given = [{name: got[name] for name in want} for want, got in zip(wanted, shown)]  # noqa: B905
        return unequal("count", len(wanted), len(shown)) + unequal("items", wanted, given)

    def include(wanted: list[dict[str, Any]]) -> list[str]:
        absent = [one for one in wanted if not any(one.items() <= got.items() for got in shown)]
        return [f"expected an item {one}, got {shown}" for one in absent]

    def have(names: list[str]) -> list[str]:
        return [f"{got} lacks {name}" for got in shown for name in names if not got.get(name)]

    checks: Checks = {"items": equal, "items_include": include, "all_items_have": have}
    return differences(expect, values, checks)


def _collapsed(text: str) -> str:
    return " ".join(text.split())
