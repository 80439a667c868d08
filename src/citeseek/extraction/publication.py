"""When a page was published, by what it tells machines, then by what stands beside its title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.linked_data import text_in
from citeseek.parsing import iso_dates
from citeseek.text import plain_line

# Names of ``meta`` elements, in whichever attribute they stand, the most exact first.
_NAMES = (
    "article:published_time og:article:published_time article:published og:published_time"
    " og:release_date datepublished rnews:datepublished article.published"
    " parsely-pub-date sailthru.date cxenseparse:recs:publishtime bt:pubdate"
    " originalpublicationdate article_date_original shareaholic:article_published_time"
    " pubdate publishdate publish_date publish-date publication_date publication-date"
    " published_time published_at published dc.date.issued dcterms.issued dc.issued"
    " citation_publication_date citation_online_date citation_date dc.date dcterms.date dc:date"
    " dc.date.created dcterms.created dc.created article:create_at weibo:article:create_at"
    " datecreated date-created created date"
).split()
_RANKS = {name: rank for rank, name in enumerate(_NAMES)}
_NAMING = ("property", "name", "itemprop", "http-equiv")
_STATED = "[itemprop*=datePublished], time[pubdate], time.published, abbr.published"
_TIMES = ("article time[datetime], main time[datetime]", "time[datetime]")
_TEXTS = (
    "[itemprop*=datePublished], #pubtime, #publish_time, .pubtime, .pub-time, .publish-time,"
    " .publish_time, .pubdate, .pub-date, .publish-date, .published, .post-date, .entry-date,"
    " .article-date, .article-time, .posted-on, .post-meta, .entry-meta, .article-meta,"
    " .dateline, .timestamp, .date, .time, time, .byline, .meta, .info, .source"
)
# What stands in these is of another text: a comment, a teaser, a notice of the site.
_OTHERS = re.compile(
    r"(?i)comment|respon[ds]|related|recommend|sidebar|side-?bar|widget|teaser|more-|most-|popular"
    r"|trending|latest|newsletter|footer|copyright|promo"
)
_OTHER_TAGS = frozenset({"aside", "nav", "footer", "form"})
_PATH = re.compile(r"/(20\d\d|19\d\d)[-/]?(0[1-9]|1[0-2])[-/]?(0[1-9]|[12]\d|3[01])(?=\D|$)")
_LONGEST = 300
_MOST = 2_000
_EPOCH = "1970-01-01"


def published_at(document: LexborHTMLParser, linked: list[dict[str, Any]], url: str) -> str | None:
    """Return the date of the page at ``url`` as ISO 8601, None when it does not tell it."""
    for value in _find_stated(document, linked):
        if (found := iso(value)) and not found.startswith(_EPOCH):
            return found
    for node in document.css(_TEXTS)[:_MOST]:
        text = plain_line(node.text(separator=" "))
        if (
            len(text) <= _LONGEST
            and (found := iso_dates.find_date(text))
            and not _is_of_others(node)
        ):
            return found
    return iso("-".join(match.groups())) if (match := _PATH.search(url)) else None


def iso(value: str) -> str | None:
    """Return ``value``, a date in one of the ways of machines or people, as ISO 8601."""
    value = value.strip()[:64]
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d|(?:19|20)\d{6}", value):
            return date.fromisoformat(value).isoformat()
        if re.match(r"\d{4}-?\d\d-?\d\d[T ]\d", value):
            return datetime.fromisoformat(value.replace(" +", "+").replace(" UTC", "Z")).isoformat()
        if re.match(r"[A-Z][a-z]{2}, ", value):
            return parsedate_to_datetime(value).isoformat()
    except ValueError:
        pass
    return iso_dates.find_date(value)


def _find_stated(document: LexborHTMLParser, linked: list[dict[str, Any]]) -> Iterator[str]:
    for key in ("datePublished", "dateCreated", "uploadDate"):
        yield from (text_in(item, key) for item in linked)
    yield from _metas(document)
    for selector in (_STATED, *_TIMES):
        for node in document.css(selector)[:_MOST]:
            value = node.attributes.get("datetime") or node.attributes.get("content") or ""
            if selector == _STATED:
                value = value or node.attributes.get("title") or ""
            if value and not _is_of_others(node):
                yield value


def _metas(document: LexborHTMLParser) -> Iterator[str]:
    found = []
    for node in document.css("meta[content]")[:_MOST]:
        names = (node.attributes.get(naming) or "" for naming in _NAMING)
        ranks = [_RANKS[name] for name in (one.strip().lower() for one in names) if name in _RANKS]
        if ranks and not _is_of_others(node):
            found.append((min(ranks), node.attributes.get("content") or ""))
    yield from (value for _, value in sorted(found, key=lambda one: one[0]))


def _is_of_others(node: LexborNode) -> bool:
    one: LexborNode | None = node
    articles = 0
    while one is not None and one.tag not in ("body", "html"):
        names = f"{one.attributes.get('class') or ''} {one.attributes.get('id') or ''}"
        articles += one.tag == "article"
        if one.tag in _OTHER_TAGS or articles > 1 or _OTHERS.search(names):
            return True
        one = one.parent
    return False
