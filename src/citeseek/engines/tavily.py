"""Tavily, a search made for language models (docs.tavily.com/documentation/api-reference)."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import AuthError, SearchFailed
from citeseek.models import Hit, Page, Request
from citeseek.parsing.json_body import json_object, read_list, string
from citeseek.query import DateRange, Query

SIGNUP = "https://app.tavily.com"
MAX_COUNT = 20
# Statuses of its own: the plan's limit, and the limit set for paying as one goes.
USED_UP = (432, 433)


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for a basic search, which costs one credit."""
    body: dict[str, Any] = {"query": query.text, "max_results": min(query.count, MAX_COUNT)}
    if query.category == "news":
        body["topic"] = "news"
    if isinstance(query.freshness, DateRange):
        body["start_date"] = str(query.freshness.first)
        body["end_date"] = str(query.freshness.last)
    elif query.freshness:
        body["time_range"] = query.freshness
    if query.site:
        body["include_domains"] = [query.site.partition("/")[0]]
    return Request(
        url=f"{options.base_url}/search",
        json=body,
        headers={"Authorization": f"Bearer {options.api_key}"},
    )


def parse(page: Page) -> list[Hit]:
    """Return the results."""
    results = read_list(json_object(page), "results", "Tavily's")
    return [
        Hit(
            title=string(result.get("title")),
            url=string(result.get("url")),
            snippet=" ".join(string(result.get("content")).split()),
            published_at=_day(string(result.get("published_date"))),
        )
        for result in results
    ]


def _day(value: str) -> str | None:
    """Return the moment that news name as mail does ("Sun, 29 Nov 2026 10:00:00 GMT")."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - 3 ms, for a date alone

    try:
        return parsedate_to_datetime(value).isoformat()
    except ValueError:
        return None


def refusal(page: Page) -> SearchFailed | None:
    """Tell a used-up plan apart."""
    if page.status not in USED_UP:
        return None
    return AuthError(
        f"The credits of this Tavily key are used up (HTTP {page.status}).",
        hint=f"Raise the limit at {SIGNUP}, or set another engine.",
        detail_code="quota_exceeded",
        values={"case": "tavily", "status": str(page.status), "signup": str(SIGNUP)},
    )


ENGINE = Engine(
    id="tavily",
    label="Tavily",
    index="tavily",
    base_url="https://api.tavily.com",
    request=request,
    parse=parse,
    refusal=refusal,
    key=Key(
        signup_url=SIGNUP,
        price="1,000 free searches a month, then $0.008 a search (2026)",
    ),
    supports=frozenset({"freshness", "site"}),
    categories={"news": parse},
    max_chars=400,
)
