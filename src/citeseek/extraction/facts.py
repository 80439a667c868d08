"""What a page says of itself: title, site, date, language, its own address.

The title is found by what agrees: heads name the site beside it, a heading may be a logo.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.linked_data import linked_articles, text_in
from citeseek.extraction.publication import published_at
from citeseek.text import plain_line
from citeseek.urls import domain, join_url

_DUBLIN_CORE = "meta[name='dc.title' i], meta[name='dcterms.title' i], meta[property='dc:title' i]"
_LONGEST_NAME = 500
# Words that only one of the languages uses often.
_COMMON = {
    "en": "the of and to is that with for was are",
    "de": "der die und das nicht ist mit ein auch von",
    "fr": "les des est une dans pour que qui sur pas",
    "es": "los las una con para del por como más pero",
}
LONGEST_TITLE = 500
_TITLE_PARTS = re.compile(r"\s+[|\-–—·»«•/:_]+\s+|[_|｜]|\s+::?\s+|(?<=\S): ")
_LOGO = re.compile(r"(?i)logo|site-?(?:title|name|branding)|brand|masthead")
_WORDS = re.compile(r"[\W_]+")
_MOST_HEADINGS = 50


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What the head of a page states, and what stands where such things stand.

    ``article_body`` is the text that the page gives to machines beside its elements.
    """

    title: str = ""
    site_name: str | None = None
    published_at: str | None = None
    language: str | None = None
    canonical_url: str | None = None
    article_body: str = ""


def facts(document: LexborHTMLParser, url: str) -> Facts:
    """Return what ``document``, found at ``url``, says of itself."""
    linked = linked_articles(document)
    site = _content(document, "meta[property='og:site_name']", "meta[name='og:site_name']")
    application = _content(document, "meta[name=application-name]")
    publisher = _publisher(linked)
    headlines = [plain_line(text_in(item, "headline")) for item in linked]
    named = (
        _content(document, "meta[property='og:title']", "meta[name='og:title']"),
        _content(document, "meta[name='twitter:title']", "meta[property='twitter:title']"),
        _content(document, "meta[name=citation_title]", "meta[name=parsely-title]", _DUBLIN_CORE),
        # Some sites give a description there.
        *(line for line in headlines if agrees(line, document)),
    )
    return Facts(
        title=title_of(document, url, named=named, sites=(site, application, publisher)),
        site_name=site or application or publisher,
        published_at=published_at(document, linked, url),
        language=declared_language(document),
        canonical_url=_canonical(document, url),
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
                return value[:_LONGEST_NAME]
    return None


def _publisher(linked: list[dict[str, Any]]) -> str | None:
    for item in linked:
        publisher = item.get("publisher")
        name = publisher.get("name") if isinstance(publisher, dict) else None
        if isinstance(name, str) and plain_line(name):
            return plain_line(name)[:_LONGEST_NAME]
    return None


def _canonical(document: LexborHTMLParser, url: str) -> str | None:
    """Return the address that the page names as its own, on its own site."""
    for node in document.css("link[rel=canonical]"):
        named = join_url(base_of(document, url), (node.attributes.get("href") or "").strip())
        if named and named.startswith(("http://", "https://")) and domain(named) == domain(url):
            return named
    return None


def title_of(
    document: LexborHTMLParser,
    url: str,
    *,
    named: Iterable[str | None],
    sites: Iterable[str | None],
) -> str:
    """Return the title of the page.

    ``named`` are the titles that its head gives to machines, the most trusted first, ``sites`` the
    names of its site.
    """
    node = document.css_first("title")
    whole = plain_line(node.text())[:LONGEST_TITLE] if node is not None else ""
    every = [(_heading(node), _is_logo(node)) for node in document.css("h1")[:_MOST_HEADINGS]]
    known = {_same(site) for site in sites if site} | _of_domain(url)
    known |= {_same(logo) for logo, is_logo in every if is_logo and logo}
    stated = [bare for title in named if title and (bare := _without_site(title, known))]
    headings = [heading for heading, _ in every if heading and _same(heading) not in known]
    parts = [part for part in _TITLE_PARTS.split(whole) if part and part.strip()]
    evidence = {_same(text) for text in stated} or {_same(text) for text in [whole, *parts]}
    for heading in headings:
        if _same(heading) in evidence or (stated and _same(heading) == _same(whole)):
            return heading[:LONGEST_TITLE]
    for heading in headings:
        # Titles of the head are cut, or say where the page stands in its site.
        if (
            whole
            and heading in whole
            and any(heading in part for part in [whole, *parts])
            and (not stated or any(_agree(heading, text) for text in stated))
        ):
            return heading[:LONGEST_TITLE]
    if stated:
        return stated[0][:LONGEST_TITLE]
    return _without_site(whole, known) or whole or next(iter(headings), "")[:LONGEST_TITLE]


def _heading(node: LexborNode) -> str:
    # Sites of documentation hang a link to the heading on it.
    parted = " " if node.css_first("br, div, p") is not None else ""
    return plain_line(node.text(separator=parted)).rstrip("¶# ")


def agrees(title: str, document: LexborHTMLParser) -> bool:
    """Whether ``title`` is in the page's ``title`` element, or the other way round."""
    node = document.css_first("title")
    whole = plain_line(node.text()) if node is not None else ""
    return (
        not whole
        or _agree(title, whole)
        or any(_agree(title, p) for p in _TITLE_PARTS.split(whole) if p)
    )


def _without_site(title: str, known: set[str]) -> str:
    """Return ``title`` without a name of the site at its end or its beginning."""
    pieces = list(_TITLE_PARTS.finditer(title))
    if pieces and _same(title[pieces[-1].end() :]) in known:
        return _without_site(title[: pieces[-1].start()].strip(), known)
    if pieces and _same(title[: pieces[0].start()]) in known:
        return title[pieces[0].end() :].strip()
    return title.strip()


def _is_logo(heading: LexborNode) -> bool:
    near = [heading, *heading.css("a, img, span")[:3]]
    if heading.parent is not None:
        near.append(heading.parent)
    names = " ".join(
        f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}" for node in near
    )
    link = heading.css_first("a[href]")
    leads_home = link is not None and (link.attributes.get("href") or "") in ("/", "./", "#")
    return leads_home or _LOGO.search(names) is not None


def _of_domain(url: str) -> set[str]:
    host = domain(url)
    labels = host.split(".")
    return {_same(host), *(_same(label) for label in labels[:-1] if len(label) > len("www"))}


def _agree(one: str, other: str) -> bool:
    one, other = _same(one), _same(other)
    return bool(one and other) and (one in other or other in one)


def _same(text: str) -> str:
    return _WORDS.sub("", text.casefold())
