"""Programs that host our server: the library's own client, over each transport and protocol."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.command import forked_citeseek
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, replies
from tests.serving.running import running

from citeseek.surfaces.mcp.http import PATH, http_app
from citeseek.surfaces.server.rules import Rules

# Hosts of today speak one of the two protocols.
WAYS = [
    "stdio auto",
    "http legacy",
    *(pytest.param(way, marks=pytest.mark.release) for way in ("stdio legacy", "http auto")),
]

QUESTION = "How long is the Alder Bridge?"
LENGTH = "The Alder Bridge is 412 metres long and stands on six piers in the river Elm."
BUILDERS = "The Alder Bridge was built in four years by a firm from Elmford, its first such work."
LOOPBACK = {"WEB_FETCH_ALLOW": "127.0.0.0/8", "WEB_FETCH_DELAY_SECONDS": "0"}


def article(title: str, text: str) -> Reply:
    """Return a page with ``text``."""
    return replies.html(
        f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>"
        f"<p>{text}</p></article></body></html>"
    )


def results(server: LoopbackServer, *paths: str) -> Reply:
    """Return what a SearXNG answers that found ``paths`` of ``server``."""
    found = [
        {"title": path, "url": server.url(f"/{path}"), "content": path, "engine": "own"}
        for path in paths
    ]
    return replies.as_json({"query": QUESTION, "results": found})


def a_web(server: LoopbackServer) -> None:
    """Let ``server`` be a SearXNG and the two pages that it finds."""
    server.on("/search", results(server, "length", "builders"))
    server.on("/length", article("The Alder Bridge", LENGTH))
    server.on("/builders", article("Who built it", BUILDERS))


def searching(server: LoopbackServer) -> dict[str, str]:
    """Return the environment in which ``server`` is the only engine, and may be read."""
    return {"SEARXNG_BASE_URL": server.base_url, "CITESEEK_ENGINE": "searxng", **LOOPBACK}


def check_fits(value: Any, schema: Mapping[str, Any]) -> None:
    """Fail for a value that a schema does not allow, and for what is no schema."""
    _validator(json.dumps(schema)).validate(value)


@cache
def _validator(schema: str) -> Draft202012Validator:
    # Looking at a schema takes a hundred times as long as looking at a value.
    read = json.loads(schema)
    Draft202012Validator.check_schema(read)
    return Draft202012Validator(read)


@asynccontextmanager
async def hosted(way: str, env: Mapping[str, str]) -> AsyncIterator[Client]:
    """Yield a client of a server that runs in ``env``: a program of its own, or one over HTTP."""
    transport, mode = way.split()
    if transport == "stdio":
        command, *args = forked_citeseek()
        program = StdioServerParameters(
            command=command,
            args=[*args, "mcp"],
            env={"CITESEEK_HOME": os.environ["CITESEEK_HOME"], **env},
        )
        async with Client(program, mode=mode) as client:
            yield client
    else:
        with running(http_app(settings(env=env), Rules())) as address:
            async with Client(address + PATH, mode=mode) as client:
                yield client


def text_of(result: Any) -> str:
    """Return what a model is given to read."""
    (content,) = result.content
    assert content.type == "text"
    return str(content.text)
