"""Where blocks of raw HTML begin and what ends them."""

from __future__ import annotations

import re

from citeseek.citations.lines import RawHtml
from citeseek.citations.links import TAG

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|"
    "dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|"
    "hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|"
    "search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)


def _ignoring_case(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# How an HTML block begins, and what the line that ends it holds; None is a blank line.
_HTML: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        _ignoring_case(r"<(?:script|pre|style|textarea)(?=[\s>]|\Z)"),
        _ignoring_case(r"</(?:script|pre|style|textarea)>"),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (_ignoring_case(r"<![A-Z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (_ignoring_case(rf"</?(?:{_BLOCK_TAGS})(?=\s|/?>|\Z)"), None),
)


def html_block(rest: str, *, may_be_any_tag: bool) -> RawHtml | None:
    """Return the HTML block that a line begins whose content is ``rest``, None when there is none.

    ``may_be_any_tag`` says that a line with one whole tag of any name begins one too.
    """
    for start, end in _HTML:
        if start.match(rest):
            return RawHtml(end)
    tag = TAG.match(rest)
    whole = tag and (tag["open"] or tag["close"]) and not rest[tag.end() :].strip()
    return RawHtml(None) if whole and may_be_any_tag else None
