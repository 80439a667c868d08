"""Brave's result pages, which need no key.

Made from what is publicly known of the pages, and not tried against the live site.
"""

from __future__ import annotations

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import Layout, hits
from citeseek.query import DateRange, Period, Query

LAYOUTS = (
    Layout(
        result="div.snippet[data-type=web]",
        link="a[href^=http]",
        title=".snippet-title, .title",
        snippet=".snippet-description, .generic-snippet .content",
    ),
)
MARKERS = Markers(
    blocked={
        "#pow-captcha-content": "captcha_required",
        "a[href*='pow-captcha']": "captcha_required",
        "script[src*='/cdn-cgi/challenge-platform/']": "captcha_required",
    },
    empty=("#search-page .no-results", "#results .no-results"),
)
PERIODS: dict[Period, str] = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box; some choices are cookies there."""
    params = {"q": query.text_with_site, "source": "web"}
    if query.page > 1:
        params["offset"] = str(query.page - 1)
    if isinstance(query.freshness, DateRange):
        params["tf"] = f"{query.freshness.first}to{query.freshness.last}"
    elif query.freshness:
        params["tf"] = PERIODS[query.freshness]
    chosen = {"safesearch": query.safesearch, "country": query.region}
    cookies = "; ".join(f"{name}={value}" for name, value in chosen.items() if value)
    headers = {"Accept-Language": query.accept_language}
    if cookies:
        headers["Cookie"] = f"useLocation=0; {cookies}"
    return Request(url=f"{options.base_url}/search", params=params, headers=headers)


def parse(page: Page) -> list[Hit]:
    """Return the web results."""
    return hits(page, LAYOUTS)


ENGINE = Engine(
    id="brave_html",
    label="Brave's pages",
    kind="html",
    index="brave",
    base_url="https://search.brave.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "country", "freshness", "safesearch", "site"}),
    markers=MARKERS,
)
