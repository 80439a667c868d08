"""Yahoo's result pages: Bing's index.

Made from what is publicly known of the pages, and not tried against the live site.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import Layout, hits
from citeseek.query import Period, Query

LAYOUTS = (
    Layout(
        result="#web .algo",
        link=".compTitle a",
        title=".compTitle h3",
        snippet=".compText",
    ),
)
MARKERS = Markers(
    blocked={
        "form[action*='consent']": "consent_required",
        "#captcha-container": "captcha_required",
    },
    blocked_redirects={
        "consent.yahoo.com": "consent_required",
        "guce.yahoo.com": "consent_required",
    },
    empty=("#web .zrp",),
)
# An address of Yahoo's names the one that it leads to in a part of its path.
LANDING = re.compile(r"https?://r\.search\.yahoo\.com/\S*?/RU=([^/]+)/")
PAGE_RESULTS = 7
PERIODS: dict[Period, str] = {"day": "d", "week": "w", "month": "m"}
LANGUAGES = {"zh": "zh_chs", "zh-TW": "zh_cht", "zh-HK": "zh_cht"}


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box."""
    params = {"p": query.text_with_site, "ei": "UTF-8"}
    if query.page > 1:
        params |= {"b": str((query.page - 1) * PAGE_RESULTS + 1), "pz": str(PAGE_RESULTS)}
    if query.freshness in PERIODS:
        params["btf"] = PERIODS[query.freshness]
    code = query.language.partition("-")[0]
    if code != "auto":
        language = LANGUAGES.get(query.language) or LANGUAGES.get(code, code)
        params["vl"] = f"lang_{language}"
    if country := query.country:
        params["vc"] = country
    return Request(
        url=f"{options.base_url}/search",
        params=params,
        headers={"Accept-Language": query.accept_language},
    )


def parse(page: Page) -> list[Hit]:
    """Return the organic results, with the addresses that Yahoo's own lead to."""
    found = hits(page, LAYOUTS)
    for hit in found:
        if landing := LANDING.match(hit.url):
            hit.url = unquote(landing[1])
    return found


ENGINE = Engine(
    id="yahoo",
    label="Yahoo",
    kind="html",
    index="bing",
    base_url="https://search.yahoo.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "country", "freshness", "site"}),
    markers=MARKERS,
)
