"""``/v1`` and ``/v2`` of Firecrawl: searching, and reading one page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Request
from msgspec import UNSET, Meta, UnsetType
from starlette.responses import Response

from citeseek import observing
from citeseek.assistant.client_pool import Clients
from citeseek.client import Client
from citeseek.errors import CiteseekError
from citeseek.faces import OPEN
from citeseek.fetching import options as of_fetch
from citeseek.fetching.response import FetchResponse
from citeseek.models import SearchItem, SearchResponse
from citeseek.query import Category
from citeseek.searching import planning
from citeseek.searching.planning import SearchFields
from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.error_formats import FirecrawlFailure
from citeseek.surfaces.web.pages_together import read_together
from citeseek.surfaces.web.parameters import Fixed, read_parameters, refuse

USUAL_RESULTS = 5
_SOURCES: dict[str, Category] = {"web": "web", "news": "news", "images": "images"}
_PERIODS = {"qdr:d": "day", "qdr:w": "week", "qdr:m": "month", "qdr:y": "year"}
# They say who asks, or how Firecrawl keeps and fetches pages: no answer depends on them.
BESIDE = frozenset(
    {"origin", "integration", "ignoreInvalidURLs", "storeInCache", "blockAds", "fastMode"}
)
_READ_SO = "Pages are read in one way: their main text, without pictures."
_SCRAPE_FIXED = {
    "onlyMainContent": Fixed(_READ_SO, (True,)),
    "removeBase64Images": Fixed(_READ_SO, (True,)),
    "mobile": Fixed("mobile: pages are read as a desktop shows them.", (False,)),
    "waitFor": Fixed("waitFor: a page that scripts build is waited for by itself.", (0,)),
    "skipTlsVerification": Fixed("skipTlsVerification: certificates are checked.", (False,)),
    "includeTags": Fixed(f"includeTags: {_READ_SO}", ([],)),
    "excludeTags": Fixed(f"excludeTags: {_READ_SO}", ([],)),
    "headers": Fixed("headers: the settings say what is sent.", ({},)),
    "actions": Fixed("actions: a page is read and not used.", ([],)),
    "location": Fixed("location: pages are asked for from where this server is."),
    "proxy": Fixed("proxy: the settings say which.", ("auto", "basic")),
    "parsers": Fixed("parsers: documents are read by their kind.", (["pdf"],)),
}
_SEARCH_FIXED = {
    "filter": Fixed("filter is not given here."),
    "categories": Fixed("categories are not given here.", ([],)),
    "location": Fixed("location: country says from where."),
    "excludeDomains": Fixed("excludeDomains is not given here.", ([],)),
    "highlights": Fixed("highlights are not given here.", (False,)),
    "enterprise": Fixed("enterprise is not given here.", ([],)),
}


class ScrapeOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a page is read: as Markdown. ``maxAge`` of 0 takes no kept page, ``timeout`` is in ms."""

    formats: list[str | dict[str, Any]] | None = None
    timeout: Annotated[int, Meta(ge=1)] | None = None
    maxAge: Annotated[int, Meta(ge=0)] | None = None  # noqa: N815 - its name there


