"""From the bytes of a page to hits, by a table of selectors.

An engine's knowledge of its pages is a tuple of :class:`Layout`; the first layout that finds
results on the page is the page's layout.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.models import Hit, Page
from citeseek.parsing.charset import utf8


class Layout(msgspec.Struct, frozen=True):
    """Where one kind of result page keeps its results. All values are CSS selectors.

    ``result`` finds the blocks, ``link`` within a block the element whose ``href`` is the address,
    ``title`` and ``snippet`` their texts (the link's own when ``title`` is empty). ``result``
    leaves out by ``:not()`` what is no organic result. ``href`` names another attribute for the
    address.
    """

    result: str
    link: str
    title: str = ""
    snippet: str = ""
    published: str = ""
    site: str = ""
    href: str = "href"


def tree(page: Page) -> LexborHTMLParser:
    """Return the parsed page, whatever charset it came in."""
    document = LexborHTMLParser(utf8(page))
    # A line break separates words, and the parser's text would join them.
    for line_break in document.css("br"):
        line_break.insert_before(" ")
    return document


def content(page: Page) -> LexborHTMLParser:
    """Return the parsed page without scripts and styles, whose code is no text."""
    document = tree(page)
    document.strip_tags(["script", "style"])
    return document


def hits(page: Page, layouts: Iterable[Layout]) -> list[Hit]:
    """Return the organic results of the first layout that has any."""
    document = content(page)
    for layout in layouts:
        found = [
            hit for block in document.css(layout.result) if (hit := _hit(block, layout)) is not None
        ]
        if found:
            return found
    return []


def text(node: LexborNode | None) -> str:
    """Return the visible text of ``node`` with white space folded, empty for None."""
    return " ".join(node.text().split()) if node is not None else ""


def attribute(node: LexborNode | None, name: str) -> str:
    """Return an attribute of ``node`` without white space around it, empty where it has none."""
    return ((node.attributes.get(name) if node is not None else None) or "").strip()


def _hit(block: LexborNode, layout: Layout) -> Hit | None:
    link = block.css_first(layout.link)
    if link is None:
        return None
    address = link.attributes.get(layout.href)
    if not address:
        return None
    title = block.css_first(layout.title) if layout.title else link
    return Hit(
        title=text(title),
        url=address.strip(),
        snippet=text(block.css_first(layout.snippet)) if layout.snippet else "",
        published_at=text(block.css_first(layout.published)) or None if layout.published else None,
        site_name=text(block.css_first(layout.site)) or None if layout.site else None,
    )
