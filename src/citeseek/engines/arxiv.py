"""Papers on arXiv, by its API (info.arxiv.org/help/api/user-manual.html).

The Atom feed is read by the HTML parser: its elements come out the same, and unlike XML parsers it
expands no entities that a hostile feed may define.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.engine import Engine, EngineOptions
from citeseek.errors import WebParseError, WebProviderError
from citeseek.models import Hit, Page, PaperDetails, Request
from citeseek.parsing.html import content, text
from citeseek.parsing.json_body import MAX_NAMES
from citeseek.query import Query

FEED = "body > feed"
ENTRY = "feed entry"
TOTAL = r"opensearch\:totalresults"
START = r"opensearch\:startindex"
# A failure is an entry of its own, with status 200.
ERROR_ID = "arxiv.org/api/errors"
WORD = re.compile(r'[^\s"]*\w[^\s"]*')


def request(query: Query, options: EngineOptions) -> Request:
    """Ask for papers that hold every word of the query, the most relevant first.

    Each word is quoted: bare ones may be operators (OR, ANDNOT) or field names (``ti:``).
    """
    words = WORD.findall(query.text) or [query.text]
    return Request(
        url=f"{options.base_url}/api/query",
        params={
            "search_query": " AND ".join(f'all:"{word}"' for word in words),
            "start": str((query.page - 1) * query.count),
            "max_results": str(query.count),
        },
    )


def parse(page: Page) -> list[Hit]:
    """Return the papers."""
    feed = content(page)
    entries = feed.css(ENTRY)
    if any(ERROR_ID in text(entry.css_first("id")) for entry in entries):
        raise WebProviderError(
            "arXiv refused the search.", detail_code="api_error", values={"case": "refused"}
        )
    if not entries and not _found_nothing(feed):
        raise WebParseError(
            "arXiv's answer holds no papers.", detail_code="drift", values={"case": "arxiv"}
        )
    return [
        Hit(
            title=text(entry.css_first("title")),
            url=_address(entry),
            snippet=text(entry.css_first("summary")),
            published_at=text(entry.css_first("published")) or None,
            site_name="arXiv",
            paper=_paper(entry),
        )
        for entry in entries
    ]


def _found_nothing(page: LexborHTMLParser) -> bool:
    """Whether this is a feed of which nothing is left; now and then one says that there is more."""
    if page.css_first(FEED) is None:
        return False
    if page.css_first(TOTAL) is None:
        return True
    total, start = (text(page.css_first(selector)) for selector in (TOTAL, START))
    return total.isdecimal() and start.isdecimal() and int(start) >= int(total)


def _paper(entry: LexborNode) -> PaperDetails:
    pdf = entry.css_first("link[title=pdf]")
    return PaperDetails(
        authors=tuple(text(name) for name in entry.css("author > name")[:MAX_NAMES]),
        venue=text(entry.css_first(r"arxiv\:journal_ref")) or None,
        doi=text(entry.css_first(r"arxiv\:doi")) or None,
        pdf_url=pdf.attributes.get("href") if pdf is not None else None,
    )


def _address(entry: LexborNode) -> str:
    link = entry.css_first("link[rel=alternate]")
    return (link.attributes.get("href") or "") if link is not None else text(entry.css_first("id"))


ENGINE = Engine(
    id="arxiv",
    label="arXiv",
    index="arxiv",
    base_url="https://export.arxiv.org",
    request=request,
    parse=parse,
    supports=frozenset({"page"}),
    categories={"papers": parse},
)
