"""The words of a sheet of paper in the order of reading: columns, tables and lines.

Only the places of the words are known. Words that stand on one line with a wide space between them
are beside each other; where such spaces lie above each other, they part columns or cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple, TypeAlias

# Wider spaces than this, in heights of the letters, part what stands beside each other.
APART = 1.0
# And than so many points.
MIN_SPACE = 5.0
_FAR = 1e9
# What is set in columns has at least so many lines, and a table so many rows.
MIN_LINES, MIN_ROWS = 4, 2
MIN_CELLS = 2
# Rows after which another does not change where the columns are.
SETTLED = 3
# Text in columns has so many words to a line, and fills so much of the column's width.
WORDS, FILLED = 3.5, 0.55
MAX_DEPTH = 4
_BULLET = re.compile(
    r"[-*•·▪–◦●○■□‣]|\(?(?:\d{1,3}|[a-zA-Z])[.)]|[（(]?[一二三四五六七八九十]+[、）)]"
)


class Word(NamedTuple):
    """A word and its box, in points from the upper left corner; ``size`` is its letters' height."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float
    is_bold: bool = False


class PaperLine(NamedTuple):
    """Words beside each other, and the width of the column that they stand in."""

    words: tuple[Word, ...]
    left: float
    width: float

    @property
    def text(self) -> str:
        """The words with spaces where there are some."""
        return join_words(self.words)


class PaperTable(NamedTuple):
    """Rows of cells."""

    rows: tuple[tuple[str, ...], ...]


Item: TypeAlias = PaperLine | PaperTable
_Row: TypeAlias = list[Word]
_Spaces: TypeAlias = list[tuple[float, float]]


def items(words: Sequence[Word], depth: int = 0) -> Iterator[Item]:
    """Yield the lines and tables that ``words`` make, in the order in which they are read."""
    lines = rows(words)
    left = min((word.left for word in words), default=0.0)
    right = max((word.right for word in words), default=0.0)
    at = 0
    while at < len(lines):
        end, spaces = _beside(lines, at, (left, right))
        end = _first_with_more(lines, at, end, spaces, (left, right)) or end
        columns = [_columns(row, spaces) for row in lines[at:end]]
        if depth < MAX_DEPTH and _is_text(columns):
            for place in range(len(columns[0])):
                yield from items([word for row in columns for word in row[place]], depth + 1)
        else:
            first, last = (0, 0) if _is_list(columns) else _table_bounds(lines[at:end], columns)
            end = at + last if last else end
            yield from (
                PaperLine(tuple(row), left, right - left) for row in lines[at : end - last + first]
            )
            if last:
                yield PaperTable(
                    tuple(map(tuple, _cells(lines[at + first : end], columns[first:last])))
                )
        at = end


def join_words(words: Sequence[Word]) -> str:
    """Return ``words`` as they stand: those that touch are one."""
    text = words[0].text if words else ""
    for one, other in pairwise(words):
        is_tight = other.left - one.right < 0.1 * min(one.size, other.size)
        text += other.text if is_tight else f" {other.text}"
    return text


def rows(words: Sequence[Word]) -> list[_Row]:
    """Return the words by lines from above, each from the left."""
    found: list[_Row] = []
    bounds = (0.0, 0.0)
    for word in sorted(words, key=lambda one: (one.top + one.bottom, one.left)):
        middle = (word.top + word.bottom) / 2
        if found and bounds[0] < middle < bounds[1]:
            found[-1].append(word)
        else:
            found.append([word])
            bounds = (word.top, word.bottom)
    for row in found:
        row.sort(key=lambda word: word.left)
    return found


def _beside(rows: Sequence[_Row], at: int, bounds: tuple[float, float]) -> tuple[int, _Spaces]:
    """Return where the rows from ``at`` on end that share spaces, and these spaces.

    ``bounds`` are left and right of all rows. Without such spaces it is the first row alone.
    """
    common: _Spaces = [(-_FAR, _FAR)]
    found: tuple[int, _Spaces] = at + 1, []
    first, last = _FAR, -_FAR
    for end in range(at, len(rows)):
        row = rows[end]
        common = _overlap(common, _spaces(row))
        first = min(first, row[0].left)
        last = max(last, *(word.right for word in row))
        inner = [one for one in common if one[0] >= first and one[1] <= last]
        is_settled = end - at >= SETTLED or len(_spaces(row)) == MIN_CELLS
        if len(inner) < len(found[1]) and is_settled:
            break
        if inner:
            found = end + 1, inner
        elif found[1] or not _overlap(common, [bounds]):
            break
    return found


