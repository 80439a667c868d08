"""What a page says of itself: title, site, author, dates, licence, language, its own address."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from citeseek.extraction.authors import authors_of
from citeseek.extraction.dates import Dates, dates_of
from citeseek.extraction.licence import Licence, licence_of
from citeseek.extraction.linked_data import linked_articles, linked_objects, site_named_in, text_in
from citeseek.extraction.metas import Metas
from citeseek.extraction.title import agrees, heading_of, title_of
from citeseek.text import plain_line
from citeseek.urls import domain, is_web, join_url

_LONGEST_NAME = 500
_TITLES = (
    ("property=og:title", "name=og:title"),
    ("name=twitter:title", "property=twitter:title"),
    (
        "name=citation_title", "name=parsely-title", "name=dc.title", "name=dcterms.title",
        "property=dc:title",
    ),
)  # fmt: skip
_SPOKEN = frozenset({"subtitles", "captions"})
_MOST_TRACKS = 10
# Words that only one of the languages uses often.
_COMMON = {
    "en": "the of and to is that with for was are".split(),
    "de": "der die und das nicht ist mit ein auch von".split(),
    "fr": "les des est une dans pour que qui sur pas".split(),
    "es": "los las una con para del por como más pero".split(),
}
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the head of a page states, and what stands where such things stand.

    ``article_body`` is the text that the page gives to machines beside its elements.
    """

    title: str = ""
    site_name: str | None = None
    author: str | None = None
    dates: Dates = Dates()
    licence: Licence | None = None
    language: str | None = None
    canonical_url: str | None = None
    article_body: str = ""


def facts(document: LexborHTMLParser, url: str, now: datetime | None = None) -> Facts:
    """Return what ``document``, found at ``url``, says of itself; ``now`` is when it was sent."""
    objects = linked_objects(document)
    linked = linked_articles(objects, document, url)
    metas = Metas(document)
    base = base_of(document, url)
    site = metas.line("property=og:site_name", "name=og:site_name")
    stated_site = site_named_in(objects)
    application = metas.line("name=application-name")
    publisher = _publisher(linked)
    headlines = [plain_line(text_in(item, "headline")) for item in linked]
    named = (
        *(metas.line(*keys) for keys in _TITLES),
        # Some sites give a description there.
        *(line for line in headlines if agrees(line, document)),
    )
    title = title_of(document, url, named=named, sites=(site, stated_site, application, publisher))
    heading = heading_of(document, title)
    return Facts(
        title=title,
        site_name=site or stated_site or application or publisher,
        author=authors_of(document, metas, linked, heading),
        dates=dates_of(document, metas, linked, url, heading=heading, now=now),
        licence=licence_of(document, metas, linked, url, base),
        language=declared_language(document, metas),
        canonical_url=_canonical(document, url, base),
        article_body=max(
            (text_in(item, "articleBody") or text_in(item, "text") for item in linked),
            key=len,
            default="",
        ),
    )


def base_of(document: LexborHTMLParser, url: str) -> str:
    """Return the address that links on the page at ``url`` are relative to."""
    node = document.css_first("base[href]")
    base = join_url(url, (node.attributes.get("href") or "").strip()) if node is not None else None
    return base if base and base.startswith(("http://", "https://")) else url


def subtitles_of(document: LexborHTMLParser, base: str) -> tuple[str, ...]:
    """Return where the subtitles of the page's videos are, those that are shown first before."""
    tracks = document.css("video > track[src], audio > track[src]")
    offered = [
        track
        for track in tracks
        if (track.attributes.get("kind") or "subtitles").lower() in _SPOKEN
    ]
    offered.sort(key=lambda track: "default" not in track.attributes)
    urls = (join_url(base, (track.attributes.get("src") or "").strip()) for track in offered)
    return tuple(dict.fromkeys(url for url in urls if url and is_web(url)))[:_MOST_TRACKS]


def language_of(text: str, declared: str | None = None) -> str | None:
    """Return the language of ``text``: its letters, then what is declared, then its words."""
    sample = text[:20_000]
    if _EASTERN.search(sample):
        kana, han, hangul = (
            len(re.findall(letters, sample))
            for letters in (r"[\u3040-\u30ff]", r"[\u3400-\u9fff]", r"[\uac00-\ud7af]")
        )
        every = len(re.findall(r"[^\W\d_]", sample))
        if kana + han + hangul > every * 0.3:
            if kana * 10 > han + kana:
                return "ja"
            return "ko" if hangul > han else "zh"
    if declared and declared not in ("zh", "ja", "ko"):
        return declared
    words = Counter(re.findall(r"[^\W\d_]+", sample.casefold()))
    counts = {code: sum(words[word] for word in common) for code, common in _COMMON.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] * 12 > words.total() else None


def declared_language(document: LexborHTMLParser, metas: Metas) -> str | None:
    """Return the two-letter code that the page declares."""
    root = document.css_first("html")
    named = root.attributes.get("lang") if root is not None else None
    named = named or metas.line("http-equiv=content-language", "property=og:locale")
    match = re.match(r"([a-z]{2})(?![a-z])", (named or "").strip().lower())
    return match[1] if match else None


def _publisher(linked: list[dict[str, Any]]) -> str | None:
    for item in linked:
        publisher = item.get("publisher")
        name = publisher.get("name") if isinstance(publisher, dict) else None
        if isinstance(name, str) and plain_line(name):
            return plain_line(name)[:_LONGEST_NAME]
    return None


def _canonical(document: LexborHTMLParser, url: str, base: str) -> str | None:
    """Return the address that the page names as its own, on its own site."""
    for node in document.css("link[rel=canonical]"):
        named = join_url(base, (node.attributes.get("href") or "").strip())
        if named and named.startswith(("http://", "https://")) and domain(named) == domain(url):
            return named
    return None
