"""What a page says of itself: title, site, date, language, its own address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from citeseek import dates
from citeseek.text import plain_line
from citeseek.urls import domain, joined

_DATED = (
    ("meta[property='article:published_time']", "content"),
    ("meta[property='og:published_time'], meta[property='og:release_date']", "content"),
    ("meta[itemprop=datePublished]", "content"),
    ("meta[name=pubdate], meta[name=publishdate], meta[name=publish_date]", "content"),
    ("meta[name=PubDate], meta[name=date], meta[name='DC.date.issued']", "content"),
    ("meta[name=citation_publication_date], meta[name=citation_date]", "content"),
    ("meta[name='parsely-pub-date'], meta[name='sailthru.date']", "content"),
    ("[itemprop=datePublished]", "datetime"),
    ("time[pubdate]", "datetime"),
    ("article time[datetime], main time[datetime]", "datetime"),
    ("time[datetime]", "datetime"),
)
_DATED_TEXTS = (
    "[itemprop=datePublished], #pubtime, #publish_time, .pubtime, .pub-time, .publish-time,"
    " .publish_time, .pubdate, .pub-date, .publish-date, .post-date, .entry-date, .article-date,"
    " .article-time, .date, .time, time, .byline, .meta, .info, .source"
)
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{4} ?年 ?\d{1,2} ?月 ?\d{1,2} ?日"
    r"|(?:\d{1,2} )?[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}|\d{1,2} [A-Z][a-z]{2,8}\.? \d{4}"
)
_DATED_PATH = re.compile(r"/(20\d\d|19\d\d)[-/]?(0[1-9]|1[0-2])[-/]?(0[1-9]|[12]\d|3[01])(?=\D|$)")
_LONGEST_DATE = 300
_LONGEST_TITLE = 500
_TITLE_PARTS = re.compile(r"\s+[|\-–—·»_]\s+|[_|]")
_ARTICLES = ("Article", "Posting", "Report", "WebPage")
_MAX_LINKED_DATA = 200_000
# Words that only one of the languages uses often.
_COMMON = {
    "en": "the of and to is that with for was are",
    "de": "der die und das nicht ist mit ein auch von",
    "fr": "les des est une dans pour que qui sur pas",
    "es": "los las una con para del por como más pero",
}


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the head of a page states, and what stands where such things stand."""

    title: str = ""
    site_name: str | None = None
    published_at: str | None = None
    language: str | None = None
    canonical_url: str | None = None


def facts(document: LexborHTMLParser, url: str) -> Facts:
    """Return what ``document``, found at ``url``, says of itself."""
    linked = list(_linked_data(document))
    site = _content(document, "meta[property='og:site_name']", "meta[name=application-name]")
    return Facts(
        title=_title(document),
        site_name=site or _publisher(linked),
        published_at=_published(document, linked, url),
        language=declared_language(document),
        canonical_url=_canonical(document, url),
    )


def language_of(text: str, declared: str | None = None) -> str | None:
    """Return the language of ``text``: its letters, then what is declared, then its words."""
    sample = text[:20_000]
    kana, han, hangul = (
        len(re.findall(letters, sample))
        for letters in (r"[\u3040-\u30ff]", r"[\u3400-\u9fff]", r"[\uac00-\ud7af]")
    )
    every = len(re.findall(r"[^\W\d_]", sample))
    if kana + han + hangul > every * 0.3:
        if kana * 10 > han + kana:
            return "ja"
        return "ko" if hangul > han else "zh"
    words = re.findall(r"[^\W\d_]+", sample.casefold())
    if declared and declared not in ("zh", "ja", "ko"):
        return declared
    counts = {code: sum(map(words.count, common.split())) for code, common in _COMMON.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] * 12 > len(words) else None


def declared_language(document: LexborHTMLParser) -> str | None:
    """Return the two-letter code that the page declares."""
    root = document.css_first("html")
    named = root.attributes.get("lang") if root is not None else None
    named = named or _content(
        document, "meta[http-equiv=content-language]", "meta[property='og:locale']"
    )
    match = re.match(r"([a-z]{2})(?![a-z])", (named or "").strip().lower())
    return match[1] if match else None


def _content(document: LexborHTMLParser, *selectors: str) -> str | None:
    for selector in selectors:
        for node in document.css(selector):
            if value := plain_line(node.attributes.get("content") or ""):
                return value[:_LONGEST_TITLE]
    return None


def _title(document: LexborHTMLParser) -> str:
    node = document.css_first("title")
    whole = plain_line(node.text())[:_LONGEST_TITLE] if node is not None else ""
    headings = [plain_line(heading.text()) for heading in document.css("h1")]
    # Sites of documentation hang a link to the heading on it.
    headings = [bare for heading in headings if (bare := heading.rstrip("¶# "))]
    # A name of the site around the title is cut off where the page itself shows the title.
    for heading in headings:
        if heading in whole and any(heading in part for part in _TITLE_PARTS.split(whole)):
            return heading
    named = _content(document, "meta[property='og:title']", "meta[name='twitter:title']")
    first = headings[0][:_LONGEST_TITLE] if headings else ""
    return named or whole or first


def _linked_data(document: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    """Yield the objects of the page's JSON-LD that tell of a text."""
    for script in document.css("script[type='application/ld+json']"):
        source = script.text()
        if len(source) > _MAX_LINKED_DATA:
            continue
        try:
            value = msgspec.json.decode(source.strip())
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            continue
        entries = value if isinstance(value, list) else [value]
        for entry in entries:
            graph = entry.get("@graph") if isinstance(entry, dict) else None
            for item in graph if isinstance(graph, list) else [entry]:
                if isinstance(item, dict) and any(
                    name in str(item.get("@type", "")) for name in _ARTICLES
                ):
                    yield item


def _publisher(linked: list[dict[str, Any]]) -> str | None:
    for item in linked:
        publisher = item.get("publisher")
        name = publisher.get("name") if isinstance(publisher, dict) else None
        if isinstance(name, str) and plain_line(name):
            return plain_line(name)[:_LONGEST_TITLE]
    return None


def _published(document: LexborHTMLParser, linked: list[dict[str, Any]], url: str) -> str | None:
    stated = (item.get("datePublished") for item in linked)
    for value in stated:
        if isinstance(value, str) and (found := _iso(value)):
            return found
    for selector, attribute in _DATED:
        for node in document.css(selector):
            if found := _iso(node.attributes.get(attribute) or ""):
                return found
    for node in document.css(_DATED_TEXTS):
        text = plain_line(node.text())
        match = _DATE.search(text) if len(text) <= _LONGEST_DATE else None
        if match and (found := dates.published(match[0])):
            return found
    if match := _DATED_PATH.search(url):
        return _iso("-".join(match.groups()))
    return None


def _iso(value: str) -> str | None:
    """Return ``value``, a date in one of the ways of machines, as ISO 8601."""
    value = value.strip()[:64]
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return date.fromisoformat(value).isoformat()
        if re.match(r"\d{4}-\d\d-\d\d[T ]\d", value):
            return datetime.fromisoformat(value).isoformat()
        if re.match(r"[A-Z][a-z]{2}, ", value):
            return parsedate_to_datetime(value).isoformat()
    except ValueError:
        pass
    match = _DATE.search(value)
    return dates.published(match[0]) if match else None


def _canonical(document: LexborHTMLParser, url: str) -> str | None:
    """Return the address that the page names as its own, on its own site."""
    for node in document.css("link[rel=canonical]"):
        named = joined(url, (node.attributes.get("href") or "").strip())
        if named and named.startswith(("http://", "https://")) and domain(named) == domain(url):
            return named
    return None
