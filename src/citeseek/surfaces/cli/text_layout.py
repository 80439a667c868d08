"""Text in lines that end between words, and blocks that are indented as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from citeseek.surfaces.cli.line_breaks import LEAST_COLUMNS, UNIT, line_breaks

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
        units = [cell_len(unit.rstrip()) for line in lines for unit in re.findall(UNIT, line)]
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
        if room < min(LEAST_COLUMNS, console.width // 2):
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
