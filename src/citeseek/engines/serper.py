"""Google's results by the API of serper.dev."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import AuthError, SearchFailed
from citeseek.models import Hit, Page, Request
from citeseek.parsing.iso_dates import parse_date, read_sent_at
from citeseek.parsing.json_body import json_object, read_list, string
from citeseek.query import DateRange, Period, Query

SIGNUP = "https://serper.dev"
MAX_COUNT = 10
PERIODS: dict[Period, str] = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
# Languages that Google tells apart by region, and the one that stands for all.
REGIONAL = {"zh": "zh-cn", "pt": "pt-br"}


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for web results."""
    body: dict[str, Any] = {"q": query.text_with_site, "num": min(query.count, MAX_COUNT)}
    language, _, region = query.language.lower().partition("-")
    if query.page > 1:
        body["page"] = query.page
    if language != "auto":
        body["hl"] = _language(language, region)
    if country := query.region:
        body["gl"] = country
    if isinstance(query.freshness, DateRange):
        first, last = query.freshness.first, query.freshness.last
        body["tbs"] = f"cdr:1,cd_min:{first:%m/%d/%Y},cd_max:{last:%m/%d/%Y}"
    elif query.freshness:
        body["tbs"] = PERIODS[query.freshness]
    return Request(
        url=f"{options.base_url}/search",
        json=body,
        headers={"X-API-KEY": options.api_key or ""},
    )


def parse(page: Page) -> list[Hit]:
    """Return the organic results."""
    answer = json_object(page)
    if "organic" not in answer and isinstance(answer.get("searchParameters"), dict):
        # An answer to a search, which found nothing.
        return []
    results = read_list(answer, "organic", "Serper's")
    now = read_sent_at(page)
    return [
        Hit(
            title=string(result.get("title")),
            url=string(result.get("link")),
            snippet=string(result.get("snippet")),
            published_at=parse_date(string(result.get("date")), now),
        )
        for result in results
    ]


def refusal(page: Page) -> SearchFailed | None:
    """Tell a used-up account apart, for which the API has words but no code."""
    if page.status != 400 or b"credits" not in page.body:  # noqa: PLR2004 - HTTP's number
        return None
    return AuthError(
        "The credits of this Serper account are used up.",
        hint=f"Buy credits at {SIGNUP}, or set another engine.",
        detail_code="quota_exceeded",
    )


def _language(language: str, region: str) -> str:
    if language not in REGIONAL:
        return language
    return f"{language}-{region}" if region else REGIONAL[language]


ENGINE = Engine(
    id="serper",
    label="Serper (Google)",
    index="google",
    base_url="https://google.serper.dev",
    request=request,
    parse=parse,
    refusal=refusal,
    key=Key(
        signup_url=SIGNUP,
        price="2,500 free searches once, then from $1 per 1,000 (2026)",
    ),
    supports=frozenset({"page", "language", "country", "freshness", "site"}),
)
