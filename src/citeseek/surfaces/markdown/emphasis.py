"""Where emphasis begins and ends beside Chinese, Japanese and Korean text, which has no spaces.

CommonMark takes ``**`` between a punctuation mark and a letter for neither beginning nor end, so
``**结论：**绿茶`` stays as it was written. Here a mark of these scripts counts as one of their
letters, and one of their letters counts as a space does, as the CJK-friendly amendments of
CommonMark propose.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import category, east_asian_width

from markdown_it import MarkdownIt
from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.rules_inline import StateInline, emphasis, strikethrough

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


def add(parser: MarkdownIt) -> None:
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
