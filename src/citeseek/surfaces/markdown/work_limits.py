"""Where the parser stops, so that its work and its output are in proportion to the text."""

from __future__ import annotations

from itertools import islice

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline, image, link

# A table with many columns and empty rows would be hundreds of times as long as its text.
_MOST_ADDED_CELLS = 256
# So many rows are long enough themselves.
_ROWS_LOOKED_AT = 1_000
# For each bracket the parser looks so deep into the brackets behind it.
_BRACKETS_IN_EACH_OTHER = 6


def limit(parser: MarkdownIt) -> None:
    """Limit the cells that are added to the tables of ``parser``, and the depth of its links."""
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.at("link", _link)
    parser.inline.ruler.at("image", _image)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    if not table(state, start, end, silent=True):
        return False
    return silent or table(state, start, _full_until(state, start, end), silent=False)


def _full_until(state: StateBlock, start: int, end: int) -> int:
    columns = _cells(state, start + 1)
    added = 0
    for line in islice(range(start + 2, end), _ROWS_LOOKED_AT):
        if state.isEmpty(line):
            break
        added += max(columns - _cells(state, line), 0)
        if added > _MOST_ADDED_CELLS:
            return line
    return end


def _cells(state: StateBlock, line: int) -> int:
    """Return how many cells a line has at most."""
    return state.src.count("|", state.bMarks[line], state.eMarks[line]) + 1


def _link(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    return _gives_up(state, silent=silent) or link(state, silent)


def _image(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    return _gives_up(state, silent=silent) or image(state, silent)


def _gives_up(state: StateInline, *, silent: bool) -> bool:
    """Skip all the rest where brackets are too deep, as the parser itself does at its limit."""
    if silent and state.level > _BRACKETS_IN_EACH_OTHER and state.src[state.pos] in "![":
        state.pos = state.posMax
        return True
    return False
