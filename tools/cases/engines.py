"""Engines: a real answer over loopback, through the whole client."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from tests.loopback import LoopbackServer, Reply

from citeseek import Client, Settings
from citeseek.cache import session_cache
from citeseek.errors import (
    AuthError,
    BadGateway,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
)
from citeseek.models import SearchItem
from tools.cases import Case, unequal, unknown_keys
from tools.cases.names import engine_named

KNOWN = {
    "items",
    "items_include",
    "urls",
    "ranks",
    "error",
    "error_any",
    "error_not_null",
    "error_text_keeps_any",
    "cacheable",
    "collapse_space",
    "no_exception_escapes",
    "all_items_have",
    "titles_non_empty",
}


def parse(case: Case) -> list[str]:
    """Check ``engine.parse``."""
    given, expect = case["input"], case["expect"]
    engine_id = engine_named(given["engine"]).id
    if "body_b64" in given:
        body: bytes = base64.b64decode(given["body_b64"])
    else:
        body = given["body"].encode()
    with LoopbackServer() as server:
        server.otherwise(Reply(given["status"], given["headers"], body))
        query = given.get("query") or "x"
        items, error, kept = asyncio.run(_search(engine_id, server.base_url, query))
    return (
        unknown_keys(expect, KNOWN)
        + _item_differences(expect, items)
        + _error_differences(expect, error)
        + (unequal("cacheable", expect["cacheable"], kept) if "cacheable" in expect else [])
    )


async def _search(
    engine_id: str, base_url: str, query: str
) -> tuple[list[SearchItem], SearchFailed | None, bool]:
    """Return the items, the error, and whether the cache kept the answer."""
    entry = {"base_url": base_url, "api_key": "k"}
    settings = Settings.load(config={"engines": {engine_id: entry}}, agents={}, env={})
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


def _item_differences(expect: dict[str, Any], items: list[SearchItem]) -> list[str]:
    found: list[str] = []
    shown = [{"title": i.title, "url": i.url, "snippet": i.snippet} for i in items]
    if "items" in expect:
        found += unequal("count", len(expect["items"]), len(items))
        for wanted, got in zip(expect["items"], shown, strict=False):
            found += unequal("item", wanted, {name: got[name] for name in wanted})
    for wanted in expect.get("items_include", ()):
        if not any(wanted.items() <= got.items() for got in shown):
            found.append(f"expected an item {wanted}, got {shown}")
    if "urls" in expect:
        found += unequal("urls", expect["urls"], [item.url for item in items])
    if "ranks" in expect:
        found += unequal("ranks", expect["ranks"], [item.rank for item in items])
    if expect.get("titles_non_empty") and not all(item.title for item in items):
        found.append("a title is empty")
    return found


def _error_differences(expect: dict[str, Any], error: SearchFailed | None) -> list[str]:
    found: list[str] = []
    if "error" in expect:
        found += unequal("error", expect["error"], kind(error))
    if "error_any" in expect and kind(error) not in expect["error_any"]:
        found.append(f"expected an error of {expect['error_any']}, got {error!r}")
    if expect.get("error_not_null") and error is None:
        found.append("expected an error, got none")
    if words := expect.get("error_text_keeps_any"):
        found += [] if any(word in str(error) for word in words) else [f"{error} names no {words}"]
    return found
