"""Wikipedia in the language of the query, or another MediaWiki (mediawiki.org/wiki/API:Search)."""

from __future__ import annotations

from typing import Any

from citeseek.engine import Engine, EngineOptions
from citeseek.errors import WebProviderError
from citeseek.models import Hit, Page, Request
from citeseek.parsing.json_body import json_object, read_list, string
from citeseek.query import Query

# More than this many introductions do not come in one answer.
MAX_COUNT = 20
INTRODUCTION_CHARS = 600


def request(query: Query, options: EngineOptions) -> Request:
    """Search the whole text of articles and ask for their addresses and introductions.

    ``{language}`` in the address stands for the language of the query.
    """
    count = min(query.count, MAX_COUNT)
    chosen = query.accept_language if query.language == "auto" else query.language
    base_url = options.base_url.replace("{language}", chosen.partition("-")[0])
    params = {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "generator": "search",
        "gsrsearch": query.text,
        "gsrlimit": str(count),
        "prop": "info|extracts",
        "inprop": "url",
        "exintro": "1",
        "explaintext": "1",
        "exchars": str(INTRODUCTION_CHARS),
        "exlimit": "max",
    }
    if query.page > 1:
        params["gsroffset"] = str((query.page - 1) * count)
    return Request(
        url=f"{base_url}/w/api.php",
        params=params,
        # Chinese articles come in the script of the reader's region.
        headers={"Accept-Language": query.accept_language},
    )


def parse(page: Page) -> list[Hit]:
    """Return the articles in the order of the search, which is not the order of the answer."""
    answer = json_object(page)
    if isinstance(answer.get("error"), dict):
        raise WebProviderError(
            "The wiki refused the search.", detail_code="api_error", values={"case": "wikipedia"}
        )
    found = answer.get("query")
    if not found and "batchcomplete" in answer:
        return []
    articles = read_list(found if isinstance(found, dict) else {}, "pages", "The wiki's")
    return [
        Hit(
            title=string(article.get("title")),
            url=string(article.get("fullurl")),
            snippet=" ".join(string(article.get("extract")).split()),
        )
        for article in sorted(articles, key=_position)
    ]


def _position(article: dict[str, Any]) -> float:
    index = article.get("index")
    return index if isinstance(index, int) else float("inf")


ENGINE = Engine(
    id="wikipedia",
    label="Wikipedia",
    index="wikipedia",
    base_url="https://{language}.wikipedia.org",
    request=request,
    parse=parse,
    supports=frozenset({"page", "language"}),
    max_chars=300,
)
