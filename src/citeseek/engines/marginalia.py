"""Marginalia, an index of small and personal sites (about.marginalia-search.com/article/api)."""

from __future__ import annotations

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.models import Hit, Page, Request
from citeseek.parsing.json_body import json_object, read_list, string
from citeseek.query import Query

SHARED_KEY = "public"
SAFESEARCH = {"off": "0", "moderate": "1", "strict": "1"}


def request(query: Query, options: EngineOptions) -> Request:
    """Ask with one's own key or with the one that everybody shares, which is often busy."""
    params = {"query": query.text_with_site, "count": str(query.count)}
    if query.page > 1:
        params["page"] = str(query.page)
    if query.safesearch:
        params["nsfw"] = SAFESEARCH[query.safesearch]
    return Request(
        url=f"{options.base_url}/search",
        params=params,
        headers={"API-Key": options.api_key or SHARED_KEY},
    )


def parse(page: Page) -> list[Hit]:
    """Return the results."""
    results = read_list(json_object(page), "results", "Marginalia's")
    return [
        Hit(
            title=string(result.get("title")),
            url=string(result.get("url")),
            snippet=" ".join(string(result.get("description")).split()),
        )
        for result in results
    ]


ENGINE = Engine(
    id="marginalia",
    label="Marginalia",
    index="marginalia",
    base_url="https://api2.marginalia-search.com",
    request=request,
    parse=parse,
    key=Key(
        signup_url="https://about.marginalia-search.com/article/api",
        price="free for non-commercial use, with or without a key of one's own (2025)",
        required=False,
    ),
    supports=frozenset({"page", "safesearch", "site"}),
)
