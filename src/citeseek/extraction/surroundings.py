"""Whether an element is of the page's own text, or of another that stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

_OTHERS = re.compile(
    r"(?i)comment(?!ary)|respon[ds]|repl(?:y|ies)|related|recommend|side-?_?bar|(?<!elementor-)widget"
    r"|teaser|(?:^|[-_ ])more[-_]|most-|popular|trending|latest|newsletter|footer|copyright|promo"
    r"|breadcrumb|masthead|top-?_?bar|nav-?bar|site-?_?header|current-?_?(?:date|time)|today"
    r"|reference|citation|footnote|caption|upcoming|calendar|archive-list|similar|read-?next|also-|dialog|modal|cookie"
)
# A footer of the text itself.
_OWN = re.compile(r"(?i)(?:entry|post|article|story|content)[-_]?footer")
# Notices at the foot of a page that are about the page.
_OF_PAGE = re.compile(r"(?i)last-?_?(?:mod|update|edit|chang)")
_OTHER_TAGS = frozenset({"aside", "nav", "form", "cite", "figure", "blockquote"})
# Those of an article are its own.
_FRAMES = frozenset({"header", "footer"})
_OTHER_TYPES = re.compile(r"(?i)schema\.org/(?:\w*comment|answer|review|rating|wpfooter|wpsidebar)")


class Surroundings:
    """What stands around the ``heading`` of a page, which is never of another text itself."""

    def __init__(self, heading: LexborNode | None) -> None:
        self._own = (
            frozenset(one.mem_id for one in _up(heading)) if heading is not None else frozenset()
        )

    def is_of_others(self, node: LexborNode) -> bool:
        """Whether ``node`` stands in a comment, a teaser or a notice of the site."""
        if self._is_stated(node):
            return False
        articles = 0
        for one in _up(node):
            names = f"{one.attributes.get('class') or ''} {one.attributes.get('id') or ''}"
            if one.mem_id in self._own or _OF_PAGE.search(names):
                return False
            articles += one.tag == "article"
            if articles > 1 or _is_apart(one, names):
                return True
        return False

    def _is_stated(self, node: LexborNode) -> bool:
        """Whether ``node`` is marked as a property of the item that the heading is of."""
        if "itemprop" not in node.attributes:
            return False
        scopes = (one for one in _up(node) if "itemscope" in one.attributes)
        scope = next(scopes, None)
        return scope is not None and scope.mem_id in self._own


def _is_apart(node: LexborNode, names: str) -> bool:
    if node.tag in _OTHER_TAGS or _OTHER_TYPES.search(node.attributes.get("itemtype") or ""):
        return True
    if _OTHERS.search(names) and not _OWN.search(names):
        return True
    return node.tag in _FRAMES and not any(one.tag == "article" for one in _up(node))


def _up(node: LexborNode | None) -> Iterator[LexborNode]:
    while node is not None and node.tag not in ("body", "html"):
        yield node
        node = node.parent
