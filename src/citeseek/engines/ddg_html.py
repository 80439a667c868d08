"""DuckDuckGo's result pages: html.duckduckgo.com, the lite layout and the script-driven layout.

News, images and videos are JSON that the scripts of its page ask for, with a token that stands in
the page. That part was made from what is publicly known of it.
"""

from __future__ import annotations

import re

from msgspec import structs
from selectolax.lexbor import LexborNode

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, ImageDetails, Page, Request, VideoDetails
from citeseek.parsing.html import Layout, content, hits, text
from citeseek.parsing.iso_dates import duration
from citeseek.parsing.json_body import count, inner, json_object, moment, plain, read_list, string
from citeseek.query import Category, DateRange, Period, Query
from citeseek.urls import Wrapper

LAYOUTS = (
    Layout(
        result="div.web-result:not(.result--ad, .result--no-result)",
        link="a.result__a",
        snippet=".result__snippet",
    ),
    Layout(
        result="article[data-testid=result]",
        link="a[data-testid=result-title-a]",
        snippet="[data-result=snippet]",
    ),
)
LITE_LINK = "a.result-link"
LITE_LINK_CELL = f"tr:not(.result-sponsored) {LITE_LINK}"
LITE_SNIPPET = "td.result-snippet"

MARKERS = Markers(
    blocked={
        "#challenge-form": "captcha_required",
        "[class^=anomaly-modal]": "captcha_required",
        "script[src*='anomaly.js']": "captcha_required",
    },
    empty=(".no-results",),
)
_HOSTS = tuple(
    f"{scheme}//{host}duckduckgo.com"
    for scheme in ("", "https:", "http:")
    for host in ("", "html.", "lite.", "www.")
)
WRAPPERS = (
    Wrapper((*(f"{host}/l/?" for host in _HOSTS), "/l/?"), params=("uddg",)),
    Wrapper((*(f"{host}/y.js" for host in _HOSTS), "/y.js")),
)

# Where the scripts of the page ask, and how many results one answer has.
SCRIPTS: dict[Category, tuple[str, int]] = {
    "news": ("/news.js", 30),
    "images": ("/i.js", 100),
    "videos": ("/v.js", 60),
}
TOKEN = re.compile(rb"""\bvqd=["']?(\d{1,2}-[\d-]{1,200})""")
FIRST_PAGE_RESULTS = 10
PAGE_RESULTS = 15
SAFESEARCH = {"off": "-2", "moderate": "-1", "strict": "1"}
PERIODS: dict[Period, str] = {"day": "d", "week": "w", "month": "m", "year": "y"}
# The values of the page's own region menu, country first; the first of a country is its default.
REGIONS = (
    "ar-es au-en at-de be-fr be-nl br-pt bg-bg ca-en ca-fr cl-es cn-zh co-es hr-hr cz-cs dk-da "
    "ee-et fi-fi fr-fr de-de gr-el hk-tzh hu-hu is-is in-en id-en ie-en il-en it-it jp-jp kr-kr "
    "lv-lv lt-lt my-en mx-es nl-nl nz-en no-no pk-en pe-es ph-en pl-pl pt-pt ro-ro ru-ru sg-en "
    "sk-sk sl-sl za-en es-es es-ca se-sv ch-de ch-fr tw-tzh th-en tr-tr us-en us-es ua-uk uk-en "
    "vn-en"
).split()
# Where the menu's country and language differ from ISO 3166 and ISO 639, and the region that
# speaks for a language without a country.
COUNTRIES = {"gb": "uk"}
LANGUAGES = {"ja": "jp", "ko": "kr", "zh": "zh", "sl": "sl"}
HOME = {"en": "us-en", "es": "es-es", "pt": "pt-pt", "zh": "cn-zh", "fr": "fr-fr", "de": "de-de"}


def request(query: Query, options: EngineOptions) -> Request:
    """Build the form that the page's own search box sends."""
    if query.category in SCRIPTS:
        return _page_with_token(query, options)
    form = {"q": query.text_with_site, "b": ""}
    # The first page is asked for without an offset, as a person would.
    if query.page > 1:
        skip = FIRST_PAGE_RESULTS + (query.page - 2) * PAGE_RESULTS
        form |= {"s": str(skip), "dc": str(skip + 1)}
    return Request(
        url=f"{options.base_url}/html/",
        form=form | _choices(query),
        headers={"Accept-Language": query.accept_language},
    )


def _choices(query: Query) -> dict[str, str]:
    chosen = {}
    if region := _region(query):
        chosen["kl"] = region
    if isinstance(query.freshness, DateRange):
        chosen["df"] = str(query.freshness)
    elif query.freshness:
        chosen["df"] = PERIODS[query.freshness]
    if query.safesearch:
        chosen["kp"] = SAFESEARCH[query.safesearch]
    return chosen


