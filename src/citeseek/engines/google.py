"""Google's result pages as a browser sees them, and those for clients without scripts."""

from __future__ import annotations

import re
from datetime import datetime

from selectolax.lexbor import LexborNode

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import Layout, hits, text, tree
from citeseek.parsing.iso_dates import parse_date, read_sent_at
from citeseek.query import DateRange, Period, Query
from citeseek.urls import Wrapper

# "People also ask" shows its answers in the shape of results.
NOT_IN_ANSWERS = ":not([data-q] *, .related-question-pair *)"
LAYOUTS = (
    Layout(
        result=f"#rso div:is(.tF2Cxc, .xe8e1b){NOT_IN_ANSWERS}",
        link="a:has(h3)",
        title="h3",
        snippet=".VwiC3b",
        published=".xe8e1b cite",
        site=".VuuXrf",
    ),
    # Until 2019.
    Layout(
        result=f"#rso .rc{NOT_IN_ANSWERS}",
        link=".r a",
        title="h3",
        snippet=".st",
    ),
)
# What follows the results of a page, or stands for them: a browser need not load more.
SETTLED = "#botstuff, form#captcha-form, form[action^='https://consent.google.']"
# Without scripts, 2021 and since 2024: only results have a heading within their link, and cards
# within cards are answers.
BASIC_CARD = "#main :is(.ZINbbc, .Gx5Zad):has(> .kCrYT > a h3):not(.ZINbbc *, .Gx5Zad *)"
BASIC_LINK = ".kCrYT > a:has(h3)"
BASIC_SNIPPET = ".s3v9rd .s3v9rd"
DATE_END = "[—–·]| - "
# A video names its channel behind the site, and its age behind the number of views.
VIDEO_SEPARATOR = " · "

MARKERS = Markers(
    blocked={
        "form#captcha-form": "captcha_required",
        "form[action^='https://consent.google.']": "consent_required",
        # Good pages refer to it too, and have a search box.
        "html:not(:has(form)) meta[content*='/httpservice/retry/enablejs']": "javascript_required",
    },
    blocked_redirects={"consent.google.com": "consent_required"},
    empty=("#botstuff .mnr-c p[role=heading]", "#topstuff .mnr-c p[role=heading]"),
)

# What follows "www.google." on Google's hosts.
HOSTS = (
    "com ad ae com.af com.ag al am co.ao com.ar as at com.au az ba com.bd be bf bg com.bh bi bj "
    "com.bn com.bo com.br bs bt co.bw by com.bz ca cat cd cf cg ch ci co.ck cl cm cn com.co co.cr "
    "com.cu cv com.cy cz de dj dk dm com.do dz com.ec ee com.eg es com.et fi com.fj fm fr ga ge gg "
    "com.gh com.gi gl gm gr com.gt gy com.hk hn hr ht hu co.id ie co.il im co.in iq is it je "
    "com.jm jo co.jp co.ke com.kh ki kg co.kr com.kw kz la com.lb li lk co.ls lt lu lv com.ly "
    "co.ma md me mg mk ml com.mm mn com.mt mu mv mw com.mx com.my co.mz com.na com.ng com.ni ne nl "
    "no com.np nr nu co.nz com.om com.pa com.pe com.pg com.ph com.pk pl pn com.pr ps pt com.py "
    "com.qa ro rs ru rw com.sa com.sb sc se com.sg sh si sk com.sl sm sn so sr st com.sv td tg "
    "co.th com.tj tl tm tn to com.tr tt com.tw co.tz com.ua co.ug co.uk com.uy co.uz com.vc co.ve "
    "co.vi com.vn vu ws co.za co.zm co.zw"
).split()
ORIGINS = ("", *(f"{scheme}://www.google.{host}" for host in HOSTS for scheme in ("https", "http")))
WRAPPERS = (
    # Beside "url", "q" repeats the query.
    Wrapper(tuple(f"{origin}/url?" for origin in ORIGINS), params=("url", "q")),
    Wrapper(tuple(f"{origin}/aclk?" for origin in ORIGINS)),
)

