"""Where the lines of a text end at a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TextIO, TypeAlias

# Tells how many columns a text takes.
Measure: TypeAlias = Callable[[str], int]

USUAL_COLUMNS = 80
# Scripts without spaces: a line may end after each of their characters. Hangul has spaces.
_CJK = "\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff9f\U0001b000-\U0001b2ff"
_CJK += "\U00020000-\U0003fffd"
_OPENING = "（［｛「『【《〈〔〖“‘"
_CLOSING = "，。、；：？！）］｝」』】》〉〕〗”’…—～·,.;:?!)]}%"
# Where no more columns would be left, a block is neither marked nor indented.
LEAST_COLUMNS = 20
# What stays on one line: a word or a character, the marks around it and the citations behind it.
UNIT = (
    rf"(?:[{_OPENING}]*(?:[{_CJK}]|[^\s{_CJK}{_OPENING}][^\s{_CJK}]*)|[{_OPENING}]+)"
    rf"(?:[{re.escape(_CLOSING)}]|\[\d+\])*\s*|\s+"
)


def columns_of(stream: TextIO) -> int:
    """Return how wide the terminal is; ``COLUMNS`` goes before what it says."""
    with suppress(ValueError):
        if (given := int(os.environ.get("COLUMNS", ""))) > 0:
            return given
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS
    return USUAL_COLUMNS


def cell_len(text: str) -> int:
    """Return how many columns ``text`` takes by the tables of rich, emoji and marks included."""
    from rich.cells import cell_len as measured  # noqa: PLC0415 - no help loads a library

    return measured(text)


def break_lines(text: str, columns: int, measure: Measure = cell_len) -> Iterator[str]:
    """Yield the lines of ``text``, each at most ``columns`` wide."""
    for line in text.expandtabs(4).split("\n"):
        ends = [*line_breaks(line, columns, measure), len(line)]
        for start, end in zip([0, *ends], ends, strict=False):
            yield line[start:end].rstrip()


def line_breaks(text: str, columns: int, measure: Measure = cell_len) -> list[int]:
    """Return where the lines of ``text`` end that take at most ``columns``.

    Only what is longer than a whole line is cut inside.
    """
    ends: list[int] = []
    used = 0
    for unit in re.finditer(UNIT, text):
        wanted = measure(unit[0].rstrip())
        if used and used + wanted > columns:
            ends.append(unit.start())
            used = 0
        if wanted > columns:
            *cuts, used = _cuts(unit[0], columns, measure)
            ends += [unit.start() + cut for cut in cuts]
        else:
            used += measure(unit[0])
    return ends


def _cuts(unit: str, columns: int, measure: Measure) -> Iterator[int]:
    """Yield where ``unit`` is cut into lines, then the columns of what is left."""
    used = 0
    for place, char in enumerate(unit):
        wide = measure(char)
        if used and used + wide > columns:
            yield place
            used = 0
        used += wide
    yield used
