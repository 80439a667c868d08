"""Who is measured: each contender gives one search that returns its number of results.

A contender is a context manager over the address of the engines. It imports its library inside, so
that a process that measures one contender carries none of the others.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal, NamedTuple, TypeAlias

RESULTS = 10
# Five engines with an index each, by our ids and by the names of ddgs, and where they are asked.
FIVE = {
    "ddg_html": ("duckduckgo", "", "/html/"),
    "mojeek": ("mojeek", "/mojeek", "/search"),
    "brave_html": ("brave", "/brave", "/search"),
    "startpage": ("startpage", "/startpage", "/sp/search"),
    "yandex": ("yandex", "/yandex", "/search/"),
}

Search: TypeAlias = Callable[[str], Awaitable[int]]
SyncSearch: TypeAlias = Callable[[str], int]
Opening: TypeAlias = Callable[[str], AbstractAsyncContextManager[Search | SyncSearch]]


class Contender(NamedTuple):
    """How a contender is opened, and whether it is measured with many searches at once as well."""

    open: Opening
    under_load: bool = True


@asynccontextmanager
async def floor_html(url: str) -> AsyncIterator[Search]:
    """Raw sockets and selectolax: the least that any client must do for ten results."""
    from benchmarks.floor import Connections, read_html

    async with Connections(url) as connections:

        async def search(query: str) -> int:
            return len(read_html(await connections.post("/html/", {"q": query}), RESULTS))

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
async def bare_json(url: str) -> AsyncIterator[Search]:
    """Only the HTTP client and a JSON decoder, for the answers of a SearXNG."""
    from benchmarks.floor import read_json
    from pyreqwest.client import ClientBuilder

    async with ClientBuilder().no_proxy().build() as client:

        async def search(query: str) -> int:
            request = client.get(f"{url}/search").query([("q", query), ("format", "json")]).build()
            response = await request.send()
            return len(read_json(bytes(await response.bytes()), RESULTS))

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


@asynccontextmanager
async def bare_google(url: str) -> AsyncIterator[Search]:
    """Only the browser-like HTTP client and a parser, for a page of Google."""
    import primp
    from benchmarks.floor import read_google

    client = primp.AsyncClient(impersonate="chrome", impersonate_os="linux", cookie_store=False)

    async def search(query: str) -> int:
        response = await client.get(f"{url}/google/search", params={"q": query})
        return len(read_google(response.content, RESULTS))

    yield search


def citeseek(
    engines: dict[str, str], transport: Literal["pyreqwest", "primp"], *, sync: bool = False
) -> Opening:
    """Return the contender for ``engines``, each below its path, over one transport."""

    @asynccontextmanager
    async def contender(url: str) -> AsyncIterator[Search | SyncSearch]:
        from citeseek import Client
        from citeseek.settings import Settings

        # The limit that spares real sites would be all that is measured.
        options = {
            name: {"base_url": f"{url}{path}", "transport": transport, "rate_per_minute": 0}
            for name, path in engines.items()
        }
        settings = Settings.load(config={"engines": options}, env={})
        asked = {"engine": next(iter(engines))} if len(engines) == 1 else {"engines": list(engines)}
        async with Client(settings) as client:

            async def search(query: str) -> int:
                return (await client.search(query, count=RESULTS, **asked)).count

            def search_sync(query: str) -> int:
                return client.search_sync(query, count=RESULTS, **asked).count

            yield search_sync if sync else search

    return contender


@asynccontextmanager
async def citeseek_google(url: str) -> AsyncIterator[Search]:
    """How a page of Google is read, which no browser had to get: in a process that can be ended."""
    from citeseek.engines.google import ENGINE
    from citeseek.http.impersonating import PrimpTransport
    from citeseek.models import Request
    from citeseek.sandbox import Sandbox
    from citeseek.searching.answer_reading import read
    from citeseek.searching.normalize import normalize

    transport, sandbox = PrimpTransport(), Sandbox()

    async def search(query: str) -> int:
        request = Request(url=f"{url}/google/search", params={"q": query})
        page = await transport.send(request, seconds=10, max_bytes=8_000_000)
        found = await read(ENGINE, page, asked_page=1, sandbox=sandbox)
        return len(normalize(found.hits, provider="google", wrappers=ENGINE.wrappers))

    yield search
    await sandbox.close()


def ddgs(*ids: str) -> Opening:
    """Return the contender for engines in ddgs: one instance for all, which keeps connections."""

    @asynccontextmanager
    async def contender(url: str) -> AsyncIterator[SyncSearch]:
        from ddgs import DDGS
        from ddgs.engines import ENGINES
        from ddgs.engines.startpage import Startpage
        from ddgs.engines.yandex import Yandex

        # Switched off for a site that does not answer; it asks another one for a token.
        ENGINES["text"]["yandex"] = Yandex
        Startpage.get_sc = lambda _: ""
        instance = DDGS()
        names = ", ".join(FIVE[engine][0] for engine in ids)
        addresses = {name: f"{url}{start}{path}" for name, start, path in FIVE.values()}
        for engine in instance._get_engines("text", names):  # noqa: SLF001 - where it keeps them
            engine.search_url = addresses[engine.name]
        # It asks as many engines as it takes for the number of results; without one, all of them.
        most = RESULTS if len(ids) == 1 else None

        def search(query: str) -> int:
            return len(instance.text(query, backend=names, max_results=most)[:RESULTS])

        yield search

    return contender


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


_FIVE_PATHS = {engine: start for engine, (_, start, _) in FIVE.items()}

CONTENDERS: dict[str, Contender] = {
    "floor": Contender(floor_html),
    "bare primp": Contender(bare_primp),
    "citeseek primp": Contender(citeseek({"ddg_html": ""}, "primp")),
    "bare pyreqwest": Contender(bare_pyreqwest),
    "citeseek pyreqwest": Contender(citeseek({"ddg_html": ""}, "pyreqwest")),
    "ddgs": Contender(ddgs("ddg_html")),
    "citeseek sync": Contender(citeseek({"ddg_html": ""}, "primp", sync=True), under_load=False),
    "bare json": Contender(bare_json),
    "citeseek searxng": Contender(citeseek({"searxng": ""}, "pyreqwest")),
    "langchain searx": Contender(langchain_searx),
    "bare google": Contender(bare_google, under_load=False),
    "citeseek google": Contender(citeseek_google, under_load=False),
    "citeseek five": Contender(citeseek(_FIVE_PATHS, "primp"), under_load=False),
    "ddgs five": Contender(ddgs(*FIVE), under_load=False),
}
