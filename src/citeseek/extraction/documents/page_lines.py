"""The lines of pages on paper: those that the margin broke, and running heads and page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from citeseek.extraction.documents.paper import Word, join_words, rows

# A line this much of the widest ones was ended by the margin, unless a sentence ends there.
FULL = 0.75
# Narrower columns are lists and tables. Chinese signs are twice as wide as letters.
MIN_WIDTH = 40

_WIDE = re.compile(r"[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")
_ENDS = re.compile(r"[.!?:;。！？：；…][\"'”’」』）)\]]*$")
_ITEM = re.compile(r"[-*•·▪–]\s|\(?(?:\d{1,3}|[a-z])[.)]\s|[（(]?[一二三四五六七八九十]+[、）)]")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-$")
# Fewer pages have no running heads.
MIN_SHEETS = 3
# 7, - 7 -, Page 7, p. 7 of 10, 7/10, 第 7 页, and small Roman numbers.
_PAGE_NUMBER = re.compile(
    r"(?i)[-–—·|\[( ]*(?:page|pg\.?|p\.|seite|s\.|página|pagina|стр\.|第)?\s*"
    r"(?:(?P<number>\d{1,5})|[ivxlc]{1,7})\s*(?:[页頁]|ページ)?"
    r"(?:\s*(?:/|of|von|de|di|sur|из|[,，]?\s*共)\s*\d{1,5}\s*(?:[页頁]|ページ)?)?[-–—·|\]) ]*"
)
# A line with a figure, or a sentence, is no mere title: once it is read.
_SAYS_SOMETHING = re.compile(r"\d|[.!?。！？]$")
_Head: TypeAlias = tuple[str, int]


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


def without_running_heads(sheets: Sequence[Sequence[Word]]) -> list[list[Word]]:
    """Return the words of ``sheets`` without running heads and page numbers at their edges.

    What differs by a number alone is text: so do bills and pay slips. No sheet is left empty.
    """
    if len(sheets) < MIN_SHEETS:
        return [list(words) for words in sheets]
    edges = [[found[0], found[-1]] if (found := rows(words)) else [] for words in sheets]
    heads = [[_head(row) for row in sheet] for sheet in edges]
    steps = [{step for row in sheet if (step := _step(row, at))} for at, sheet in enumerate(edges)]
    seen: Counter[_Head | str] = Counter()
    for sheet_heads, sheet_steps in zip(heads, steps, strict=True):
        seen.update({*sheet_heads, *sheet_steps})
    often = max(MIN_SHEETS, len(sheets) / 3)
    left: list[list[Word]] = []
    read: set[_Head | str] = set()
    for at, words in enumerate(sheets):
        running: set[Word] = set()
        for row, head in zip(edges[at], heads[at], strict=True):
            is_head = seen[head] >= often and (head in read or not _SAYS_SOMETHING.search(head[0]))
            if is_head or seen[_step(row, at)] >= often:
                running.update(row)
            read.add(head)
        left.append([word for word in words if word not in running] or list(words))
    return left


def _head(row: Sequence[Word]) -> _Head:
    """Return the text of a line and where it stands, which are those of a running head."""
    return join_words(row), round(row[0].top / 4)


def _step(row: Sequence[Word], at: int) -> str:
    """Return by how much a page number is ahead of the sheet ``at``, empty for another line."""
    match = _PAGE_NUMBER.fullmatch(join_words(row))
    if match is None:
        return ""
    return f"{int(match['number']) - at:+d}" if match["number"] else "roman"
