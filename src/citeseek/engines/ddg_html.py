"""DuckDuckGo's result pages: html.duckduckgo.com, the lite layout and the script-driven layout."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import Layout, content, hits, text
from citeseek.query import DateRange, Period, Query
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
    form = {"q": query.text_with_site, "b": ""}
    # The first page is asked for without an offset, as a person would.
    if query.page > 1:
        skip = FIRST_PAGE_RESULTS + (query.page - 2) * PAGE_RESULTS
        form |= {"s": str(skip), "dc": str(skip + 1)}
    if region := _region(query):
        form["kl"] = region
    if isinstance(query.freshness, DateRange):
        form["df"] = str(query.freshness)
    elif query.freshness:
        form["df"] = PERIODS[query.freshness]
    if query.safesearch:
        form["kp"] = SAFESEARCH[query.safesearch]
    return Request(
        url=f"{options.base_url}/html/",
        form=form,
        headers={"Accept-Language": query.accept_language},
    )


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
    markers=MARKERS,
    wrappers=WRAPPERS,
    max_chars=500,
)
