"""Bing's result pages, as HTML or as the RSS feed that they have beside them."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from datetime import date

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, ImageDetails, Page, Request, VideoDetails
from citeseek.parsing.html import Layout, attribute, hits, text, tree
from citeseek.parsing.iso_dates import duration, parse_date, read_sent_at
from citeseek.parsing.json_body import attribute_object, plain, string
from citeseek.query import Category, DateRange, Period, Query
from citeseek.urls import Wrapper

RESULT = "#b_results > li.b_algo"
LAYOUTS = (
    Layout(
        result=RESULT,
        link="h2 a",
        snippet=".b_caption p, p[class^=b_lineclamp]",
        site=".b_tpcn .tptt",
    ),
)
# The pages of the other kinds, as their own scripts ask for them.
PATHS: dict[Category, str] = {
    "web": "/search",
    "news": "/news/infinitescrollajax",
    "images": "/images/async",
    "videos": "/videos/asyncv2",
}
NEWS, NEWS_LINK, NEWS_AGE = "div.newsitem", "a.title", ".source span[aria-label]"
IMAGE, IMAGE_LINK, IMAGE_SITE = ".dgControl_list > li", "a.iusc", ".lnkw a"
VIDEO, VIDEO_DATA = ".dg_u [id*=mc_vtvc_video]", ".vrhdata"
FEED_ITEM = "rss item"
SEARCH_BOX = "#sb_form_q"
# The offer to search for the words as they were written, and "nothing found" above results.
RELAXED = ("#sp_recourse a", "#b_results > li.b_no")

MARKERS = Markers(
    blocked={"div.captcha": "captcha_required", "#b_captcha": "captcha_required"},
    empty=("#b_results > li.b_no",),
)

PAGE_RESULTS = 10
PICTURES = 35
PERIODS: dict[Period, str] = {"day": "ez1", "week": "ez2", "month": "ez3"}
NEWS_PERIODS: dict[Period, str] = {"day": "7", "week": "8", "month": "9"}
MINUTES: dict[Period, int] = {"day": 1_440, "week": 10_080, "month": 44_640, "year": 525_600}
EPOCH = date(1970, 1, 1)
QUOTED = '["“]([^"“”]+)["”]'


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box and pager."""
    params = {"q": query.text_with_site}
    if query.category == "web":
        params |= _web(query)
    elif query.category == "news":
        params |= _news(query)
    else:
        params |= _pictures(query)
    language = query.language.partition("-")[0]
    if language != "auto":
        params["setlang"] = query.language
    if country := query.region:
        params["cc"] = country
    if query.safesearch:
        params["adlt"] = query.safesearch
    return Request(
        url=f"{options.base_url}{PATHS[query.category]}",
        params=params,
        headers={"Accept-Language": query.accept_language},
    )


def _web(query: Query) -> dict[str, str]:
    params = {}
    # The pager names itself in FORM; without it some pages come back as the first.
    if query.page > 1:
        params["first"] = str((query.page - 1) * PAGE_RESULTS + 1)
        params["FORM"] = f"PERE{query.page - 2 or ''}"
    if span := _span(query.freshness):
        params["filters"] = f'ex1:"{span}"'
    return params


def _news(query: Query) -> dict[str, str]:
    first, place = (query.page - 1) * PAGE_RESULTS + 1, query.page - 1
    params = {"InfiniteScroll": "1", "first": str(first), "SFX": str(place), "form": "PTFTNR"}
    if query.freshness in NEWS_PERIODS:
        params["qft"] = f'interval="{NEWS_PERIODS[query.freshness]}"'
    return params


def _pictures(query: Query) -> dict[str, str]:
    """Return the parameters that images and videos share."""
    first = str((query.page - 1) * PICTURES + 1)
    params = {"async": "content", "first": first, "count": str(PICTURES)}
    if query.freshness in MINUTES:
        what = "age" if query.category == "images" else "videoage"
        params["qft"] = f"+filterui:{what}-lt{MINUTES[query.freshness]}"
    return params


def parse(page: Page) -> list[Hit]:
    """Return the organic results."""
    found = hits(page, LAYOUTS) or _feed(page)
    now = read_sent_at(page)
    for hit in found:
        hit.published_at = parse_date(hit.snippet.partition("·")[0], now)
    return found