def _first_with_more(
    rows: Sequence[_Row], at: int, end: int, spaces: _Spaces, bounds: tuple[float, float]
) -> int:
    """Return the row from which on there are more spaces, since lines above it hide some.

    0 where there is none.
    """
    for later in range(at + 1, end if spaces else at):
        if _is_several(_columns(rows[later], spaces)):
            return later if len(_beside(rows, later, bounds)[1]) > len(spaces) else 0
        if _is_several(_columns(rows[at], spaces)):
            return 0
    return 0


def _is_several(cells: Sequence[Sequence[Word]]) -> bool:
    return sum(map(bool, cells)) >= MIN_CELLS


def _spaces(row: _Row) -> _Spaces:
    free: _Spaces = []
    edge = -_FAR
    for word in row:
        if word.left - edge > APART * word.size:
            free.append((edge, word.left))
        edge = max(edge, word.right)
    return [*free, (edge, _FAR)]


def _overlap(one: _Spaces, other: _Spaces) -> _Spaces:
    """Return where both are free, widely enough."""
    both: _Spaces = []
    mine = theirs = 0
    while mine < len(one) and theirs < len(other):
        start = max(one[mine][0], other[theirs][0])
        end = min(one[mine][1], other[theirs][1])
        if end - start > MIN_SPACE:
            both.append((start, end))
        if one[mine][1] < other[theirs][1]:
            mine += 1
        else:
            theirs += 1
    return both


def _columns(row: _Row, spaces: _Spaces) -> list[list[Word]]:
    """Return the words of ``row`` by what stands between ``spaces``."""
    columns: list[list[Word]] = [[] for _ in range(len(spaces) + 1)]
    for word in row:
        columns[sum(word.left >= right for _, right in spaces)].append(word)
    return columns


def _is_list(columns: Sequence[Sequence[Sequence[Word]]]) -> bool:
    """Whether nothing is beside each other but marks of items and what they mark."""
    first = [join_words(row[0]) for row in columns if row[0]]
    return len(columns[0]) <= MIN_CELLS and all(map(_BULLET.fullmatch, first))


def _is_text(columns: Sequence[Sequence[Sequence[Word]]]) -> bool:
    """Whether the columns are those of a text and not of a table."""
    if len(columns[0]) < MIN_CELLS:
        return False
    for place in range(len(columns[0])):
        cells = [row[place] for row in columns if row[place]]
        if len(cells) < MIN_LINES:
            return False
        left = min(cell[0].left for cell in cells)
        width = max(cell[-1].right for cell in cells) - left
        filled = median(cell[-1].right - cell[0].left for cell in cells)
        size = median(cell[0].size for cell in cells)
        # Chinese is written without spaces: a word is a line there.
        long = median(max(len(cell), (cell[-1].right - cell[0].left) / size / 3) for cell in cells)
        if filled < FILLED * width or long < WORDS:
            return False
    return True


def _table_bounds(
    rows: Sequence[_Row], columns: Sequence[Sequence[Sequence[Word]]]
) -> tuple[int, int]:
    """Return the first row of the table in ``rows``, and the one behind its last; 0, 0 for none.

    Two lines in the first column alone are none of its rows, nor is what is alone at its ends.
    """
    several = [_is_several(row) for row in columns]
    if True not in several or len(columns[0]) < MIN_CELLS:
        return 0, 0
    first = last = several.index(True)
    for at in range(first, len(rows)):
        goes_on = not columns[at][0] and _is_close(rows[at - 1], rows[at])
        if several[at] or goes_on:
            if at - last > MIN_ROWS:
                break
            last = at
    return (first, last + 1) if sum(several[first : last + 1]) >= MIN_ROWS else (0, 0)


def _is_close(above: _Row, row: _Row) -> bool:
    return row[0].top - above[0].bottom < row[0].size / 2


def _cells(
    rows: Sequence[_Row], columns: Sequence[Sequence[Sequence[Word]]]
) -> Iterator[list[str]]:
    """Yield the texts of the cells of each row of a table."""
    row: list[str] = []
    for above, words, found in zip([None, *rows[:-1]], rows, columns, strict=True):
        texts = [join_words(cell) for cell in found]
        # A line without its first cell, close below another, goes on with it.
        if row and above is not None and not texts[0] and _is_close(above, words):
            row = [" ".join(filter(None, pair)) for pair in zip(row, texts, strict=True)]
            continue
        if row:
            yield row
        row = texts
    yield row
