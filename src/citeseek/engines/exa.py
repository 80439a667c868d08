"""Exa, an index searched by meaning (exa.ai/docs/reference/search)."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import AuthError, SearchFailed
from citeseek.models import Hit, Page, Request
from citeseek.parsing.json_body import json_object, read_list, string
from citeseek.query import Query


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for the passages of each page that answer the query."""
    body: dict[str, Any] = {
        "query": query.text,
        "numResults": query.count,
        "contents": {"highlights": True},
    }
    if query.country:
        body["userLocation"] = query.country.upper()
    if query.safesearch:
        body["moderation"] = query.safesearch != "off"
    if query.site:
        body["includeDomains"] = [query.site.partition("/")[0]]
    return Request(
        url=f"{options.base_url}/search",
        json=body,
        headers={"x-api-key": options.api_key or ""},
    )


def parse(page: Page) -> list[Hit]:
    """Return the results."""
    results = read_list(json_object(page), "results", "Exa's")
    return [
        Hit(
            title=string(result.get("title")),
            url=string(result.get("url")),
            snippet=_snippet(result.get("highlights")),
            published_at=string(result.get("publishedDate")) or None,
        )
        for result in results
    ]


def refusal(page: Page) -> SearchFailed | None:
    """Tell a used-up account apart."""
    if page.status != 402:  # noqa: PLR2004 - HTTP's number
        return None
    return AuthError(
        "The credits of this Exa key are used up (HTTP 402).",
        hint="Top up at https://dashboard.exa.ai, or set another engine.",
        detail_code="quota_exceeded",
        values={"case": "exa"},
    )


def _snippet(highlights: object) -> str:
    passages = highlights if isinstance(highlights, list) else []
    return " … ".join(filter(None, (" ".join(string(passage).split()) for passage in passages)))


ENGINE = Engine(
    id="exa",
    label="Exa",
    index="exa",
    base_url="https://api.exa.ai",
    request=request,
    parse=parse,
    refusal=refusal,
    key=Key(
        signup_url="https://dashboard.exa.ai/api-keys",
        price="from $7 per 1,000 searches (2026)",
    ),
    supports=frozenset({"country", "safesearch", "site"}),
)
