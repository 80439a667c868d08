"""The Markdown of a language model for a parser, the same for the page and the terminal.

Citations are signs of their own, so that no link has to be told from ours. Emphasis is also seen
beside Chinese, Japanese and Korean text. Work and output are in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, MutableMapping
from itertools import islice
from typing import Any
from unicodedata import category, east_asian_width

from markdown_it import MarkdownIt
from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline, emphasis, image, link, strikethrough
from markdown_it.token import Token

from citeseek.citations import Span, redrawn_marks

# Unicode keeps it for programs to themselves. In two pairs of brackets, so that no label of a link
# can hold it.
SIGN = "\ufdd0"
_CITATION = re.compile(rf"\[\[{SIGN}((\d{{1,9}})(?:,[^\[\]]*)?)\]\]")


def replace_links(text: str, spans: Iterable[Span]) -> str:
    """Return ``text`` with a sign in the place of each link of a citation.

    A span that begins before ``text`` is left out: its link is shown as any other.
    """
    own = [span for span in spans if span.start >= 0]
    return redrawn_marks(text.replace(SIGN, "\ufffd"), own, f"[[{SIGN}{{}}{{}}]]".format)


def restore_numbers(text: str) -> str:
    """Return ``text`` with ``[n]`` for each sign, where no parser has made more of it."""
    return _CITATION.sub(r"[\1]", text)


def add_citations(parser: MarkdownIt) -> None:
    """Teach ``parser`` these signs: tokens of the kind ``citation`` with ``number`` in ``meta``."""
    parser.inline.ruler.before("link", "citation", _citation)


def _citation(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's signature
    found = _CITATION.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("citation", "", 0)
        token.content = f"[{found[1]}]"
        token.meta["number"] = int(found[2])
    state.pos = found.end()
    return True


_WIDE = {"W", "F", "H"}
# Half of a syllable of Hangul is not wide.
_HANGUL = re.compile("[\u1100-\u11ff\ud7b0-\ud7ff]")
# They say in which form the sign before them is drawn.
_SELECTORS = re.compile("[\ufe00-\ufe0e\U000e0100-\U000e01ef]")
_FULL_WIDTH = "\ufe01"
_QUOTATION_MARKS = "‘’“”"
# Pictures are wide as well, and are marks of no script; signs of these blocks are no pictures.
_PICTURES = {"So", "Sk"}
_CJK_BLOCKS = re.compile("[\u2e80-\uffff]")


def add_cjk_emphasis(parser: MarkdownIt) -> None:
    """Let ``parser`` see emphasis and strikethrough beside text without spaces."""
    parser.inline.ruler.at("emphasis", _beside_cjk(emphasis.tokenize))
    parser.inline.ruler.at("strikethrough", _beside_cjk(strikethrough.tokenize))


def _beside_cjk(
    tokenize: Callable[[StateInline, bool], bool],
) -> Callable[[StateInline, bool], bool]:
    def rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser's signature
        start, known = state.pos, len(state.delimiters)
        if not tokenize(state, silent):
            return False
        can_open, can_close = _roles(state, start, state.pos)
        for delimiter in state.delimiters[known:]:
            delimiter.open, delimiter.close = can_open, can_close
        return True

    return rule


def _roles(state: StateInline, start: int, end: int) -> tuple[bool, bool]:
    """Return whether the marks between ``start`` and ``end`` can open emphasis, and close it."""
    before = _before(state.src, start)
    after = state.src[end] if end < state.posMax else " "
    is_space_before, is_space_after = isWhiteSpace(ord(before[0])), isWhiteSpace(ord(after))
    is_cjk_before, is_cjk_after = _ends_cjk(before), _is_cjk(after)
    is_mark_before, is_mark_after = isPunctChar(before[0]), isPunctChar(after)
    is_left = not is_space_after and (
        not is_mark_after or is_cjk_after or is_space_before or is_mark_before or is_cjk_before
    )
    is_right = not is_space_before and (
        not is_mark_before or is_cjk_before or is_space_after or is_mark_after or is_cjk_after
    )
    if state.src[start] != "_":
        return is_left, is_right
    return is_left and (not is_right or is_mark_before), is_right and (not is_left or is_mark_after)


def _before(text: str, at: int) -> str:
    """Return the sign before a place with its selector, if it has one."""
    if at > 1 and _SELECTORS.match(text[at - 1]):
        return text[at - 2 : at]
    return text[at - 1] if at else " "


def _ends_cjk(sign: str) -> bool:
    return _is_cjk(sign[0]) or (sign[0] in _QUOTATION_MARKS and sign[1:] == _FULL_WIDTH)


def _is_cjk(char: str) -> bool:
    if east_asian_width(char) not in _WIDE:
        return bool(_HANGUL.match(char))
    return category(char) not in _PICTURES or bool(_CJK_BLOCKS.match(char))


# A table with many columns and empty rows would be hundreds of times as long as its text.
_MOST_ADDED_CELLS = 256
# So many rows are long enough themselves.
_ROWS_LOOKED_AT = 1_000
# For each bracket the parser looks so deep into the brackets behind it.
_BRACKETS_IN_EACH_OTHER = 6


def limit_work(parser: MarkdownIt) -> None:
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


# What does not end with an empty line.
_GOING_ON = {"bullet_list_close", "ordered_list_close", "code_block", "fence"}


def find_block_ends(
    parser: MarkdownIt, text: str, env: MutableMapping[str, Any], *, all_of_it: bool
) -> list[int]:
    """Return after how many lines of ``text`` its top-level blocks end.

    Unless ``text`` is ``all_of_it``, the last block is left out if a further line can belong to it.
    """
    tokens = list[Token]()
    parser.block.parse(text, parser, env, tokens)
    ends = [token.map[1] for token in tokens if not token.level and token.map]
    if all_of_it or not ends:
        return ends
    following = text.split("\n")[ends[-1] : -1]
    is_over = following and not following[0].strip(" \t") and tokens[-1].type not in _GOING_ON
    return ends if is_over else ends[:-1]
