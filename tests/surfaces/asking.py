"""Every way to ask for a search, each giving what came of it as the same value."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlencode

from tests.command import run_citeseek
from tests.conftest import settings
from tests.mcp_server.hosting import hosted
from tests.surfaces.sharing import SHARED

import citeseek
from citeseek import Client, create_web_search_tool, get_web_search_provider
from citeseek.errors import CiteseekError
from citeseek.i18n import catalogue
from citeseek.models import SearchResponse
from citeseek.tools.contract import BuiltinProvider
from citeseek.tools.langchain import web_search_tool
from citeseek.tools.toolset import Toolset
from citeseek.tools.web_search import BegunCall, Call

Env: TypeAlias = Mapping[str, str]
# Title, address, summary, rank.
Item: TypeAlias = tuple[str, str, str, int]

CODES = {2: "InvalidInput"}


@dataclass(frozen=True)
class Outcome:
    """What came of a search: items, or the code of a failure and what narrows it."""

    items: tuple[Item, ...] = ()
    code: str = ""
    detail_code: str = ""
    retryable: bool = False
    message: str = ""


@dataclass(frozen=True)
class Surface:
    """One way to search in ``env``; ``takes`` are the options that a caller may give."""

    name: str
    ask: Callable[..., Awaitable[Outcome]]
    takes: frozenset[str] = frozenset()


def of_error(error: CiteseekError) -> Outcome:
    return Outcome(
        code=error.error_code,
        detail_code=error.detail_code,
        retryable=error.retryable,
        message=catalogue("en").explain(error)[0],
    )


def of_response(response: SearchResponse) -> Outcome:
    return of_items(
        [
            {"title": i.title, "url": i.url, "snippet": i.snippet, "rank": i.rank}
            for i in response.items
        ]
    )


def of_items(items: Any) -> Outcome:
    """Return ``items`` that were found; where they have no rank, it is their place."""
    return Outcome(
        tuple(
            (
                item["title"],
                item["url"],
                item.get("snippet", item.get("description", "")),
                item.get("rank", place),
            )
            for place, item in enumerate(items, 1)
        )
    )


async def library(env: Env, query: str, **options: Any) -> Outcome:
    async with Client(settings(env=env)) as client:
        try:
            return of_response(await client.search(query, **options))
        except CiteseekError as error:
            return of_error(error)


async def library_sync(env: Env, query: str, **options: Any) -> Outcome:
    try:
        search = partial(citeseek.search, query, settings=settings(env=env), **options)
        return of_response(await asyncio.to_thread(search))
    except CiteseekError as error:
        return of_error(error)


async def command_line(env: Env, query: str, **options: Any) -> Outcome:
    words = search_words(query, **options)
    done = await asyncio.to_thread(run_citeseek, *words, env={**os.environ, **env})
    if done.returncode in (0, 1):
        items = json.loads(done.stdout)["items"]
        assert (done.returncode == 0) is bool(items)
        return of_items(items)
    if not done.stdout:
        # The parser of the options did not let it through.
        return Outcome(code=CODES[done.returncode], message=done.stderr)
    error = json.loads(done.stdout)["error"]
    assert error["message"] in done.stderr
    assert done.returncode == (2 if error["type"] == "InvalidInput" else 3)
    return Outcome(
        code=error["type"],
        detail_code=error.get("detail_code", ""),
        retryable=error["retryable"],
        message=error["message"],
    )


def search_words(query: str, **options: Any) -> tuple[str, ...]:
    """Return the words of the command; options of a query are spelled as they are called."""
    given = [f"--{name}={value}" for name, value in options.items()]
    return ("search", "-f", "json", *given, "--", query)


async def rest(env: Env, query: str, **options: Any) -> Outcome:
    told = await SHARED.ask(env, f"/api/v1/search?{urlencode({'q': query, **options})}")
    if told.status == 200:
        return of_items(told.json["items"])
    return Outcome(
        code=told.json["code"],
        detail_code=told.json["detail_code"],
        retryable=told.json["retryable"],
        message=told.json["detail"],
    )


async def mcp(env: Env, query: str, **options: Any) -> Outcome:
    async with hosted("http auto", env) as client:
        return of_result(await client.call_tool("web_search", {"query": query, **options}))


def of_result(result: Any) -> Outcome:
    """Return what a tool of the MCP server gave."""
    told = result.structured_content
    if not result.is_error:
        return of_items(told["items"])
    error = told["error"]
    return Outcome(
        code=error["error_code"],
        detail_code=error.get("detail_code", ""),
        retryable=error["retryable"],
        message=error["message"],
    )


async def langchain(env: Env, query: str, **options: Any) -> Outcome:
    async with Client(settings(env=env)) as client:
        told: list[BegunCall | Call] = []
        tool = web_search_tool(client, listener=told.append)
        return await called(tool, told, query, options)


async def langchain_agent(env: Env, query: str, **options: Any) -> Outcome:
    async with Client(settings(env=env)) as client:
        told: list[BegunCall | Call] = []
        # The most that it may be asked for.
        choices = {"enabled": True, "maxResults": 10, "toolLanguage": "en"}
        tool = create_web_search_tool(choices, client=client, listener=told.append)
        return await called(tool, told, query, options)


async def called(tool: Any, told: list[Any], query: str, options: Mapping[str, Any]) -> Outcome:
    """Return what a tool of LangChain gives; what failed, only its listener is told as a value."""
    call = {"type": "tool_call", "id": "1", "name": tool.name, "args": {"query": query, **options}}
    message = await tool.ainvoke(call)
    if message.artifact is not None:
        return of_items(message.artifact["results"])
    error = told[-1].error
    assert error.message in message.content
    return of_error(error)


async def toolset(env: Env, query: str, **options: Any) -> Outcome:
    async with Client(settings(env=env)) as client:
        arguments = json.dumps({"query": query, **options})
        answer = await Toolset(client, lang="en").answer("web_search", arguments)
    if answer.error:
        assert answer.error.message in answer.text
        return of_error(answer.error)
    assert answer.artifact is not None
    return of_items(answer.artifact["results"])


async def contract(env: Env, query: str, **options: Any) -> Outcome:
    async with BuiltinProvider(settings=settings(env=env)) as provider:
        try:
            arguments = {"query": query, **{_of_contract(name): options[name] for name in options}}
            return of_items((await provider.invoke("web.search", arguments))["items"])
        except CiteseekError as error:
            return of_error(error)


def _of_contract(name: str) -> str:
    return {"count": "max_results"}.get(name, name)


async def provider(env: Env, query: str, **options: Any) -> Outcome:
    loaded = settings(env=env)
    async with get_web_search_provider(env["CITESEEK_AGENT_ENGINE"], settings=loaded) as engine:
        try:
            return of_items((await engine.search(query, **options))["results"])
        except CiteseekError as error:
            return of_error(error)


FILTERS = frozenset({"country", "freshness"})
EVERYTHING = FILTERS | {"category", "count", "engine", "language", "site", "page", "safesearch"}
MODEL = FILTERS | {"count"}

LIBRARY = Surface("library", library, EVERYTHING)
SURFACES = (
    LIBRARY,
    Surface("library, synchronous", library_sync, EVERYTHING),
    Surface("command line", command_line, EVERYTHING),
    Surface("REST", rest, EVERYTHING),
    Surface("MCP", mcp, MODEL | {"category"}),
    Surface("LangChain", langchain),
    Surface("LangChain, configured agent", langchain_agent, MODEL),
    Surface("toolset", toolset, MODEL | {"category"}),
    Surface("tool contract", contract, frozenset({"count"})),
    Surface("provider", provider, FILTERS | {"category", "language", "site", "page", "safesearch"}),
)


def all_at(base_url: str, engine: str = "searxng") -> dict[str, str]:
    """Return the environment in which every surface asks ``engine`` at ``base_url``."""
    names = ("CITESEEK_ENGINE", "CITESEEK_CHAT_ENGINE", "CITESEEK_AGENT_ENGINE")
    where = {f"CITESEEK_{engine.upper()}_URL": base_url, "WEB_SEARCH_BACKEND": engine}
    return {**dict.fromkeys(names, engine), **where}
