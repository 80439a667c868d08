"""Several readings of a page, and the choice of the one that is its article.

The rules of trafilatura find the articles of most pages and nothing else. Where they find
little, its fallbacks (readability, jusText) may find the rest, or everything that is no article; a
plain reading of all but menus tells how much there is, and readability alone which of them is
right.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from copy import copy
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.article_region import Region, region
from citeseek.extraction.document import Method
from citeseek.extraction.markup import letters, main_part
from citeseek.extraction.writing import SILENT, write_text
from citeseek.extras import Fault, fault

# The work of trafilatura grows faster than the page; past this the plain reading is taken.
MAX_ELEMENTS = 20_000
MAX_LETTERS = 2_000_000
# That of its fallbacks grows with the square of the paragraphs.
_MANY_TAGS = 10_000
# Of a text shorter than this it takes the whole page rather than too little.
SHORT = 600
_LEAST = 40
# So many times the article is no longer the rest of it, but all that stands around it.
_MUCH_MORE = 4
# An article that lost half of what the page calls its text is none.
_HALVED = 2
# Where the plain reading has so many times as much, the rules may have found a part of it.
_DOUBT = 1.5
# Of so much likeness to what readability takes no other reading is better.
_SURE = 0.95
# The page itself is read where it says neither much less nor much more than the article.
_LOST = 0.9
_ADDED = 1.4

# So much alike, two readings have the same words, and the page's own has its lists, rows and lines.
_SAME = 0.9

# What it imports comes first.
_LIBRARIES = ("lxml", "lxml-html-clean", "trafilatura")

# A word, or a character of a script that parts none.
_WORD = re.compile(r"[\u2e81-\ud7ff]|[^\W\u2e81-\ud7ff]+")

# A box that may be ticked is in its list without a text.
_UNSAID = sorted(SILENT - {"input"})

# It makes cells of what a cell spans, thousands where a page says so.
_SPANS = re.compile(r'\s(?:col|row)span="[^"]*"')
# Its trees hold none of them.
_NO_XML = bytes(set(range(32)) - set(b"\t\n\r"))

_TRAFILATURA_NAMES = {
    "p": "p", "list": "ul", "item": "li", "quote": "blockquote", "lb": "br", "row": "tr",
    "cell": "td", "ref": "a", "table": "table", "del": "del", "body": "div",
}  # fmt: skip
_RENDERED = {"#b": "strong", "#i": "em", "#t": "code", "#sup": "sup", "#sub": "sub"}


class ArticleReading(msgspec.Struct, frozen=True):
    """A part of a page as its article, its text, and how it was found.

    ``length`` is that of the text, in :func:`~citeseek.extraction.markup.letters`. ``is_of_page``
    tells that the elements are those of the page: a library's may have lost lists, rows and lines.
    """

    part: Region
    text: str
    method: Method
    length: int
    is_of_page: bool = True


def faults() -> tuple[Fault, ...]:
    """Return what is wrong with trafilatura and with what it imports."""
    return tuple(found for name in _LIBRARIES if (found := fault(name)))


def choose(document: LexborHTMLParser, url: str) -> ArticleReading | None:
    """Return the reading of ``document`` that is its article; None where nothing is read."""
    html = document.html or ""
    # Menus are taken out of it.
    main = main_part(document.clone())
    if main is not None:
        main.strip_tags(_UNSAID)
    plainly = letters(main.text()) if main is not None else 0
    is_readable = html.count("<") <= 2 * MAX_ELEMENTS and len(html) <= MAX_LETTERS
    if not is_readable or any(one.state != "old" for one in faults()):
        return _plain(main, url)
    article = _article(document, html, url, plainly)
    said = article.length if article else 0
    if main is not None and _is_better(plainly, said, is_named=main.tag == "article"):
        return _plain(main, url)
    if article is not None and not article.is_of_page:
        plain = _plain(main, url)
        if plain and _has_same_words(plain, article):
            return plain
    return article


def _plain(main: LexborNode | None, url: str) -> ArticleReading | None:
    """Return the plain reading of the page, None where it says nothing."""
    if main is None or not (text := write_text(Region(main), "text", url)):
        return None
    return ArticleReading(Region(main), text, "plain", letters(text))


def _article(
    document: LexborHTMLParser, html: str, url: str, plainly: int
) -> ArticleReading | None:
    """Return what trafilatura finds, or what its fallbacks do; ``plainly`` is how much there is."""
    tree = _tree_of(html)
    if plainly <= _HALVED * SHORT:
        return _on_page(document, _by_trafilatura(tree, fast=False), url)
    first = _on_page(document, _by_trafilatura(tree, fast=True), url)
    said = first.length if first else 0
    if html.count("<") > _MANY_TAGS or (said >= SHORT and plainly <= _DOUBT * said):
        return first
    judge = _by_readability(tree) if first and said >= SHORT else None
    words = _words(judge.text(separator=" ")) if judge is not None else Counter()
    if first and _likeness(words, _words(first.text)) >= _SURE:
        return first
    second = _on_page(document, _by_trafilatura(tree, fast=False), url)
    if first is None or second is None:
        return second or first
    candidates = [first, second]
    if first.is_of_page and not second.is_of_page and _has_same_words(first, second):
        candidates.remove(second)
    elif said < SHORT:
        return second
    return max(candidates, key=lambda one: _likeness(words, _words(one.text)))


def _is_better(plain: int, said: int, *, is_named: bool) -> bool:
    """Whether the plain reading is taken instead of an article that says ``said``.

    ``is_named`` tells that the page itself says where its text is.
    """
    if not said or (is_named and plain > _HALVED * said):
        return True
    return said < SHORT and _LEAST <= plain < _MUCH_MORE * said


def _on_page(document: LexborHTMLParser, found: Any, url: str) -> ArticleReading | None:
    """Return the article ``found`` as it stands on the page, or as the library gave it."""
    if found is None:
        return None
    wanted = Counter(line for text in found.itertext() if (line := " ".join(text.split())))
    part = region(document.body, wanted) if document.body is not None else None
    if part is not None:
        text = write_text(part, "text", url)
        length = letters(text)
        if _LOST * part.sought <= length <= _ADDED * max(part.sought, part.known):
            return ArticleReading(part, text, "trafilatura", length)
    article = _as_html(found)
    if article is None:
        return None
    text = write_text(Region(article), "text", url)
    return ArticleReading(Region(article), text, "trafilatura", letters(text), is_of_page=False)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(one.total() + other.total(), 1)


def _has_same_words(one: ArticleReading, other: ArticleReading) -> bool:
    return _likeness(_words(one.text), _words(other.text)) >= _SAME


def _by_trafilatura(tree: Any, *, fast: bool) -> Any:
    """Return the article in elements of that library, None without one; ``fast``: by rules alone.

    ``tree`` stays as it is. Addresses of links are as the page has them.
    """
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        from trafilatura import bare_extraction  # noqa: PLC0415 - half a second

        found = bare_extraction(
            tree,
            # That of Python holds a text as well, which is made on the way.
            output_format="xml",
            include_comments=False,
            include_formatting=True,
            include_links=True,
            fast=fast,
        )
    # A page is anybody's, and trafilatura may be an old one: what breaks can still be read plainly.
    except Exception:  # noqa: BLE001
        return None
    return None if found is None or isinstance(found, dict) else found.body


def _by_readability(tree: Any) -> LexborNode | None:
    """Return what readability, as trafilatura keeps it, takes for the article; None without it."""
    try:
        from trafilatura.readability_lxml import Document  # noqa: PLC0415 - for few pages

        return LexborHTMLParser(Document(copy(tree)).summary()).body
    except Exception:  # noqa: BLE001 - as above
        return None


def _tree_of(html: str) -> Any:
    """Return ``html`` as a tree of lxml, None where that library does not read it."""
    from lxml import etree  # type: ignore[import-untyped]  # noqa: PLC0415 - for pages alone
    from lxml.html import (  # type: ignore[import-untyped]  # noqa: PLC0415
        HtmlElement,
        document_fromstring,
    )

    parser = etree.HTMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        default_doctype=False,
    )
    # The library's own lookup is a function of Python that is called for every element.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=HtmlElement))
    try:
        markup = _SPANS.sub("", html) if "span=" in html else html
        body = markup.encode("utf-8", "replace").translate(None, delete=_NO_XML)
        return document_fromstring(body, parser=parser)
    except (etree.LxmlError, ValueError):
        return None


def _as_html(body: Any) -> LexborNode | None:
    """Return what trafilatura found in elements of HTML."""
    from lxml import etree  # noqa: PLC0415 - as above

    _restore_names(body)
    return LexborHTMLParser(etree.tostring(body, encoding="unicode", method="html")).body


def _restore_names(body: Any) -> None:
    """Turn trafilatura's element names back into those of HTML."""
    for element in list(body.iter()):
        if not isinstance(element.tag, str):
            continue
        rend = element.get("rend", "")
        if element.tag == "head":
            element.tag = rend if rend in ("h1", "h2", "h3", "h4", "h5", "h6") else "h2"
        elif element.tag == "hi":
            element.tag = _RENDERED.get(rend, "span")
        elif element.tag == "list":
            element.tag = "ol" if rend == "ol" else "ul"
        elif element.tag == "code":
            text = "".join(element.itertext())
            within = element.getparent() is not None and element.getparent().tag == "pre"
            element.tag = "pre" if not within and ("\n" in text or len(element)) else "code"
        elif element.tag == "cell":
            element.tag = "th" if element.get("role") == "head" else "td"
        elif element.tag == "ref":
            element.tag = "a"
            if target := element.get("target"):
                element.set("href", target)
        else:
            element.tag = _TRAFILATURA_NAMES.get(element.tag, "span")