class ScrapeRequest(ScrapeOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page to read."""

    url: str


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search. ``timeout`` is in milliseconds, ``includeDomains`` has one host.

    ``tbs`` is Google's: ``qdr:d``, ``qdr:w``, ``qdr:m`` or ``qdr:y``. ``lang`` belongs to the first
    version, ``sources`` to the second. With ``scrapeOptions`` that name formats the pages that were
    found are read.
    """

    query: str
    limit: Annotated[int, Meta(ge=1, le=OPEN.counts.high)] | None = None
    tbs: Literal["qdr:d", "qdr:w", "qdr:m", "qdr:y"] | None = None
    lang: str | None = None
    country: str | None = None
    timeout: Annotated[int, Meta(ge=1)] | None = None
    sources: list[str | dict[str, Any]] | None = None
    includeDomains: Annotated[list[str], Meta(max_length=1)] | None = None  # noqa: N815 - as there
    scrapeOptions: dict[str, Any] | None = None  # noqa: N815 - as there


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a page beside its text."""

    title: str
    sourceURL: str  # noqa: N815 - its name there
    url: str
    statusCode: int | UnsetType = UNSET  # noqa: N815 - its name there
    contentType: str | UnsetType = UNSET  # noqa: N815 - its name there
    language: str | UnsetType = UNSET
    publishedTime: str | UnsetType = UNSET  # noqa: N815 - its name there
    modifiedTime: str | UnsetType = UNSET  # noqa: N815 - its name there
    error: str | UnsetType = UNSET


class ScrapedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was read."""

    markdown: str
    metadata: Metadata


class Scraped(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request for a page."""

    data: ScrapedPage
    success: bool = True


class FoundPage(msgspec.Struct, frozen=True, kw_only=True):
    """A result: with ``markdown`` and ``metadata`` where its page was read."""

    url: str
    title: str
    description: str | UnsetType = UNSET
    snippet: str | UnsetType = UNSET
    date: str | UnsetType = UNSET
    imageUrl: str | UnsetType = UNSET  # noqa: N815 - its name there
    imageWidth: int | UnsetType = UNSET  # noqa: N815 - its name there
    imageHeight: int | UnsetType = UNSET  # noqa: N815 - its name there
    position: int | UnsetType = UNSET
    markdown: str | UnsetType = UNSET
    metadata: Metadata | UnsetType = UNSET


class FoundFlat(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a search of the first version."""

    data: list[FoundPage]
    success: bool = True


class FoundByKind(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a search of the second version: results by the sources they are of."""

    data: dict[str, list[FoundPage]]
    success: bool = True


TOLD = (SearchRequest, FoundFlat, FoundByKind, ScrapeRequest, Scraped, FirecrawlFailure)


# Annotations of routes are read where only the names of the module are known.
_SEARCH = read_parameters(SearchRequest, _SEARCH_FIXED, BESIDE)
_SCRAPE = read_parameters(ScrapeRequest, _SCRAPE_FIXED, BESIDE)


def router(clients: Clients) -> APIRouter:
    """Return the routes of both versions."""
    routes = APIRouter(tags=["firecrawl"])
    scraping = describe_route(Scraped, takes=ScrapeRequest, problem=FirecrawlFailure)

    @routes.post(
        "/v1/search",
        **describe_route(FoundFlat, takes=SearchRequest, problem=FirecrawlFailure),
    )
    async def search_flat(
        request: Request, asked: Annotated[SearchRequest, Depends(_SEARCH)]
    ) -> Response:
        """Search as Firecrawl's first version does."""
        if asked.sources:
            raise refuse("sources", "sources belong to /v2/search.")
        found = await while_there(request, _search(clients.current(), asked, "web"))
        return json_response(FoundFlat(data=found))

    @routes.post(
        "/v2/search",
        **describe_route(FoundByKind, takes=SearchRequest, problem=FirecrawlFailure),
    )
    async def search_by_kind(
        request: Request, asked: Annotated[SearchRequest, Depends(_SEARCH)]
    ) -> Response:
        """Search as Firecrawl's second version does."""
        client = clients.current()
        found = {
            name: await while_there(request, _search(client, asked, name))
            for name in _sources(asked)
        }
        return json_response(FoundByKind(data=found))

    for path in ("/v1/scrape", "/v2/scrape"):

        @routes.post(path, **scraping)
        async def scrape(
            request: Request, asked: Annotated[ScrapeRequest, Depends(_SCRAPE)]
        ) -> Response:
            """Read one page as Markdown."""
            how = _how_to_read(asked)
            observing.name_pages((asked.url,))
            page = await while_there(request, clients.current().fetch(asked.url, **how))
            return json_response(Scraped(data=_document(asked.url, page)))

    return routes


def _sources(asked: SearchRequest) -> list[str]:
    named = [
        source if isinstance(source, str) else str(source.get("type"))
        for source in asked.sources or ["web"]
    ]
    if unknown := set(named) - set(_SOURCES):
        raise refuse("sources", f"There is no source {min(unknown)!r:.40}.")
    return list(dict.fromkeys(named))


async def _search(client: Client, asked: SearchRequest, source: str) -> list[FoundPage]:
    options = _scrape_options(asked.scrapeOptions)
    response = await client.search(asked.query, **_fields(asked, _SOURCES[source]))
    if options is None:
        return [_found(item, source) for item in response.items]
    return await _read_all(client, response, source, _how_to_read(options))


async def _read_all(
    client: Client, response: SearchResponse, source: str, how: Mapping[str, Any]
) -> list[FoundPage]:
    urls = [item.url for item in response.items]
    pages = await read_together(client, urls, **how)
    found = []
    for item, page in zip(response.items, pages, strict=True):
        shown = _found(item, source)
        if isinstance(page, CiteseekError):
            metadata = Metadata(title=item.title, sourceURL=item.url, url=item.url, error=str(page))
            found.append(msgspec.structs.replace(shown, metadata=metadata))
        else:
            document = _document(item.url, page)
            found.append(
                msgspec.structs.replace(
                    shown, markdown=document.markdown, metadata=document.metadata
                )
            )
    return found


def _scrape_options(given: Mapping[str, Any] | None) -> ScrapeOptions | None:
    """Return how pages are read, None where they are not; raise InvalidInput."""
    fields = set(ScrapeOptions.__struct_fields__)
    for name, value in (given or {}).items():
        allowed = _SCRAPE_FIXED.get(name)
        if name in fields or name in BESIDE or value is None:
            continue
        if allowed is None or value not in allowed.values:
            why = allowed.why if allowed else f"scrapeOptions: {name!r:.60} is not known here."
            raise refuse("scrapeOptions", why)
    try:
        known = {name: value for name, value in (given or {}).items() if name in fields}
        options = msgspec.convert(known, ScrapeOptions)
    except msgspec.ValidationError as error:
        raise refuse("scrapeOptions", f"scrapeOptions: {error}") from None
    return options if options.formats else None


def _how_to_read(asked: ScrapeOptions) -> dict[str, Any]:
    for wanted in asked.formats or ["markdown"]:
        name = wanted if isinstance(wanted, str) else wanted.get("type")
        if name != "markdown":
            raise refuse("formats", f"The format is markdown; {name!r:.40} is not given here.")
    how: dict[str, Any] = {"form": "markdown"}
    if asked.timeout:
        seconds = asked.timeout / 1_000
        how["seconds"] = min(max(seconds, of_fetch.MIN_SECONDS), of_fetch.MAX_SECONDS)
    if asked.maxAge == 0:
        how["fresh"] = True
    return how


def _fields(asked: SearchRequest, category: Category) -> SearchFields:
    fields: SearchFields = {"count": asked.limit or USUAL_RESULTS, "category": category}
    if asked.tbs:
        fields["freshness"] = _PERIODS[asked.tbs]
    if asked.lang:
        fields["language"] = asked.lang
    if asked.country:
        fields["country"] = asked.country.upper()
    if asked.includeDomains:
        fields["site"] = asked.includeDomains[0]
    if asked.timeout:
        seconds = asked.timeout / 1_000
        fields["seconds"] = min(max(seconds, planning.MIN_SECONDS), planning.MAX_SECONDS)
    return fields


def _found(item: SearchItem, source: str) -> FoundPage:
    image = item.image
    return FoundPage(
        url=item.url,
        title=item.title,
        description=item.snippet if source == "web" else UNSET,
        snippet=item.snippet if source == "news" else UNSET,
        date=item.published_at or UNSET,
        imageUrl=(image.url if image else item.thumbnail) or UNSET,
        imageWidth=(image.width if image else None) or UNSET,
        imageHeight=(image.height if image else None) or UNSET,
        position=item.rank,
    )


def _document(url: str, page: FetchResponse) -> ScrapedPage:
    return ScrapedPage(
        markdown=page.text,
        metadata=Metadata(
            title=page.title,
            sourceURL=url,
            url=page.final_url,
            statusCode=page.status_code,
            contentType=page.content_type,
            language=page.language or UNSET,
            publishedTime=page.published_at or UNSET,
            modifiedTime=page.updated_at or UNSET,
        ),
    )
