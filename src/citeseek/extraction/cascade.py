"""What the rules of a page's own ``style`` elements hide on every screen.

``display`` and ``visibility`` are followed through the cascade: importance, specificity, order.
What a phone or a wide screen shows is seen. Style sheets in files are not loaded, and a state that
a reader brings about (``:hover``) is none of a page that is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from citeseek.extraction.style_rules import (
    SCREENS,
    Property,
    Screen,
    StyleRule,
    Weight,
    read_declarations,
    read_rules,
    screens_of,
)

# Of all style elements of a page, in characters.
MAX_CSS = 500_000
LONGEST_SELECTOR = 300
# Elements of the page times selectors that may find some.
MAX_LOOKS = 500_000
_HIDES = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_STATE = re.compile(
    r"(?i)::|:(?:hover|focus|active|target|visited|link|any-link|before|after|first-line"
    r"|first-letter|fullscreen|popover-open|modal)\b"
)
_NOT = re.compile(r"(?i):(?:not|is|where|has)\((?:[^()]|\([^()]*\))*\)")
_NAME = re.compile(r"([.#])((?:[\w-]|[^\x00-\x7f])+)")
_END = re.compile(r"[\s>+~]")
_TAG = re.compile(r"[A-Za-z][\w-]*")
_NO_WEIGHT: Weight = (False, 0, 0, 0)


def nodes_hidden_by_rules(document: LexborHTMLParser) -> list[LexborNode]:
    """Return the elements with a text that rules of ``document`` hide, in any order.

    The styles that elements have themselves win where they do in a browser. What is hidden by
    ``visibility`` and holds something that is seen is not returned. Of more CSS than ``MAX_CSS``
    nothing is read, and of more than ``MAX_LOOKS`` the first rules.
    """
    sheets = [
        (_COMMENT.sub(" ", node.text()), screens)
        for node in document.css("style")
        if _is_sheet(node) and (screens := screens_of(node.attributes.get("media") or ""))
    ]
    if sum(len(css) for css, _ in sheets) > MAX_CSS:
        return []
    if not any(_HIDES.search(css.lower()) for css, _ in sheets):
        return []
    return _Cascade(document).hidden(list(read_rules(sheets)))


def _is_sheet(node: LexborNode) -> bool:
    return (node.attributes.get("type") or "text/css").strip().lower() == "text/css"


class _Cascade:
    """What the rules that were applied to ``document`` say of its elements, the last word each."""

    def __init__(self, document: LexborHTMLParser) -> None:
        self._document = document
        self._names = _names_of(document.css("[class], [id]"))
        self._looks_left = MAX_LOOKS // max(len(document.css("*")), 1)
        self._hidden: dict[int, LexborNode] = {}
        self._speaking: dict[int, bool] = {}
        # Ids of what holds something that a rule makes visible.
        self._holding: set[int] = set()
        self._winning: dict[tuple[int, Property, Screen], tuple[Weight, bool]] = {}

    def hidden(self, rules: list[StyleRule]) -> list[LexborNode]:
        """Return the elements that ``rules`` hide."""
        for rule in rules:
            if rule.is_hiding:
                self._apply(rule)
        if not self._hidden:
            return []
        # What is shown matters where it was hidden, or within what is.
        told = _names_of(self._hidden.values())
        for rule in rules:
            if not rule.is_hiding and (rule.name == "visibility" or _may_be(rule.selector, told)):
                self._apply(rule)
        return [
            node
            for node in self._hidden.values()
            if all(self._is_hidden(node, screen) for screen in SCREENS)
        ]

    def _apply(self, rule: StyleRule) -> None:
        if self._looks_left <= 0 or not _may_match(rule.selector, self._names):
            return
        self._looks_left -= 1
        try:
            found = self._document.css(rule.selector)
        except SelectolaxError:
            return
        weight = rule.weight() if found else _NO_WEIGHT
        for node in found:
            if rule.is_hiding:
                if not self._has_text(node):
                    continue
                self._hidden[node.mem_id] = node
            elif rule.name == "visibility":
                self._add_holders(node)
            for screen in rule.screens:
                key = (node.mem_id, rule.name, screen)
                if key not in self._winning or weight >= self._winning[key][0]:
                    self._winning[key] = (weight, rule.is_hiding)

    def _has_text(self, node: LexborNode) -> bool:
        """Whether ``node`` says anything: what does not may be hidden or not."""
        at = node.mem_id
        if at not in self._speaking:
            self._speaking[at] = any(
                inner.is_text_node and (inner.text_content or "").strip()
                for inner in node.traverse(include_text=True)
            )
        return self._speaking[at]

    def _add_holders(self, node: LexborNode) -> None:
        above = node.parent
        while above is not None and above.mem_id not in self._holding:
            self._holding.add(above.mem_id)
            above = above.parent

    def _is_hidden(self, node: LexborNode, screen: Screen) -> bool:
        if self._is_said(node, "display", screen):
            return True
        return self._is_said(node, "visibility", screen) and node.mem_id not in self._holding

    def _is_said(self, node: LexborNode, name: Property, screen: Screen) -> bool:
        """Whether the last word on ``name`` of ``node`` is that it is not seen."""
        weight, is_hidden = self._winning.get((node.mem_id, name, screen), (_NO_WEIGHT, False))
        if not is_hidden:
            return False
        own = " ".join((node.attributes.get("style") or "").split())
        stated = [important for one, _, important in read_declarations(own) if one == name]
        return not stated or (weight[0] and not stated[-1])


def _names_of(nodes: Iterable[LexborNode]) -> frozenset[str]:
    """Return the classes and ids of ``nodes``, each after its sign, and their tags."""
    classes: set[str] = set()
    others: set[str] = set()
    for node in nodes:
        classes.add(node.attrs.get("class") or "")
        others.add(f"#{node.id}")
        others.add(node.tag or "")
    return frozenset(others.union(f".{name}" for one in classes for name in one.split()))


def _may_match(selector: str, names: frozenset[str]) -> bool:
    """Whether all that ``selector`` names is on the page, in a state without a reader's doing."""
    if len(selector) > LONGEST_SELECTOR or "\\" in selector or _STATE.search(selector):
        return False
    asked = _NOT.sub("", selector) if "(" in selector else selector
    return all(sign + name in names for sign, name in _NAME.findall(asked))


def _may_be(selector: str, names: frozenset[str]) -> bool:
    """Whether an element with some of ``names`` may be what ``selector`` ends in."""
    end = _END.split(_NOT.sub("", selector))[-1]
    tag = _TAG.match(end)
    is_tagged = tag is None or tag[0].lower() in names
    return is_tagged and all(sign + name in names for sign, name in _NAME.findall(end))
