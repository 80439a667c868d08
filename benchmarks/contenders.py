"""Who is measured: each contender gives one search that returns its number of results.

A contender is a context manager over the engine's address. It imports its library inside, so that a
process that measures one contender carries none of the others.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal, TypeAlias

RESULTS = 10

Search: TypeAlias = Callable[[str], Awaitable[int]]
SyncSearch: TypeAlias = Callable[[str], int]
Contender: TypeAlias = Callable[[str], AbstractAsyncContextManager[Search | SyncSearch]]


@asynccontextmanager
async def floor_html(url: str) -> AsyncIterator[Search]:
    """Raw sockets and selectolax: the least that any client must do for ten results."""
    from benchmarks.floor import Connections, read_html

    async with Connections(url) as connections:

        async def search(query: str) -> int:
            return len(read_html(await connections.post("/html/", {"q": query}), RESULTS))

        yield search


@asynccontextmanager
async def floor_json(url: str) -> AsyncIterator[Search]:
    """Raw sockets and a JSON decoder, for the SearXNG contenders."""
    from benchmarks.floor import Connections, read_json

    async with Connections(url) as connections:

        async def search(query: str) -> int:
            body = await connections.get("/search", {"q": query, "format": "json"})
            return len(read_json(body, RESULTS))

        yield search


@asynccontextmanager
async def bare_pyreqwest(url: str) -> AsyncIterator[Search]:
    """Only the HTTP client that Citeseek uses, with the floor's parser."""
    from benchmarks.floor import read_html
    from pyreqwest.client import ClientBuilder

    async with ClientBuilder().no_proxy().build() as client:

        async def search(query: str) -> int:
            request = client.post(f"{url}/html/").form([("q", query)]).build()
            response = await request.send()
            return len(read_html(bytes(await response.bytes()), RESULTS))

        yield search


@asynccontextmanager
async def bare_primp(url: str) -> AsyncIterator[Search]:
    """Only the browser-like HTTP client that Citeseek uses, with the floor's parser."""
    import primp
    from benchmarks.floor import read_html

    client = primp.AsyncClient(impersonate="chrome", impersonate_os="linux", cookie_store=False)

    async def search(query: str) -> int:
        response = await client.post(f"{url}/html/", data={"q": query})
        return len(read_html(response.content, RESULTS))

    yield search


def citeseek(engine: str, transport: Literal["pyreqwest", "primp"]) -> Contender:
    """Return the contender for one engine of Citeseek over one transport."""

    @asynccontextmanager
    async def contender(url: str) -> AsyncIterator[Search]:
        from citeseek import Client
        from citeseek.settings import Settings

        # The limit that spares real sites would be all that is measured.
        options = {"base_url": url, "transport": transport, "rate_per_minute": 0}
        settings = Settings.load(config={"engines": {engine: options}}, env={})
        async with Client(settings) as client:

            async def search(query: str) -> int:
                response = await client.search(query, engine=engine, count=RESULTS)
                return response.count

            yield search

    return contender


@asynccontextmanager
async def ddgs(url: str) -> AsyncIterator[SyncSearch]:
    """One instance of ddgs for all threads, which keeps its connections: its fastest form."""
    from ddgs import DDGS
    from ddgs.engines.duckduckgo import Duckduckgo

    Duckduckgo.search_url = f"{url}/html/"
    instance = DDGS()

    def search(query: str) -> int:
        return len(instance.text(query, backend="duckduckgo", max_results=RESULTS))

    yield search


@asynccontextmanager
async def langchain_searx(url: str) -> AsyncIterator[Search]:
    """LangChain's wrapper as it comes: a session for each search.

    Its parameter for a shared session passes on an argument that aiohttp no longer knows.
    """
    from langchain_community.utilities import SearxSearchWrapper

    wrapper = SearxSearchWrapper(searx_host=f"{url}/search")

    async def search(query: str) -> int:
        return len(await wrapper.aresults(query, num_results=RESULTS))

    yield search


CONTENDERS: dict[str, Contender] = {
    "floor html": floor_html,
    "bare pyreqwest": bare_pyreqwest,
    "citeseek ddg_html pyreqwest": citeseek("ddg_html", "pyreqwest"),
    "bare primp": bare_primp,
    "citeseek ddg_html primp": citeseek("ddg_html", "primp"),
    "ddgs duckduckgo": ddgs,
    "floor json": floor_json,
    "citeseek searxng": citeseek("searxng", "pyreqwest"),
    "langchain searx": langchain_searx,
}
