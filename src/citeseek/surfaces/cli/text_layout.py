"""Text in lines that end between words, and blocks that are indented as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

# Scripts without spaces: a line may end after each of their characters. Hangul has spaces.
_CJK = "\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff9f\U0001b000-\U0001b2ff"
_CJK += "\U00020000-\U0003fffd"
_OPENING = "（［｛「『【《〈〔〖“‘"
_CLOSING = "，。、；：？！）］｝」』】》〉〕〗”’…—～·,.;:?!)]}%"
# What stays on one line: a word or a character, the marks around it and the citations behind it.
_UNIT = re.compile(
    rf"(?:[{_OPENING}]*(?:[{_CJK}]|[^\s{_CJK}{_OPENING}][^\s{_CJK}]*)|[{_OPENING}]+)"
    rf"(?:[{re.escape(_CLOSING)}]|\[\d+\])*\s*|\s+"
)
# Where no more columns would be left, a block is neither marked nor indented.
_LEAST_COLUMNS = 20
# More than any table takes.
_ENDLESS = 10_000


class Wrapped:
    """``text`` in lines as wide as there is room."""

    def __init__(self, text: Text) -> None:
        self._text = text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self._text.split("\n", allow_blank=True):
            line.expand_tabs(4)
            for part in line.divide(line_breaks(line.plain, options.max_width)):
                part.rstrip()
                yield part

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        lines = self._text.plain.split("\n")
        units = [cell_len(unit.rstrip()) for line in lines for unit in _UNIT.findall(line)]
        widest = max(map(cell_len, lines))
        return Measurement(max(units, default=0), widest).with_maximum(options.max_width)


class Hanging:
    """Blocks behind ``marker``; their other lines begin below the first, or with ``rest``."""

    def __init__(
        self, marker: str, *blocks: RenderableType, rest: str = "", style: str = ""
    ) -> None:
        self._blocks = Group(*blocks)
        self._first = marker
        self._rest = rest or " " * cell_len(marker)
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        first, rest = self._first, self._rest
        room = options.max_width - cell_len(first)
        if room < min(_LEAST_COLUMNS, console.width // 2):
            room, first, rest = options.max_width, "", ""
        inner = options.update(width=room, height=None)
        style = Style.parse(self._style)
        start = first
        for line in console.render_lines(self._blocks, inner, pad=False):
            # Nothing but the marks of a quotation stands on an empty line.
            yield Segment(start if line else start.rstrip(), style)
            yield from line
            yield Segment.line()
            start = rest


class Rows:
    """A table; where its words do not fit side by side, each cell has a line of its own."""

    def __init__(
        self,
        headings: Sequence[Text],
        rows: Sequence[Sequence[Text]],
        justify: Sequence[JustifyMethod] = (),
    ) -> None:
        self._headings = headings
        self._rows = rows
        left: JustifyMethod = "left"
        self._justify = justify or [left] * len(headings)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for heading, justify in zip(self._headings, self._justify, strict=True):
            table.add_column(Wrapped(heading), justify=justify)
        for row in self._rows:
            table.add_row(*map(Wrapped, row))
        wanted = Measurement.get(console, options.update(width=_ENDLESS), table)
        if wanted.minimum <= options.max_width:
            yield table
            return
        for place, row in enumerate(self._rows):
            if place:
                yield ""
            for heading, cell in zip(self._headings, row, strict=True):
                if cell.plain:
                    name = Text.assemble(heading, ": ", style="bold")
                    yield Wrapped(Text.assemble(name, cell))


def line_breaks(text: str, columns: int) -> list[int]:
    """Return where the lines of ``text`` end that take at most ``columns``.

    Only what is longer than a whole line is cut inside.
    """
    ends: list[int] = []
    used = 0
    for unit in _UNIT.finditer(text):
        wanted = cell_len(unit[0].rstrip())
        if used and used + wanted > columns:
            ends.append(unit.start())
            used = 0
        if wanted > columns:
            *cuts, used = _cuts(unit[0], columns)
            ends += [unit.start() + cut for cut in cuts]
        else:
            used += cell_len(unit[0])
    return ends


def _cuts(unit: str, columns: int) -> Iterator[int]:
    """Yield where ``unit`` is cut into lines, then the columns of what is left."""
    used = 0
    for place, char in enumerate(unit):
        wide = cell_len(char)
        if used and used + wide > columns:
            yield place
            used = 0
        used += wide
    yield used
