"""The tags that models write where Markdown has no sign: a break, subscripts and superscripts."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

# What is raised or lowered is short and plain; anything else stays the text that it is.
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_SCRIPT = re.compile(r"<(sub|sup)>([^<>\n`\[\]]{1,40})</\1>", re.IGNORECASE)
# One of them whose end is still being written.
UNFINISHED = re.compile(
    r"<(?:b|br ?/?|s|su|su[bp](?:>[^<>\n`\[\]]{0,40}(?:<(?:/(?:s|su|su[bp])?)?)?)?)?\Z"
)


def add(parser: MarkdownIt) -> None:
    """Let ``parser`` read these tags, which have no attributes, and no others."""
    parser.inline.ruler.before("autolink", "inline_html", _read)


def _read(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library calls it so
    if found := _BREAK.match(state.src, state.pos):
        if not silent:
            state.push("hardbreak", "br", 0)
    elif found := _SCRIPT.match(state.src, state.pos):
        if not silent:
            tag = found[1].lower()
            state.push(f"{tag}_open", tag, 1)
            state.push("text", "", 0).content = found[2]
            state.push(f"{tag}_close", tag, -1)
    else:
        return False
    state.pos = found.end()
    return True
