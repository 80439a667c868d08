"""The lines of a PDF that are no text: running heads, and the numbers of its pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from citeseek.extraction.documents.paper import Word, join_words, rows

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
