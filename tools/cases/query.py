"""Queries: cleaning, and the request that an engine makes of one."""

from __future__ import annotations

import asyncio
import contextlib

from tests.loopback import LoopbackServer

from citeseek import Client, Settings
from citeseek.engine import EngineOptions
from citeseek.errors import InvalidInput, SearchFailed
from citeseek.models import Request
from citeseek.query import Query, clean
from citeseek.searching.request import prepare
from tools.cases import Case
from tools.cases.expectations import differences, missing, unequal, unwanted
from tools.cases.names import engine_named

QUERY_NAMES = ("q", "wd", "query")


def cleaned(case: Case) -> list[str]:
    """Check ``query.clean``. Cleaning is before every engine, so a rejected query reaches none."""
    try:
        text, refusal = clean(case["input"]["raw"]), ""
    except InvalidInput as error:
        text, refusal = "", str(error)
    seen = {
        "query": text,
        "rejected": bool(refusal),
        "engine_calls": 0 if refusal else 1,
        "encodable": _is_encodable(text),
        # Whatever else is raised ends the case.
        "no_exception": True,
    }
    checks = {"keeps": lambda parts: missing("to keep", parts, text)}
    return differences(case["expect"], seen, checks)


def request(case: Case) -> list[str]:
    """Check ``query.request``."""
    given = case["input"]
    engine = engine_named(given["engine"])
    base_url, warnings = _base_url(engine.id, given.get("base_url"))
    options = EngineOptions(base_url=base_url or engine.base_url, api_key="k")
    sent, _ = prepare(engine, Query.of(given["query"]), options)
    name, text = _query_of(sent)
    params = {**sent.params, **(sent.form or {})}
    seen = {
        "decoded_query": text,
        "url_without_query": sent.url,
        "param": name,
        "prefix_of_query": given["query"].startswith(text),
        "no_exception": True,
        "chars": len(text),
        "words": len(text.split()),
    }
    checks = {
        "params_include": lambda wanted: [
            wrong for key, value in wanted.items() for wrong in unequal(key, value, params.get(key))
        ],
        "config_error_names": lambda name: missing("warning of", [name], " ".join(warnings)),
        # What begins like an address is no option of the browser.
        "argv_no_element_starts_with": lambda _: missing("address", ["http"], sent.url[:4]),
        "accept_encoding_lacks": lambda codings: unwanted(
            "coding", codings, _accept_encoding(engine.id)
        ),
    }
    return differences(case["expect"], seen, checks)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
