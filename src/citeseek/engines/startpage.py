"""Startpage's result pages: Google's index without its accounts.

Made from what is publicly known of the pages, and not tried against the live site.
"""

from __future__ import annotations

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import Layout, hits
from citeseek.query import Period, Query

LAYOUTS = (
    Layout(
        result=".w-gl .result",
        link="a.result-title",
        title="a.result-title h2",
        snippet=".description",
    ),
    Layout(result=".w-gl__result", link="a.w-gl__result-title", snippet=".w-gl__description"),
)
MARKERS = Markers(
    blocked={
        "form[action*='/sp/captcha']": "captcha_required",
        ".g-recaptcha": "captcha_required",
        "script[src*='/cdn-cgi/challenge-platform/']": "captcha_required",
    },
    blocked_redirects={"www.startpage.com/sp/captcha": "captcha_required"},
    empty=("div.noresults", ".no-results"),
)
PERIODS: dict[Period, str] = {"day": "d", "week": "w", "month": "m", "year": "y"}
# The names of its own language menu.
LANGUAGES = {
    "da": "dansk",
    "de": "deutsch",
    "en": "english",
    "es": "espanol",
    "fr": "francais",
    "it": "italiano",
    "ja": "nihongo",
    "ko": "hangul",
    "nl": "nederlands",
    "no": "norsk",
    "pl": "polski",
    "pt": "portugues",  # codespell:ignore
    "sv": "svenska",
    "tr": "turkce",
    "zh": "jiantizhongwen",
    "zh-HK": "fantizhengwen",
    "zh-TW": "fantizhengwen",
}


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box."""
    params = {"query": query.text_with_site, "cat": "web"}
    if query.page > 1:
        params["page"] = str(query.page)
    names = (query.language, query.language.partition("-")[0])
    if language := next((LANGUAGES[name] for name in names if name in LANGUAGES), None):
        params |= {"language": language, "lui": language}
    if query.freshness in PERIODS:
        params["with_date"] = PERIODS[query.freshness]
    return Request(
        url=f"{options.base_url}/sp/search",
        params=params,
        headers={"Accept-Language": query.accept_language},
    )


def parse(page: Page) -> list[Hit]:
    """Return the organic results of either layout."""
    return hits(page, LAYOUTS)


ENGINE = Engine(
    id="startpage",
    label="Startpage",
    kind="html",
    index="google",
    base_url="https://www.startpage.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "freshness", "site"}),
    markers=MARKERS,
)
