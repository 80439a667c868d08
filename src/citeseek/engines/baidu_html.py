"""Baidu's result pages: the web tab in its layouts since 2015, and the news tab."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from selectolax.lexbor import LexborNode

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import content, text
from citeseek.parsing.iso_dates import parse_date, read_sent_at
from citeseek.query import Query
from citeseek.urls import Wrapper, is_web

# Class "result" marks pages of the index, "result-op" what partners feed in: calculators, videos,
# questions to a doctor. Of the latter only encyclopedia entries and news are results.
CARD = (
    "#content_left > .result.c-container, "
    "#content_left > .result-op[tpl=bk_polysemy], "
    "#content_left > .result-op[tpl=news-normal]"
)
OF_THE_INDEX = "result"
LINK = "h3 a"
# In each of these the first selector that matches wins.
SNIPPET = (
    "[data-module=abstract]",
    "[class^=content-right_]",
    ".c-abstract",
    ".c-font-normal.c-color-text",
    ".c-span-last p",
)
PUBLISHED = (
    ".newTimeFactor_before_abs",
    "[data-module=abstract] .cos-color-text-minor",
    ".c-color-gray2",
)
SITE = (".cosc-source-text", "[class*=source_] .c-color-gray", ".nor-src-wrap", ".c-showurl")
PAGER = "#page"
PAGER_CURRENT = "#page strong .pc"

MARKERS = Markers(
    blocked={
        ".passMod_dialog-wrapper": "captcha_required",
        ".timeout-title": "captcha_required",
        "link[href*=mkdjump]": "captcha_required",
    },
    blocked_redirects={"wappass.baidu.com": "captcha_required"},
    empty=(".content_none .nors",),
    current_page=PAGER_CURRENT,
)
# Advertisements; the /link addresses of results cannot be undone without asking Baidu.
WRAPPERS = (Wrapper(("http://www.baidu.com/baidu.php", "https://www.baidu.com/baidu.php")),)

PAGE_RESULTS = 10
BEIJING = timezone(timedelta(hours=8))
# Baidu has no choice of language; its own visitors send this.
HEADERS = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"}


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box."""
    params = {"wd": query.text_with_site, "ie": "utf-8"}
    rows = max(query.count, PAGE_RESULTS)
    if rows > PAGE_RESULTS:
        params["rn"] = str(rows)
    if query.page > 1:
        params["pn"] = str((query.page - 1) * rows)
    return Request(url=f"{options.base_url}/s", params=params, headers=HEADERS)


def parse(page: Page) -> list[Hit]:
    """Return the web or news results."""
    sent = read_sent_at(page)
    now = sent.astimezone(BEIJING) if sent else None
    return [hit for card in content(page).css(CARD) if (hit := _hit(card, now)) is not None]


def _hit(card: LexborNode, now: datetime | None) -> Hit | None:
    link = card.css_first(LINK)
    if link is None:
        return None
    return Hit(
        title=text(link),
        url=_landing(card) or link.attributes.get("href") or "",
        snippet=_first(card, SNIPPET),
        published_at=parse_date(_first(card, PUBLISHED), now),
        site_name=_site(_first(card, SITE)),
    )


def _landing(card: LexborNode) -> str | None:
    """Return the landing address that a card states beside Baidu's /link address.

    On the partners' cards the same attribute is only a key, often with a host that nobody serves.
    """
    stated = card.attributes.get("mu") or ""
    classes = (card.attributes.get("class") or "").split()
    return stated if OF_THE_INDEX in classes and is_web(stated) else None


def _first(card: LexborNode, selectors: tuple[str, ...]) -> str:
    for selector in selectors:
        if (node := card.css_first(selector)) is not None:
            return text(node)
    return ""


def _site(shown: str) -> str | None:
    """Return the name of the site, or the host when the page shows an address instead."""
    return shown.removeprefix("http://").removeprefix("https://").partition("/")[0] or None


ENGINE = Engine(
    id="baidu_html",
    label="Baidu",
    kind="html",
    index="baidu",
    base_url="https://www.baidu.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "site"}),
    markers=MARKERS,
    wrappers=WRAPPERS,
    max_chars=255,
)
