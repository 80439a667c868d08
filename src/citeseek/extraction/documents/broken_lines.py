"""Lines that the margin of a sheet of paper broke are joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# A line this much of the widest ones was ended by the margin, unless a sentence ends there.
FULL = 0.75
# Narrower columns are lists and tables. Chinese signs are twice as wide as letters.
MIN_WIDTH = 40

_WIDE = re.compile(r"[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
_ENDS = re.compile(r"[.!?:;。！？：；…][\"'”’」』）)\]]*$")
_ITEM = re.compile(r"[-*•·▪–]\s|\(?(?:\d{1,3}|[a-z])[.)]\s|[（(]?[一二三四五六七八九十]+[、）)]")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-$")


def join_broken_lines(lines: Iterable[str], full: Sequence[bool] = ()) -> list[str]:
    """Return the lines of one sheet of paper with the broken ones joined.

    A line is broken when it is as wide as the column and no sentence ends with it, and the next is
    no item of a list. A word that was parted by a hyphen is made whole. ``full`` says of each line
    whether it is as wide, where that is known; else it is judged by the letters of the lines.
    """
    given = [line for line in lines if line]
    widths = sorted(map(_width, given))
    column = widths[len(widths) * 9 // 10] if widths else 0
    is_full = list(full) or [
        column >= MIN_WIDTH and _width(line) >= FULL * column for line in given
    ]
    joined: list[str] = []
    is_broken = False
    for line, is_wide in zip(given, is_full, strict=True):
        if is_broken and not _ITEM.match(line):
            joined[-1] = _with(joined[-1], line)
        else:
            joined.append(line)
        is_broken = is_wide and not _ENDS.search(line)
    return joined


def _with(before: str, line: str) -> str:
    if _HYPHEN.search(before) and line[0].islower():
        return before[:-1] + line
    is_tight = _WIDE.match(before[-1]) and _WIDE.match(line[0])
    return f"{before}{'' if is_tight else ' '}{line}"


def _width(line: str) -> int:
    return len(line) + len(_WIDE.findall(line))
