"""From the bytes of a page to hits, by a table of selectors.

An engine's knowledge of its pages is a tuple of :class:`Layout`; the first layout that finds
results on the page is the page's layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citeseek.models import Hit, Page

_CHARSET = rb"(?i)<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w-]{2,30})"
_META_WITHIN = 4096
_UTF8 = frozenset({"utf-8", "utf8"})
# GBK and GB2312 pages use characters of their superset; browsers decode all three as gb18030.
_CHINESE = frozenset({"gbk", "gb2312", "gb18030", "x-gbk"})
# One damaged character in this many is a slip of the site; more is another charset.
_DAMAGE = 1000


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
    # A line break separates words, and the parser's text would join them.
    return LexborHTMLParser(re.sub(rb"<br", b" <br", utf8(page)))


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


def utf8(page: Page) -> bytes:
    """Return the body as UTF-8: charset from the header, then meta, then detection.

    A declared charset that does not fit the bytes is not believed.
    """
    body = page.body
    if body.isascii():
        return body
    declared = _declared(page)
    if declared in _UTF8 or declared is None:
        try:
            body.decode()
        except UnicodeDecodeError:
            if declared and body.decode(errors="replace").count("�") * _DAMAGE < len(body):
                return body
        else:
            return body
    elif decoded := _decode(body, declared):
        return decoded
    return _detect(body)


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


def _declared(page: Page) -> str | None:
    if page.body.startswith(b"\xef\xbb\xbf"):
        return "utf-8"
    _, _, label = page.headers.get("content-type", "").lower().partition("charset=")
    if label:
        return label.split(";")[0].strip(" \"'")
    if meta := re.search(_CHARSET, page.body[:_META_WITHIN]):
        return meta[1].decode("ascii").lower()
    return None


def _decode(body: bytes, charset: str) -> bytes | None:
    try:
        return body.decode("gb18030" if charset in _CHINESE else charset).encode()
    except (UnicodeError, LookupError):
        return None


def _detect(body: bytes) -> bytes:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - 40 ms that few pages need

    best = from_bytes(body).best()
    return str(best).encode("utf-8", "replace") if best else body
