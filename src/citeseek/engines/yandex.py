"""Yandex' result pages, in the layout of its site and in that of its search for other sites.

Made from what is publicly known of the pages, and not tried against the live site.
"""

from __future__ import annotations

from citeseek.engine import Engine, EngineOptions, Markers
from citeseek.models import Hit, Page, Request
from citeseek.parsing.html import Layout, hits
from citeseek.query import Query

LAYOUTS = (
    Layout(
        result="#search-result li.serp-item:not(:has(.AdvLabel-Text))",
        link="a.OrganicTitle-Link",
        title=".OrganicTitleContentSpan, .OrganicTitle-LinkText",
        snippet=".OrganicTextContentSpan",
    ),
    Layout(
        result="li.b-serp-item",
        link="a.b-serp-item__title-link",
        snippet=".b-serp-item__text",
    ),
)
MARKERS = Markers(
    blocked={
        "form[action*=checkcaptcha]": "captcha_required",
        ".CheckboxCaptcha": "captcha_required",
        ".AdvancedCaptcha": "captcha_required",
    },
    blocked_redirects={"yandex.com/showcaptcha": "captcha_required"},
    empty=(".EmptySearchResults",),
)


def request(query: Query, options: EngineOptions) -> Request:
    """Build the address of the page's own search box."""
    params = {"text": query.text_with_site}
    if query.page > 1:
        params["p"] = str(query.page - 1)
    language = query.language.partition("-")[0]
    if language != "auto":
        params["lang"] = language
    return Request(
        url=f"{options.base_url}/search/",
        params=params,
        headers={"Accept-Language": query.accept_language},
    )


def parse(page: Page) -> list[Hit]:
    """Return the organic results of either layout."""
    return hits(page, LAYOUTS)


ENGINE = Engine(
    id="yandex",
    label="Yandex",
    kind="html",
    index="yandex",
    base_url="https://yandex.com",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language", "site"}),
    markers=MARKERS,
    max_chars=400,
)
