"""Ecosia's result pages: Bing's index, and Google's for some visitors.

Made from what is publicly known of the pages, and not tried against the live site.
"""

from __future__ import annotations

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import Layout, hits
from citeseek.query import Query

LAYOUTS = (
    Layout(
        result="[data-test-id=mainline-result-web]",
        link="a[data-test-id=result-link]",
        title="[data-test-id=result-title]",
        snippet="[data-test-id=result-description], [data-test-id=web-result-description]",
    ),
)
MARKERS = Markers(
    blocked={
        "input[name=cf-turnstile-response]": "captcha_required",
        "script[src*='/cdn-cgi/challenge-platform/']": "captcha_required",
    },
    empty=("[data-test-id=web-no-results]",),
)


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box."""
    params = {"method": "index", "q": query.text_with_site}
    if query.page > 1:
        params["p"] = str(query.page - 1)
    return Request(
        url=f"{options.base_url}/search",
        params=params,
        headers={"Accept-Language": query.accept_language},
    )


def parse(page: Page) -> list[Hit]:
    """Return the organic results."""
    return hits(page, LAYOUTS)


ENGINE = Engine(
    id="ecosia",
    label="Ecosia",
    kind="html",
    index="bing",
    base_url="https://www.ecosia.org",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "site"}),
    markers=MARKERS,
)