def _page_with_token(query: Query, options: EngineOptions) -> Request:
    """Ask for the page whose scripts ask for the results; it is another host's."""
    params = {"q": query.text_with_site, "iar": query.category, "t": "h_"} | _choices(query)
    if query.page > 1:
        params["s"] = str((query.page - 1) * SCRIPTS[query.category][1])
    return Request(
        url=f"{options.base_url.replace('://html.', '://')}/",
        params=params,
        headers={"Accept-Language": query.accept_language},
    )


def follow(page: Page, request: Request) -> Request | None:
    """Return what the scripts of the page ask for, with the token that stands in it."""
    asked = request.params
    path = next((path for name, (path, _) in SCRIPTS.items() if name == asked.get("iar")), None)
    token = TOKEN.search(page.body) if path else None
    if path is None or token is None:
        return None
    params = {
        "l": asked.get("kl", "wt-wt"),
        "o": "json",
        "q": asked["q"],
        "vqd": token[1].decode(),
        "p": asked.get("kp", SAFESEARCH["moderate"]),
        **{name: asked[name] for name in ("df", "s") if name in asked},
    }
    headers = {**request.headers, "Referer": request.url}
    url = f"{request.url.rstrip('/')}{path}"
    return structs.replace(request, url=url, params=params, headers=headers)


def parse_news(page: Page) -> list[Hit]:
    """Return the articles."""
    return [
        Hit(
            title=plain(result.get("title")),
            url=string(result.get("url")),
            snippet=plain(result.get("excerpt")),
            published_at=moment(result.get("date")),
            site_name=plain(result.get("source")) or None,
            thumbnail=string(result.get("image")) or None,
        )
        for result in read_list(json_object(page), "results", "DuckDuckGo's")
    ]


def parse_images(page: Page) -> list[Hit]:
    """Return the pictures; the address of each is that of the page that shows it."""
    return [
        Hit(
            title=plain(result.get("title")),
            url=string(result.get("url")),
            thumbnail=string(result.get("thumbnail")) or None,
            image=ImageDetails(
                url=string(result.get("image")),
                width=count(result.get("width")),
                height=count(result.get("height")),
            ),
        )
        for result in read_list(json_object(page), "results", "DuckDuckGo's")
    ]


def parse_videos(page: Page) -> list[Hit]:
    """Return the videos."""
    return [
        Hit(
            title=plain(result.get("title")),
            url=string(result.get("content")),
            snippet=plain(result.get("description")),
            published_at=string(result.get("published")) or None,
            site_name=plain(result.get("publisher")) or None,
            thumbnail=string(inner(result, "images", "small")) or None,
            video=VideoDetails(
                seconds=duration(result.get("duration")),
                channel=plain(result.get("uploader")) or None,
                views=count(inner(result, "statistics", "viewCount")),
            ),
        )
        for result in read_list(json_object(page), "results", "DuckDuckGo's")
    ]


def parse(page: Page) -> list[Hit]:
    """Return the organic results of any of the three layouts."""
    return hits(page, LAYOUTS) or _lite(page)


def _lite(page: Page) -> list[Hit]:
    """Read the lite layout: a table whose rows are title, snippet, address, for each result."""
    return [
        Hit(
            title=text(link),
            url=link.attributes.get("href") or "",
            snippet=text(_snippet_below(link)),
        )
        for link in content(page).css(LITE_LINK_CELL)
    ]


def _snippet_below(link: LexborNode) -> LexborNode | None:
    row = link.parent
    while row is not None and row.tag != "tr":
        row = row.parent
    while row is not None:
        row = row.next
        if row is None or row.css_first(LITE_LINK) is not None:
            return None
        if (snippet := row.css_first(LITE_SNIPPET)) is not None:
            return snippet
    return None


def _region(query: Query) -> str | None:
    if query.language == "auto" and not query.country:
        return None
    language = query.language.lower().partition("-")[0]
    language = LANGUAGES.get(language, language)
    if country := query.region:
        country = COUNTRIES.get(country, country)
        of_country = [value for value in REGIONS if value.startswith(f"{country}-")]
        exact = f"{country}-{language}"
        return exact if exact in of_country else next(iter(of_country), None)
    return HOME.get(language) or next(
        (value for value in REGIONS if value.endswith(f"-{language}")), None
    )


ENGINE = Engine(
    id="ddg_html",
    label="DuckDuckGo",
    kind="html",
    index="bing",
    base_url="https://html.duckduckgo.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "country", "freshness", "safesearch", "site"}),
    categories={"news": parse_news, "images": parse_images, "videos": parse_videos},
    api_categories=frozenset(SCRIPTS),
    follow=follow,
    markers=MARKERS,
    wrappers=WRAPPERS,
    max_chars=500,
)