def parse_news(page: Page) -> list[Hit]:
    """Return the articles; each names its publisher and how old it is."""
    now = read_sent_at(page)
    return [
        Hit(
            title=text(link),
            url=attribute(link, "href"),
            snippet=text(card.css_first(".snippet")),
            published_at=parse_date(attribute(card.css_first(NEWS_AGE), "aria-label"), now),
            site_name=attribute(link, "data-author") or None,
            thumbnail=attribute(card.css_first("a.imagelink img"), "src") or None,
        )
        for card in tree(page).css(NEWS)
        if (link := card.css_first(NEWS_LINK)) is not None
    ]


def parse_images(page: Page) -> list[Hit]:
    """Return the pictures, each described by the data of its link."""
    found = []
    for card in tree(page).css(IMAGE):
        if not (about := attribute_object(attribute(card.css_first(IMAGE_LINK), "m"))):
            continue
        found.append(
            Hit(
                title=plain(about.get("t")),
                url=string(about.get("purl")),
                snippet=plain(about.get("desc")),
                site_name=text(card.css_first(IMAGE_SITE)) or None,
                thumbnail=string(about.get("turl")) or None,
                image=ImageDetails(url=string(about.get("murl"))),
            )
        )
    return found


def parse_videos(page: Page) -> list[Hit]:
    """Return the videos, each described by the data of its card."""
    found = []
    for card in tree(page).css(VIDEO):
        if not (about := attribute_object(attribute(card.css_first(VIDEO_DATA), "vrhm"))):
            continue
        found.append(
            Hit(
                title=plain(about.get("vt")),
                url=string(about.get("murl")) or string(about.get("pgurl")),
                thumbnail=attribute(card.css_first("img"), "src") or None,
                video=VideoDetails(seconds=duration(about.get("du"))),
            )
        )
    return found


def read_relaxation(page: Page) -> str | None:
    """Return what Bing set aside of the query, None when it kept to it.

    It says so above the results, or in silence shows results of which none has the quoted words.
    """
    document = tree(page)
    results = [_words(text(result)) for result in document.css(RESULT)]
    if not results:
        return None
    for selector in RELAXED:
        if (note := document.css_first(selector)) is not None:
            return text(note)
    box = document.css_first(SEARCH_BOX)
    asked = box.attributes.get("value") or "" if box is not None else ""
    for phrase in re.findall(QUOTED, asked):
        if not any(_words(phrase) in result for result in results):
            return str(phrase)
    return None


def decode(value: str) -> str:
    """Return the address in the ``u`` of a /ck/a link: ``a1`` and unpadded base64url."""
    try:
        return urlsafe_b64decode(value[2:] + "=" * (-len(value[2:]) % 4)).decode()
    except ValueError:
        return ""


def _feed(page: Page) -> list[Hit]:
    # To an HTML parser <link> is an empty element, and the address is the text behind it.
    return [
        Hit(
            title=text(item.css_first("title")),
            url=text(link.next),
            snippet=text(item.css_first("description")),
        )
        for item in tree(page).css(FEED_ITEM)
        if (link := item.css_first("link")) is not None
    ]


def _span(freshness: Period | DateRange | None) -> str | None:
    """Name the time span as the page's own filter does; a year is not on its menu."""
    if isinstance(freshness, DateRange):
        first, last = ((day - EPOCH).days for day in (freshness.first, freshness.last))
        return f"ez5_{first}_{last}"
    return PERIODS.get(freshness) if freshness else None


def _words(value: str) -> str:
    return re.sub(r"\W+", " ", value).strip().casefold()


def notices(page: Page) -> tuple[str, ...]:
    """Say that Bing answered another query than the one that was asked."""
    return ("query_relaxed",) if read_relaxation(page) is not None else ()


ENGINE = Engine(
    id="bing_html",
    label="Bing",
    kind="html",
    index="bing",
    base_url="https://www.bing.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "country", "freshness", "safesearch", "site"}),
    categories={"news": parse_news, "images": parse_images, "videos": parse_videos},
    markers=MARKERS,
    notices=notices,
    wrappers=(
        Wrapper(
            ("https://www.bing.com/ck/a?", "https://cn.bing.com/ck/a?", "/ck/a?"),
            params=("u",),
            decode=decode,
        ),
        Wrapper(("https://www.bing.com/aclick?", "https://cn.bing.com/aclick?", "/aclick?")),
    ),
    max_chars=1000,
)