PAGE_RESULTS = 10
SAFESEARCH = {"off": "off", "moderate": "medium", "strict": "active"}
PERIODS: dict[Period, str] = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
# The values of `lr`, and where they differ from ISO 639.
LANGUAGES = frozenset(
    "af ar be bg ca cs da de el en eo es et fa fi fr hi hr hu hy id is it iw ja ko lt lv nl no pl "
    "pt ro ru sk sl sr sv sw th tl tr uk vi zh-CN zh-TW".split()
)
RENAMED_LANGUAGES = {"he": "iw", "nb": "no", "zh": "zh-CN", "zh-HK": "zh-TW", "zh-MO": "zh-TW"}


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box, pager and tools."""
    params = {"q": query.text_with_site, "hl": query.accept_language.partition(",")[0]}
    if language := _language(query.language):
        params["lr"] = f"lang_{language}"
    if country := query.region:
        params["gl"] = country
    # Since 2025 Google shows ten whatever is asked for, so pages are counted in tens all the same.
    if query.count > PAGE_RESULTS:
        params["num"] = str(query.count)
    if query.page > 1:
        params["start"] = str((query.page - 1) * PAGE_RESULTS)
    if query.freshness:
        params["tbs"] = _span(query.freshness)
    if query.safesearch:
        params["safe"] = SAFESEARCH[query.safesearch]
    return Request(
        url=f"{options.base_url}/search",
        params=params,
        headers={"Accept-Language": query.accept_language},
        settled=SETTLED,
    )


def parse(page: Page) -> list[Hit]:
    """Return the organic results; a video has no snippet, a date before a snippet stays there."""
    now = read_sent_at(page)
    found = hits(page, LAYOUTS)
    for hit in found:
        age = (hit.published_at or "").rpartition(VIDEO_SEPARATOR)[2]
        hit.published_at = _day_before(hit.snippet, now) or parse_date(age, now)
        hit.site_name = (hit.site_name or "").partition(VIDEO_SEPARATOR)[0] or None
    return found or [
        _basic(card, link, now)
        for card in tree(page).css(BASIC_CARD)
        if (link := card.css_first(BASIC_LINK)) is not None
    ]


def _basic(card: LexborNode, link: LexborNode, now: datetime | None) -> Hit:
    parts = card.css(BASIC_SNIPPET)
    # Parts with links name other pages of the site, unless the snippet has no other part.
    parts = [part for part in parts if part.css_first("a") is None] or parts[:1]
    return Hit(
        title=text(link.css_first("h3")),
        url=link.attributes.get("href") or "",
        snippet=" ".join("".join(part.text() for part in parts).split()),
        published_at=next((day for part in parts if (day := _day_before(text(part), now))), None),
    )


def _day_before(snippet: str, now: datetime | None) -> str | None:
    return parse_date(re.split(DATE_END, snippet, maxsplit=1)[0], now)


def _language(language: str) -> str | None:
    for name in (language, language.partition("-")[0]):
        known = RENAMED_LANGUAGES.get(name, name)
        if known in LANGUAGES:
            return known
    return None


def _span(freshness: Period | DateRange) -> str:
    if isinstance(freshness, DateRange):
        first, last = (f"{d.month}/{d.day}/{d.year}" for d in (freshness.first, freshness.last))
        return f"cdr:1,cd_min:{first},cd_max:{last}"
    return PERIODS[freshness]


ENGINE = Engine(
    id="google",
    label="Google",
    via="browser",
    kind="html",
    index="google",
    base_url="https://www.google.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "country", "freshness", "safesearch", "site"}),
    markers=MARKERS,
    wrappers=WRAPPERS,
    max_chars=2048,
    max_words=32,
)
