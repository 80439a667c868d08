"""How the public API is used, for the type checker alone: it is never run."""

from __future__ import annotations

from citeseek import (
    Client,
    Engine,
    EngineOptions,
    FetchResponse,
    Query,
    SearchEngine,
    SearchFailed,
    SearchItem,
    SearchResponse,
    Settings,
    create_web_search_tool,
    fetch,
    get_web_search_provider,
    load_agent_config,
    search,
)
from citeseek.engine import AnyEngine
from citeseek.models import Hit, Page, Request


async def several_engines() -> tuple[SearchItem, ...]:
    settings = Settings.load(config={"search": {"count": 5}}, env={})
    most: int = settings.web_fetch.max_bytes
    proxy: str | None = settings.web_fetch.proxy
    assert most or proxy
    async with Client(settings, engines=[OWN, Plain()]) as client:
        response: SearchResponse = await client.search(
            "tea", engines=["own", "plain"], quorum=1, country="cn", freshness="week", count=3
        )
        async for partial in client.stream("tea", engine="own", seconds=2.5):
            print(partial.pending)
        return response.items


def once() -> str:
    try:
        return search("tea", engine="stub").items[0].domain
    except SearchFailed as error:
        return f"{error.error_code} {error.detail_code} {error.retryable} {error.retry_after}"


def request(query: Query, options: EngineOptions) -> Request:
    return Request(url=options.base_url, params={"q": query.text})


def parse(page: Page) -> list[Hit]:
    return [Hit(title="Tea", url=page.url)]


OWN = Engine(id="own", label="Own", request=request, parse=parse)


class Plain:
    id = "plain"

    async def search(self, query: str, num_results: int) -> list[dict[str, str]]:
        return [{"title": query, "url": "https://example.com/", "snippet": str(num_results)}]


BOTH: list[AnyEngine] = [OWN, Plain()]
PLAIN: SearchEngine = Plain()


async def of_an_agent() -> str | None:
    options = load_agent_config("one").web_search
    tool = create_web_search_tool({"enabled": True, "maxResults": 3})
    if tool is None or create_web_search_tool(options) is None:
        return options.provider
    async with tool, get_web_search_provider("brave") as provider:
        if provider.is_available(api_key=options.api_key):
            return str((await provider.search("tea", count=3))["provider"])
        return str(await tool.ainvoke("tea"))


async def a_page() -> str:
    async with Client() as client:
        page: FetchResponse = await client.fetch(
            "https://example.com/", form="markdown", max_chars=100, seconds=2.5, fresh=True
        )
    return page.final_url + fetch("https://example.com/").text
