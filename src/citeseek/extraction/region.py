"""Which part of a page is its article: trafilatura chooses, the page itself is read.

What trafilatura gives back has lost lists, cells, lines of code and loose text. It says well which
part is the article, so that part is looked up on the page, and what stands around and between its
paragraphs and is none of it is left out. How the part is written down is ours, so that text and
Markdown hold the same words.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extraction.markup import AROUND, BLOCKS, letters
from citeseek.extras import Fault, fault

# The part that holds this share of the words is the article's; the rest are teasers that repeat it.
_ALL = 0.95
# Less of the article than this is found again: its words were changed on the way.
_FOUND_AGAIN = 0.6
# Where so much of a block is links, it leads elsewhere.
_LINKED = 0.5
# A block without a word of the article may say this share of what the article says.
_STRANGE = 0.25
# A block with less of the article than this share of its own words only repeats some of them.
_TRACE = 0.1
_CONTENT = frozenset("p ul ol dl table pre blockquote h1 h2 h3 h4 h5 h6 li tr td th dt dd".split())
_FIGURES = frozenset("ul ol dl table pre".split())
# Loose text as long as this is said to a reader; shorter is a label.
_SENTENCE = 25
# The work of trafilatura grows faster than the page; past this the plain reading is taken.
MAX_ELEMENTS = 20_000
MAX_LETTERS = 2_000_000
_MANY_TAGS = 10_000

# What it imports comes first.
_LIBRARIES = ("lxml", "lxml-html-clean", "trafilatura")

_TRAFILATURA_NAMES = {
    "p": "p", "list": "ul", "item": "li", "quote": "blockquote", "lb": "br", "row": "tr",
    "cell": "td", "ref": "a", "table": "table", "del": "del", "body": "div",
}  # fmt: skip
_RENDERED = {"#b": "strong", "#i": "em", "#t": "code", "#sup": "sup", "#sub": "sub"}


class Region(msgspec.Struct, frozen=True):
    """A part of a page, and the ids (``mem_id``) of the elements in it that are not read.

    ``known`` is how much of it (in :func:`~citeseek.extraction.markup.letters`) is in the article,
    or in lists, tables and code beside it.
    """

    root: LexborNode
    without: frozenset[int] = frozenset()
    known: int = 0


def region(body: LexborNode, found: LexborNode) -> Region | None:
    """Return where in ``body`` the article ``found`` stands, None where it is not seen there."""
    wanted = Counter(text for _, text in _texts(found))
    known = sum(letters(text) * times for text, times in wanted.items())
    # A text counts as often as the article has it where the article is looked for, since teasers
    # repeat it; everywhere where blocks of the article are told from others.
    first: Counter[int] = Counter()
    every: Counter[int] = Counter()
    seen: Counter[str] = Counter()
    for node, text in _texts(body):
        if text in wanted:
            weight = letters(text)
            for parent in _above(node, body):
                every[parent] += weight
                if seen[text] < wanted[text]:
                    first[parent] += weight
            seen[text] += 1
    if not known or first[body.mem_id] < _FOUND_AGAIN * known:
        return None
    root = _smallest(body, first, _ALL * first[body.mem_id])
    without, kept = _sorted_out(root, every, known)
    return Region(root, without, every[root.mem_id] + kept)


def _above(node: LexborNode, top: LexborNode) -> Iterator[int]:
    parent = node.parent
    while parent is not None:
        yield parent.mem_id
        parent = parent.parent if parent.mem_id != top.mem_id else None


def _smallest(node: LexborNode, held: Counter[int], enough: float) -> LexborNode:
    while child := next((one for one in node.iter() if held[one.mem_id] >= enough), None):
        if child.tag not in BLOCKS:
            break
        node = child
    return node


def _sorted_out(root: LexborNode, held: Counter[int], known: int) -> tuple[frozenset[int], int]:
    """Return the blocks in ``root`` that are not the article's, and how much its lists hold."""
    around = {node.mem_id for node in root.css(AROUND)}
    without: set[int] = set()
    kept = 0
    left = [root]
    while left:
        for child in left.pop().iter():
            if child.tag not in BLOCKS:
                continue
            said = letters(child.text())
            if held[child.mem_id] > _TRACE * said:
                left.append(child)
                continue
            content = _content(child)
            if child.mem_id in around or content is None or _is_linked(content, said):
                without.add(child.mem_id)
            elif content.tag in _FIGURES:
                kept += said
            elif said > _STRANGE * known:
                without.add(child.mem_id)
    return frozenset(without), kept


def _content(block: LexborNode) -> LexborNode | None:
    """Return what in ``block`` trafilatura may have lost; None for a widget or a box of teasers."""
    node = block
    while node.tag not in _CONTENT:
        inner = [child for child in node.iter() if child.text().strip()]
        if len(inner) != 1 or inner[0].tag not in BLOCKS:
            is_loose = not any(child.tag in BLOCKS for child in inner)
            return node if is_loose and letters(node.text()) >= _SENTENCE else None
        node = inner[0]
    return node


def _is_linked(block: LexborNode, said: int) -> bool:
    return sum(letters(link.text()) for link in block.css("a")) > _LINKED * said


def _texts(root: LexborNode) -> Iterator[tuple[LexborNode, str]]:
    for node in root.traverse(include_text=True):
        if node.is_text_node and (text := " ".join((node.text_content or "").split())):
            yield node, text


def faults() -> tuple[Fault, ...]:
    """Return what is wrong with trafilatura and with what it imports."""
    return tuple(found for name in _LIBRARIES if (found := fault(name)))


def article(html: str, url: str) -> LexborNode | None:
    """Return the article of a page in elements of HTML.

    None where trafilatura finds none, or cannot be used.
    """
    if any(one.state != "old" for one in faults()):
        return None
    from lxml import etree  # type: ignore[import-untyped]  # noqa: PLC0415 - for pages alone

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    try:
        from trafilatura import bare_extraction  # noqa: PLC0415 - half a second

        found = bare_extraction(
            html,
            url=url,
            include_comments=False,
            include_formatting=True,
            include_links=True,
            # Its second opinion takes time in the square of the paragraphs.
            fast=html.count("<") > _MANY_TAGS,
        )
    # A page is anybody's, and trafilatura may be an old one: what breaks can still be read plainly.
    except Exception:  # noqa: BLE001
        return None
    if found is None or isinstance(found, dict) or found.body is None:
        return None
    _restore_names(found.body)
    markup = etree.tostring(found.body, encoding="unicode", method="html")
    return LexborHTMLParser(markup).body


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
