"""Mojeek's result pages: an index of its own, with plain addresses."""

from __future__ import annotations

from datetime import date, timedelta

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import Layout, hits
from citeseek.query import DateRange, Period, Query

LAYOUTS = (Layout(result="ul.results-standard > li", link="h2 a", snippet="p.s"),)

MARKERS = Markers(
    blocked={
        ".captcha-wrap": "captcha_required",
        "script[src*='altcha']": "captcha_required",
    },
    empty=("p.no-results",),
)

PAGE_RESULTS = 10
SAFESEARCH = {"off": "0", "moderate": "1", "strict": "1"}
PERIODS: dict[Period, str] = {"day": "day", "month": "month", "year": "year"}


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box; ``lb`` and ``arc`` prefer, never exclude."""
    params = {"q": query.text_with_site}
    # Asking for the first page by number triggers the rate limit.
    if query.page > 1:
        params["s"] = str((query.page - 1) * PAGE_RESULTS + 1)
    language = query.language.partition("-")[0]
    if language != "auto":
        params["lb"] = language
    if country := query.region:
        params["arc"] = country
    if query.safesearch:
        params["safe"] = SAFESEARCH[query.safesearch]
    return Request(
        url=f"{options.base_url}/search",
        params=params | _span(query.freshness),
        headers={"Accept-Language": query.accept_language},
    )


def parse(page: Page) -> list[Hit]:
    """Return the organic results."""
    return hits(page, LAYOUTS)


def _span(freshness: Period | DateRange | None) -> dict[str, str]:
    """Return the limits of a time span; ``before`` is not part of it, and a week has no name."""
    if not isinstance(freshness, DateRange):
        return {"since": PERIODS[freshness]} if freshness in PERIODS else {}
    span = {"since": f"{freshness.first:%Y%m%d}"}
    if freshness.last < date.max:
        span["before"] = f"{freshness.last + timedelta(days=1):%Y%m%d}"
    return span


ENGINE = Engine(
    id="mojeek",
    label="Mojeek",
    kind="html",
    index="mojeek",
    base_url="https://www.mojeek.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "country", "freshness", "safesearch", "site"}),
    markers=MARKERS,
    max_chars=256,
)
