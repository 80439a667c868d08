"""Queries: cleaning, and the request that an engine makes of one."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from tests.loopback import LoopbackServer

from citeseek import Client, Settings
from citeseek.engine import EngineOptions
from citeseek.errors import InvalidInput, SearchFailed
from citeseek.models import Request
from citeseek.preparation import prepare
from citeseek.query import Query, clean
from tools.cases import Case, unequal, unknown_keys
from tools.cases.names import engine_named

QUERY_NAMES = ("q", "wd", "query")


def cleaned(case: Case) -> list[str]:
    """Check ``query.clean``. Cleaning is before every engine, so a rejected query reaches none."""
    given, expect = case["input"], case["expect"]
    raw = given.get("raw")
    if "raw_code_points" in given:
        raw = "".join(map(chr, given["raw_code_points"]))
    known = {"query", "rejected", "engine_calls", "encodable", "keeps", "no_exception"}
    found = unknown_keys(expect, known)
    try:
        text = clean(raw)
    except InvalidInput as error:
        return found + unequal("rejected", expect.get("rejected"), bool(str(error)))
    found += ["expected a refusal"] if expect.get("rejected") else []
    if "query" in expect:
        found += unequal("query", expect["query"], text)
    found += [f"{part!r} is lost" for part in expect.get("keeps", ()) if part not in text]
    text.encode()
    return found


def request(case: Case) -> list[str]:
    """Check ``query.request``."""
    given, expect = case["input"], dict(case["expect"])
    engine = engine_named(given["engine"])
    if any_of := expect.pop("any_of", None):
        attempts = [request({**case, "expect": {**expect, **one}}) for one in any_of]
        return min(attempts, key=len)
    base_url, warnings = _base_url(engine.id, given.get("base_url"))
    options = EngineOptions(base_url=base_url or engine.base_url, api_key="k")
    sent, _ = prepare(engine, Query.of(given["query"]), options)
    name, text = _query_of(sent)
    known = {"decoded_query", "url_without_query", "params_include", "max_chars", "max_words"}
    known |= {"prefix_of_query", "no_exception", "param", "config_error_names"}
    known |= {"accept_encoding_lacks", "argv_no_element_starts_with"}
    found = unknown_keys(expect, known)
    values: dict[str, Any] = {
        "decoded_query": text,
        "url_without_query": sent.url,
        "param": name,
        "prefix_of_query": given["query"].startswith(text),
    }
    for key in values.keys() & expect.keys():
        found += unequal(key, expect[key], values[key])
    params = {**sent.params, **(sent.form or {})}
    for key, value in expect.get("params_include", {}).items():
        found += unequal(key, value, params.get(key))
    if len(text) > expect.get("max_chars", len(text)):
        found.append(f"the query sent has {len(text)} characters")
    if len(text.split()) > expect.get("max_words", len(text)):
        found.append(f"the query sent has {len(text.split())} words")
    if named := expect.get("config_error_names"):
        found += [] if any(named in warning for warning in warnings) else ["no warning names it"]
    if "argv_no_element_starts_with" in expect and not sent.url.startswith("http"):
        found.append(f"{sent.url} could be taken for an option of the browser")
    for coding in expect.get("accept_encoding_lacks", ()):
        found += [f"{coding} is advertised"] if coding in _accept_encoding(engine.id) else []
    return found


def _base_url(engine_id: str, raw: str | None) -> tuple[str | None, tuple[str, ...]]:
    if raw is None:
        return None, ()
    env = {f"{engine_id.upper()}_BASE_URL": raw}
    settings = Settings.load(config={}, agents={}, env=env)
    reach = settings.engine(engine_named(engine_id))
    return reach.base_url.value, settings.warnings


def _query_of(sent: Request) -> tuple[str, str]:
    body = sent.json if isinstance(sent.json, dict) else {}
    fields = {**sent.params, **(sent.form or {}), **body}
    name = next(name for name in QUERY_NAMES if name in fields)
    return name, fields[name]


def _accept_encoding(engine_id: str) -> list[str]:
    """Return the codings that the engine's real request advertises."""

    async def search(settings: Settings) -> None:
        async with Client(settings) as client:
            await client.search("x", engine=engine_id)

    with LoopbackServer() as server:
        entry = {"base_url": server.base_url, "api_key": "k"}
        settings = Settings.load(config={"engines": {engine_id: entry}}, agents={}, env={})
        # The server has nothing to say; only what it was sent is looked at.
        with contextlib.suppress(SearchFailed):
            asyncio.run(search(settings))
        header = server.requests[0].headers.get("accept-encoding", "")
    return [coding.strip() for coding in header.split(",")]
