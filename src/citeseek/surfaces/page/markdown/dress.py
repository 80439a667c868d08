"""What the elements of an answer get that Markdown does not say."""

from __future__ import annotations

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# The page has the first two levels for itself.
_HEADINGS_ABOVE = 2
_DEEPEST_HEADING = 6

# A paragraph inside of one of these takes its direction from it: a child with a direction of its
# own would not count for that of its parent.
_DIRECTED = {"heading_open", "list_item_open", "blockquote_open", "td_open", "th_open"}


def dress(state: StateCore) -> None:
    """Lower the headings, let each block find its direction, and take styles out of tables."""
    for at, token in enumerate(state.tokens):
        if token.type in {"heading_open", "heading_close"}:
            level = int(token.tag[1:]) + _HEADINGS_ABOVE
            token.tag = f"h{min(level, _DEEPEST_HEADING)}"
        elif token.type in {"th_open", "td_open"}:
            _dress_cell(token, state.tokens[at + 1], state.tokens[at + 2])
        if token.type in _DIRECTED or (token.type == "paragraph_open" and token.level == 0):
            token.attrSet("dir", "auto")


def _dress_cell(opening: Token, content: Token, closing: Token) -> None:
    alignment = str(opening.attrs.pop("style", "")).removeprefix("text-align:")
    if alignment:
        opening.attrSet("class", alignment)
    if opening.type == "th_open" and content.content:
        opening.attrSet("scope", "col")
    elif opening.type == "th_open":
        # A header that says nothing is none.
        opening.tag = closing.tag = "td"
