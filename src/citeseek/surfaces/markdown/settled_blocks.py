"""Where the top-level blocks of a text end, also of one that grows."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

# What does not end with an empty line.
_GOING_ON = {"bullet_list_close", "ordered_list_close", "code_block", "fence"}


def block_ends(
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
