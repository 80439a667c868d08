"""Every way to read a page, each giving what came of it as the same value."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.command import run_citeseek
from tests.conftest import settings
from tests.mcp_server.hosting import hosted
from tests.surfaces.asking import Env
from tests.surfaces.sharing import SHARED

from citeseek import Client
from citeseek.errors import CiteseekError
from citeseek.tools.contract import BuiltinProvider
from citeseek.tools.langchain import web_fetch_tool
from citeseek.tools.toolset import Toolset
from citeseek.tools.web_fetch import FetchCall, Opening


@dataclass(frozen=True)
class Read:
    """What came of reading: a page, or the code of a failure and what narrows it."""

    title: str = ""
    final_url: str = ""
    text: str = ""
    code: str = ""
    detail_code: str = ""


def of_page(page: Mapping[str, Any]) -> Read:
    return Read(page["title"], page["final_url"], page["text"])


def of_error(error: CiteseekError) -> Read:
    return Read(code=error.error_code, detail_code=error.detail_code)


async def library(env: Env, url: str) -> Read:
    async with Client(settings(env=env)) as client:
        try:
            page = await client.fetch(url)
        except CiteseekError as error:
            return of_error(error)
    return Read(page.title, page.final_url, page.text)


async def command_line(env: Env, url: str) -> Read:
    words = ("fetch", "-f", "json", "--", url)
    done = await asyncio.to_thread(run_citeseek, *words, env={**os.environ, **env})
    if done.returncode == 0:
        return of_page(json.loads(done.stdout))
    error = json.loads(done.stdout)["error"]
    assert error["message"] in done.stderr
    return Read(code=error["type"], detail_code=error.get("detail_code", ""))


async def rest(env: Env, url: str) -> Read:
    told = await SHARED.ask(env, "/api/v1/fetch", {"url": url})
    if told.status == 200:
        return of_page(told.json)
    return Read(code=told.json["code"], detail_code=told.json["detail_code"])


async def mcp(env: Env, url: str) -> Read:
    async with hosted("http auto", env) as client:
        return of_reading(await client.call_tool("web_fetch", {"url": url}))


def of_reading(result: Any) -> Read:
    """Return what a tool of the MCP server gave."""
    told = result.structured_content
    if not result.is_error:
        return of_page(told)
    return Read(code=told["error"]["error_code"], detail_code=told["error"].get("detail_code", ""))


async def langchain(env: Env, url: str) -> Read:
    async with Client(settings(env=env)) as client:
        told: list[Opening | FetchCall] = []
        tool = web_fetch_tool(client, lang="en", listener=told.append)
        call = {"type": "tool_call", "id": "1", "name": tool.name, "args": {"url": url}}
        message = await tool.ainvoke(call)
    if message.artifact is not None:
        return of_page(message.artifact)
    assert isinstance(told[-1], FetchCall)
    assert told[-1].error is not None
    assert told[-1].error.message in message.content
    return of_error(told[-1].error)


async def toolset(env: Env, url: str) -> Read:
    async with Client(settings(env=env)) as client:
        answer = await Toolset(client, lang="en").answer("web_fetch", {"url": url})
    if answer.error:
        return of_error(answer.error)
    assert answer.artifact is not None
    return of_page(answer.artifact)


async def contract(env: Env, url: str) -> Read:
    loaded = settings(env={**env, "WEB_FETCH_BACKEND": "httpx"})
    async with BuiltinProvider(settings=loaded) as provider:
        try:
            return of_page(await provider.invoke("web.fetch", {"url": url}))
        except CiteseekError as error:
            return of_error(error)


READERS: dict[str, Callable[[Env, str], Awaitable[Read]]] = {
    "library": library,
    "command line": command_line,
    "REST": rest,
    "MCP": mcp,
    "LangChain": langchain,
    "toolset": toolset,
    "tool contract": contract,
}
