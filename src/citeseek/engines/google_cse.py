"""Google's Custom Search JSON API (developers.google.com/custom-search/v1).

The key is set together with the id of the search engine that it asks, as ``key:cx``.
"""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions, Key
from citeseek.errors import AuthError, SearchFailed, WebParseError, WebProviderError
from citeseek.models import Hit, Page, Request
from citeseek.parsing.json_body import dicts, json_object, read_list, string
from citeseek.query import DateRange, Period, Query

MAX_COUNT = 10
KEY_FORM = "GOOGLE_CSE_API_KEY must hold the key and the search engine's id, as key:cx."
SAFESEARCH = {"off": "off", "moderate": "active", "strict": "active"}
PERIODS: dict[Period, str] = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
# The values of `lr`, and where they differ from ISO 639.
LANGUAGES = frozenset(
    "ar bg ca cs da de el en es et fi fr hr hu id is it iw ja ko lt lv nl no pl pt ro ru sk sl sr "
    "sv tr zh-CN zh-TW".split()
)
RENAMED_LANGUAGES = {"he": "iw", "nb": "no", "zh": "zh-CN", "zh-HK": "zh-TW"}


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for web results; the key travels in a header, since addresses are written to logs."""
    key, _, cx = (options.api_key or "").partition(":")
    count = min(query.count, MAX_COUNT)
    params = {"q": query.text_with_site, "cx": cx, "num": str(count)}
    if query.page > 1:
        params["start"] = str((query.page - 1) * count + 1)
    if language := _language(query.language):
        params["lr"] = f"lang_{language}"
    if country := query.region:
        params["gl"] = country
    if isinstance(query.freshness, DateRange):
        params["sort"] = f"date:r:{query.freshness.first:%Y%m%d}:{query.freshness.last:%Y%m%d}"
    elif query.freshness:
        params["dateRestrict"] = PERIODS[query.freshness]
    if query.safesearch:
        params["safe"] = SAFESEARCH[query.safesearch]
    return Request(
        url=f"{options.base_url}/customsearch/v1",
        params=params,
        headers={"X-Goog-Api-Key": key},
    )


def parse(page: Page) -> list[Hit]:
    """Return the results; an answer to a search without items found nothing."""
    answer = json_object(page)
    if answer.get("kind") != "customsearch#search":
        raise WebParseError(
            "Google's answer holds no search results.",
            detail_code="drift",
            values={"case": "google_cse"},
        )
    return [
        Hit(
            title=string(item.get("title")),
            url=string(item.get("link")),
            snippet=" ".join(string(item.get("snippet")).split()),
            published_at=_meta(item, "article:published_time"),
            site_name=_meta(item, "og:site_name"),
        )
        for item in read_list({"items": None, **answer}, "items", "Google's")
    ]


def refusal(page: Page) -> SearchFailed | None:
    """Tell a wrong key from a wrong request: both are 400."""
    if page.status != 400:  # noqa: PLR2004 - HTTP's number
        return None
    if b"API_KEY_INVALID" in page.body:
        return AuthError(
            "Google does not accept the key (HTTP 400).",
            hint=KEY_FORM,
            detail_code="http_400",
            values={"case": "google_cse_key"},
        )
    return WebProviderError(
        "Google refused the request (HTTP 400).",
        hint=KEY_FORM,
        detail_code="http_400",
        values={"case": "google_cse"},
    )


def _language(language: str) -> str | None:
    for name in (language, language.partition("-")[0]):
        known = RENAMED_LANGUAGES.get(name, name)
        if known in LANGUAGES:
            return known
    return None


def _meta(item: dict[str, Any], name: str) -> str | None:
    """Return what the page says of itself in the meta tag ``name``."""
    pagemap = item.get("pagemap")
    tags = dicts(pagemap.get("metatags")) if isinstance(pagemap, dict) else []
    return next((value for tag in tags if (value := string(tag.get(name)))), None)


ENGINE = Engine(
    id="google_cse",
    label="Google Custom Search",
    index="google",
    base_url="https://customsearch.googleapis.com",
    request=request,
    parse=parse,
    refusal=refusal,
    key=Key(
        signup_url="https://developers.google.com/custom-search/v1/overview",
        price="100 free searches a day, then $5 per 1,000; closed to new customers, "
        "ends on 2027-01-01 (2026)",
    ),
    supports=frozenset({"page", "language", "country", "freshness", "safesearch", "site"}),
)
