"""Which part of an HTML page is its article, by trafilatura.

Trafilatura chooses; how the chosen part is written down is ours, so that text and Markdown hold the
same words.
"""

from __future__ import annotations

import logging
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.extras import Fault, fault

# The work of trafilatura grows faster than the page; past this the plain reading is taken.
MAX_ELEMENTS = 20_000
MAX_LETTERS = 2_000_000
_MANY_TAGS = 10_000

# What it imports comes first.
_LIBRARIES = ("lxml", "lxml-html-clean", "trafilatura")

_NAMES = {
    "p": "p", "list": "ul", "item": "li", "quote": "blockquote", "lb": "br", "row": "tr",
    "cell": "td", "ref": "a", "table": "table", "del": "del", "body": "div",
}  # fmt: skip
_RENDERED = {"#b": "strong", "#i": "em", "#t": "code", "#sup": "sup", "#sub": "sub"}


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
    _renamed(found.body)
    markup = etree.tostring(found.body, encoding="unicode", method="html")
    return LexborHTMLParser(markup).body


def _renamed(body: Any) -> None:
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
            element.tag = _NAMES.get(element.tag, "span")
