"""The second wall: elements and attributes that may stand in an answer, whatever wrote them."""

from __future__ import annotations

import re

import nh3

from citeseek.surfaces.markdown_dialect import restore_numbers
from citeseek.surfaces.page.markdown.code import CLASSES as CODE_CLASSES
from citeseek.surfaces.page.markdown.mathml import ATTRIBUTES, TAGS

_AUTO = {"dir": {"auto"}}
_LTR = {"dir": {"ltr"}}
_SCROLLS = {"tabindex": {"0"}}

_VALUES = {
    **dict.fromkeys(("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "blockquote", "td"), _AUTO),
    "th": {**_AUTO, "scope": {"col"}},
    "pre": {**_LTR, **_SCROLLS},
    "a": _SCROLLS,
    "code": _LTR,
    "span": {**_LTR, **_SCROLLS, "role": {"img"}},
    "div": {**_LTR, **_SCROLLS, "role": {"region"}},
    "math": {**_LTR, "display": {"block", "inline"}},
}
_CLASSES = {
    "a": {"outside"},
    "sup": {"citation", "found"},
    "span": {"host", "formula", "gap", "bracket", "task", "done", "code-language", *CODE_CLASSES},
    "div": {"code", "table", "formula"},
    "td": {"left", "center", "right"},
    "th": {"left", "center", "right"},
}
_MORE = {
    "a": {"href", "data-number", "aria-label"},
    "code": {"class"},
    "div": {"aria-label"},
    "span": {"aria-label"},
    "ol": {"start"},
    **{tag: set(ATTRIBUTES) for tag in TAGS},
}
_PLAIN = {"ul", "hr", "br", "em", "strong", "s", "sub", "table", "thead", "tbody", "tr"}
_CODE_CLASS = re.compile(r"language-[a-z0-9+#-]{1,32}|formula")
# They turn the text around them; the direction of a block is its own affair.
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def _keep(tag: str, attribute: str, value: str) -> str | None:
    if tag == "code" and attribute == "class":
        return value if _CODE_CLASS.fullmatch(value) else None
    return value


_CLEANER = nh3.Cleaner(
    tags=_PLAIN | TAGS | set(_VALUES) | set(_CLASSES) | set(_MORE),
    attributes={**_MORE, "*": set()},  # otherwise lang and title are allowed everywhere
    attribute_filter=_keep,
    tag_attribute_values=_VALUES,
    allowed_classes=_CLASSES,
    set_tag_attribute_values={"a": {"target": "_blank"}},
    link_rel="noopener noreferrer nofollow",
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
)


def sanitize(html: str) -> str:
    """Return ``html`` without anything that is not on the lists of this file."""
    return _DIRECTIONS.sub("", restore_numbers(_CLEANER.clean(html)))
