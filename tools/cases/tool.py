"""The tool of a configured agent: what a model sends, and what an engine does to it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

import msgspec
from tests.loopback import LoopbackServer, Reply, faults, replies
from tests.loopback.canned import load_pages

from citeseek import Settings, create_web_search_tool
from citeseek.faces import AGENT
from citeseek.i18n import catalogue, languages
from citeseek.tools.search_formats import nothing_found
from tools.cases import Case, NotBuilt
from tools.cases.expectations import differences
from tools.cases.names import engine_named

SECONDS = 1.0
FAILURES: dict[str, Callable[[], Reply]] = {
    "timeout": faults.hang,
    "http 500": lambda: Reply(500),
    "invalid json": lambda: replies.html("<title>Sign in</title>"),
    "connection reset": faults.reset,
    "http 403": lambda: replies.status(403),
    "http 429": lambda: replies.status(429),
    "http 202 challenge": load_pages()["ddg_html/blocked_anomaly.html"].reply,
}
RAISED: dict[str, Exception] = {
    "RuntimeError()": RuntimeError(),
    "KeyError('results')": KeyError("results"),
    "SystemError('x'*100000)": SystemError("x" * 100_000),
}
# How what a model is told of a failure begins, in the languages of the tool.
FAILED = ("搜索失败", "参数错误", "Search failed", "Invalid argument")


class Observed(msgspec.Struct):
    """What came of a call: ``counts`` are the numbers of results that the engine was asked for."""

    result: Any = None
    raised: str | bool = False
    ms: float = 0
    counts: list[int] = []
    calls: int = 0
    closed: bool = False

    @property
    def text(self) -> str:
        """What the model is given."""
        return self.result if isinstance(self.result, str) else ""


class Given:
    """An engine of a third party that gives ``items`` addresses, or raises ``error``."""

    id = "given"

    def __init__(self, engine: dict[str, Any]) -> None:
        pages = [f"https://e.example/{number}" for number in range(engine.get("items", 0))]
        self.urls = engine.get("items_urls", pages)
        self.error = RAISED.get(engine.get("raises", ""))
        self.counts: list[int] = []

    async def search(self, query: str, num_results: int) -> list[dict[str, str]]:
        """Do as the case says."""
        self.counts.append(num_results)
        if self.error is not None:
            raise self.error
        return [{"title": query, "url": url, "snippet": "A result."} for url in self.urls]


def check(case: Case) -> list[str]:
    """Check ``tool.call``."""
    return _differences(case["expect"], asyncio.run(_observed(case["input"])))


async def _observed(given: dict[str, Any]) -> Observed:
    engine = given["engine"]
    if "fails" not in engine and "hangs_s" not in engine:
        return await _plainly(engine, given["args"])
    # An API where a case speaks of JSON, else the default of this face.
    name = engine.get("name", "searxng" if "fails" in engine else AGENT.engine)
    with LoopbackServer() as server:
        server.otherwise(faults.hang() if "hangs_s" in engine else _failure(engine["fails"]))
        # No name server knows a name in .invalid.
        address = "http://nowhere.invalid" if engine.get("fails") == "dns" else server.base_url
        settings = _settings({"engines": {engine_named(name).id: {"base_url": address}}})
        seconds = engine.get("hangs_s", SECONDS)
        options = {"enabled": True, "provider": name, "timeoutSeconds": seconds}
        seen = Observed()
        async with create_web_search_tool(options, settings=settings) as tool:  # type: ignore[union-attr]
            call = asyncio.create_task(tool.ainvoke(given["args"]))
            began = time.perf_counter()
            if "cancel_after_ms" in given:
                await server.requests.reach(1)
                await asyncio.sleep(given["cancel_after_ms"] / 1000)
                began = time.perf_counter()
                call.cancel()
            await _into(seen, call)
            seen.ms = (time.perf_counter() - began) * 1000
            seen.calls = len(server.requests)
            if "cancel_after_ms" in given:
                seen.closed = await server.requests[0].closed
        return seen


async def _plainly(engine: dict[str, Any], arguments: dict[str, Any]) -> Observed:
    if engine.get("raises", next(iter(RAISED))) not in RAISED:
        raise NotBuilt(engine["raises"])
    own, seen = Given(engine), Observed()
    options = {"enabled": True, "provider": own.id}
    tool = create_web_search_tool(options, settings=_settings({}), engines=[own])
    async with tool:  # type: ignore[union-attr]
        await _into(seen, asyncio.create_task(tool.ainvoke(arguments)))  # type: ignore[union-attr]
    seen.counts, seen.calls = own.counts, len(own.counts)
    return seen


def _failure(name: str) -> Reply:
    if name == "dns":
        return Reply()
    if name not in FAILURES:
        raise NotBuilt(name)
    return FAILURES[name]()


def _settings(config: dict[str, Any]) -> Settings:
    return Settings.load(config=config, agents={}, env={})


async def _into(seen: Observed, call: asyncio.Task[Any]) -> None:
    await asyncio.wait([call])
    if call.cancelled():
        seen.raised = "CancelledError"
    elif error := call.exception():
        seen.raised = type(error).__name__
    else:
        seen.result = call.result()


def _differences(expect: dict[str, Any], seen: Observed) -> list[str]:
    text, asked = seen.text, seen.counts
    values = {
        "text": text,
        "raises": seen.raised,
        "returns_text": bool(text),
        "result_type": type(seen.result).__name__,
        "text_says_failure": text.startswith(FAILED),
        "text_says_not_no_results": not any(
            nothing_found(catalogue(lang)) in text for lang in languages()
        ),
        "engine_calls": seen.calls,
        "engine_count": asked[0] if asked else None,
        "engine_count_is_default": asked == [AGENT.count],
        "request_closed": seen.closed,
        "urls_in_text_delimited": not re.search(r"https?://[^\s<>]+[:,.](\s|$)", text),
        "ms": seen.ms,
    }

    def within(limits: tuple[int, int]) -> list[str]:
        least, most = limits
        holds = bool(asked) and all(least <= number <= most for number in asked)
        return [] if holds else [f"expected a count from {least} to {most}, got {asked}"]

    checks = {
        "engine_count_within": within,
        "text_names": lambda name: [] if name in text else [f"{name} is not named in {text!r}"],
    }
    return differences(expect, values, checks)
