"""The title of a page, by what agrees: heads name the site beside it, a heading may be a logo."""

from __future__ import annotations

import re
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.text import plain_line
from citeseek.urls import domain

LONGEST = 500
_PARTS = re.compile(r"\s+[|\-–—·»«•/:_]+\s+|[_|｜]|\s+::?\s+|(?<=\S): ")
_LOGO = re.compile(r"(?i)logo|site-?(?:title|name|branding)|brand|masthead")
_WORDS = re.compile(r"[\W_]+")
_MOST_HEADINGS = 50


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
    whole = plain_line(node.text())[:LONGEST] if node is not None else ""
    every = [(_heading(node), _is_logo(node)) for node in document.css("h1")[:_MOST_HEADINGS]]
    known = {_same(site) for site in sites if site} | _of_domain(url)
    known |= {_same(logo) for logo, is_logo in every if is_logo and logo}
    stated = [bare for title in named if title and (bare := _without_site(title, known))]
    headings = [heading for heading, _ in every if heading and _same(heading) not in known]
    parts = [part for part in _PARTS.split(whole) if part and part.strip()]
    evidence = {_same(text) for text in stated} or {_same(text) for text in [whole, *parts]}
    for heading in headings:
        if _same(heading) in evidence or (stated and _same(heading) == _same(whole)):
            return heading[:LONGEST]
    for heading in headings:
        # Titles of the head are cut, or say where the page stands in its site.
        if (
            whole
            and heading in whole
            and any(heading in part for part in [whole, *parts])
            and (not stated or any(_agree(heading, text) for text in stated))
        ):
            return heading[:LONGEST]
    if stated:
        return stated[0][:LONGEST]
    return _without_site(whole, known) or whole or next(iter(headings), "")[:LONGEST]


def _heading(node: LexborNode) -> str:
    # Sites of documentation hang a link to the heading on it.
    parted = " " if node.css_first("br, div, p") is not None else ""
    return plain_line(node.text(separator=parted)).rstrip("¶# ")


def agrees(title: str, document: LexborHTMLParser) -> bool:
    """Whether ``title`` is in the page's ``title`` element, or the other way round."""
    node = document.css_first("title")
    whole = plain_line(node.text()) if node is not None else ""
    return (
        not whole or _agree(title, whole) or any(_agree(title, p) for p in _PARTS.split(whole) if p)
    )


def _without_site(title: str, known: set[str]) -> str:
    """Return ``title`` without a name of the site at its end or its beginning."""
    pieces = list(_PARTS.finditer(title))
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
