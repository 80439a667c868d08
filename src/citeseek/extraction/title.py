"""The title of a page, by what agrees: heads name the site beside it, a heading may be a logo."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.markup import AROUND
from citeseek.text import plain_line
from citeseek.urls import domain

LONGEST_TITLE = 500
_TITLE_PARTS = re.compile(r"\s+[|\-–—·»«•/:_]+\s+|[_|｜]|\s+::?\s+|(?<=\S): ")
# What a page is called before it has a title.
_PLACEHOLDER = re.compile(
    r"(?i)(?:loading|please wait|untitled(?: document| page)?|react app|vite app|new page"
    r"|wird geladen|(?:page en cours de )?chargement|cargando|carregando|caricamento|laden"
    r"|загрузка|yükleniyor"
    r"|加载中|正在加载|載入中|无标题文档|無標題文件|読み込み中|無題ドキュメント|로딩 ?중)[\s.…]*"
)
_LOGO = re.compile(r"(?i)logo|site-?(?:title|name|branding)|brand|masthead")
_WORDS = re.compile(r"[\W_]+")
_MOST_HEADINGS = 50
# Shorter headings are found in a title by chance.
_LEAST = 5
# So many words at most are a name, and at least a title.
_NAME = 4
_TITLE = 3
_WIDE = re.compile("[\u2e81-\U0010ffff]")
_SURE = frozenset("|·»｜")


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
    whole = stated_title(document)
    whole = "" if _PLACEHOLDER.fullmatch(whole) else whole
    every = [(_heading(node), _is_logo(node)) for node in document.css("h1")[:_MOST_HEADINGS]]
    known = {_same(site) for site in sites if site} | _of_domain(url)
    known |= {_same(logo) for logo, is_logo in every if is_logo and logo}
    known |= {_same(picture) for picture in _pictured_logos(document)}
    stated = [bare for title in named if title and (bare := _without_site(title, known))]
    headings = [heading for heading, _ in every if heading and _same(heading) not in known]
    parts = [part for part in _TITLE_PARTS.split(whole) if part and part.strip()]
    if stated:
        evidence = {_same(text) for text in stated}
        for heading in headings:
            if _same(heading) in evidence or _same(heading) == _same(whole):
                return heading[:LONGEST_TITLE]
    elif found := _in_head(document, whole, headings, known):
        return found[:LONGEST_TITLE]
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
    if not headings and (not whole or _same(whole) in known) and (below := _only_below(document)):
        return below[:LONGEST_TITLE]
    return _without_tail(_without_site(whole, known)) or next(iter(headings), "")[:LONGEST_TITLE]


def stated_title(document: LexborHTMLParser) -> str:
    """Return the title in the head of a page; those of pictures in it are none."""
    nodes = (node for node in document.css("title")[:_MOST_HEADINGS] if not _is_drawn(node))
    return next((plain_line(node.text())[:LONGEST_TITLE] for node in nodes), "")


def _is_drawn(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag != "svg":
        parent = parent.parent
    return parent is not None


def _only_below(document: LexborHTMLParser) -> str:
    """Return the heading of the second level that is the title where nothing else is one.

    It is the only one of the page, or the first of its only article.
    """
    articles = document.css("article")
    around = {node.mem_id for frame in document.css(AROUND) for node in frame.css("h2")}
    found = [node for node in document.css("h2")[:_MOST_HEADINGS] if node.mem_id not in around]
    inside = articles[0].css("h2, p")[:1] if len(articles) == 1 else []
    is_first = bool(inside) and inside[0].tag == "h2" and inside[0].mem_id not in around
    if is_first:
        return _heading(inside[0])
    return _heading(found[0]) if len(found) == 1 else ""


def _pictured_logos(document: LexborHTMLParser) -> Iterator[str]:
    """Yield what pictures say that are all there is of a heading of the first level."""
    for node in document.css("h1")[:_MOST_HEADINGS]:
        if not _heading(node) and _is_logo(node):
            yield from (image.attributes.get("alt") or "" for image in node.css("img[alt]")[:1])


def _in_head(
    document: LexborHTMLParser, whole: str, headings: list[str], known: set[str]
) -> str | None:
    """Return the heading that the ``title`` element, which is ``whole``, begins or ends with.

    A heading of the first level may be the name of the site, so one of the second that the element
    begins with goes before one that it ends with.
    """
    cuts = list(_TITLE_PARTS.finditer(whole))
    begins = {_same(whole), *(_same(whole[: cut.start()]) for cut in cuts)}
    ends = {_same(part) for part in _TITLE_PARTS.split(whole) if part}
    ends |= {_same(whole[cut.end() :]) for cut in cuts}
    lower = [_heading(node) for node in document.css("h2, h3")[:_MOST_HEADINGS]]
    lower = [text for text in lower if len(_same(text)) >= _LEAST and _same(text) not in known]
    for texts, runs in ((headings, begins), (lower, begins), (headings, ends), (lower, ends)):
        if found := next((text for text in texts if _same(text) in runs), None):
            return found
    return None


def _without_tail(title: str) -> str:
    """Return ``title`` without what looks like a name of the site at its end."""
    cuts = list(_TITLE_PARTS.finditer(title))
    if not cuts:
        return title
    rest, tail = title[: cuts[-1].start()].strip(), title[cuts[-1].end() :].strip()
    is_name = 0 < len(tail.split()) <= _NAME and not tail[0].islower()
    is_title = len(rest.split()) >= _TITLE or len(_WIDE.findall(rest)) >= 2 * _TITLE
    is_sure = cuts[-1][0].strip() in _SURE or len(tail.split()) < _NAME
    return rest if is_name and is_title and is_sure and ":" not in cuts[-1][0] else title


def heading_of(document: LexborHTMLParser, title: str) -> LexborNode | None:
    """Return the heading that is ``title``, else the first that is no logo; None without one."""
    wanted = _same(title)
    headings = document.css("h1, h2, h3")[:_MOST_HEADINGS]
    exact = (node for node in headings if wanted and _same(_heading(node)) == wanted)
    first = (node for node in headings if node.tag == "h1" and not _is_logo(node))
    return next(exact, None) or next(first, None)


def _heading(node: LexborNode) -> str:
    # Sites of documentation hang a link to the heading on it.
    parted = " " if node.css_first("br, div, p") is not None else ""
    return plain_line(node.text(separator=parted)).rstrip("¶# ")


def agrees(title: str, document: LexborHTMLParser) -> bool:
    """Whether ``title`` is in the page's ``title`` element, or the other way round."""
    whole = stated_title(document)
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
