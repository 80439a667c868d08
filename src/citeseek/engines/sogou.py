"""Sogou's result pages (搜狗): an index of Chinese pages.

Made from what is publicly known of the pages, and not tried against the live site.
"""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import attribute, content, text
from citeseek.parsing.iso_dates import find_date
from citeseek.query import Period, Query
from citeseek.urls import join_url

CARD = ".results > .rb, .results > .vrwrap:not(:has(.special-wrap))"
LINK = "h3.pt a, h3.vr-title a"
SNIPPET = ".attribute-centent, .fz-mid.space-txt, .ft"
PUBLISHED = ".cite-date, cite"
PICTURE = ".img-layout img"
# Where a card states the address that Sogou's own leads to.
STATED = "[data-url]"

MARKERS = Markers(
    blocked={
        "#seccodeImage": "captcha_required",
        "#seccodeInput": "captcha_required",
        "form[action*=antispider]": "captcha_required",
    },
    blocked_redirects={"www.sogou.com/antispider": "captcha_required"},
    empty=("#noresult_part1_container", ".results .no-result"),
)
PERIODS: dict[Period, str] = {
    "day": "inttime_day",
    "week": "inttime_week",
    "month": "inttime_month",
    "year": "inttime_year",
}
# Sogou has no choice of language; its own visitors send this.
HEADERS = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"}


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box."""
    params = {"query": query.text_with_site, "ie": "utf8"}
    if query.page > 1:
        params["page"] = str(query.page)
    if query.freshness in PERIODS:
        params |= {"s_from": PERIODS[query.freshness], "tsn": "1"}
    return Request(url=f"{options.base_url}/web", params=params, headers=HEADERS)


def parse(page: Page) -> list[Hit]:
    """Return the results."""
    return [
        Hit(
            title=text(link),
            url=_address(card, attribute(link, "href"), page.url),
            snippet=text(card.css_first(SNIPPET)),
            published_at=find_date(text(card.css_first(PUBLISHED))),
            thumbnail=attribute(card.css_first(PICTURE), "src") or None,
        )
        for card in content(page).css(CARD)
        if (link := card.css_first(LINK)) is not None
    ]


def _address(card: LexborNode, href: str, page_url: str) -> str:
    if not href.startswith("/link?"):
        return href
    return attribute(card.css_first(STATED), "data-url") or join_url(page_url, href) or ""


ENGINE = Engine(
    id="sogou",
    label="Sogou",
    kind="html",
    index="sogou",
    base_url="https://www.sogou.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "freshness", "site"}),
    markers=MARKERS,
)
