"""Markdown at a terminal while it is written."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

from rich.control import Control
from rich.segment import ControlType, Segment, Segments

from citeseek.citations import Source, Span
from citeseek.surfaces.cli.markdown import Markdown, settled
from citeseek.surfaces.cli.terminal import Output
from citeseek.surfaces.markdown.citation import signed

# Between two drawings; a long one is followed by a longer pause.
_PAUSE_SECONDS = 0.05
_TIMES_LONGER = 5


class GrowingMarkdown:
    """Shows Markdown piece by piece: blocks that are over once, the last one anew as it grows."""

    def __init__(self) -> None:
        self._out = Output()
        # What cannot go up a line gets each block when it is over.
        self._can_redraw = not (self._out.is_dumb_terminal or self._out.legacy_windows)
        self._sources: dict[int, Source] = {}
        self._text = ""
        self._drawn_rows = 0
        self._has_blocks = False
        self._not_before = 0.0
        self._due: asyncio.TimerHandle | None = None

    def cite(self, sources: Iterable[Source]) -> None:
        """Let citations of ``sources`` be links."""
        self._sources |= {source.number: source for source in sources}

    def add(self, text: str, spans: Iterable[Span] = ()) -> None:
        """Show ``text``, with citations at ``spans``, behind what is there, soon or at once."""
        self._text += signed(text, spans)
        if self._due is not None:
            return
        wait = self._not_before - time.monotonic()
        if wait <= 0:
            self._draw()
        else:
            self._due = asyncio.get_running_loop().call_later(wait, self._draw)

    def erase(self) -> None:
        """Take the unfinished block off the screen, so that something can stand above it."""
        self._out.print(self._erasure(), end="")

    def end(self) -> None:
        """Show the last block as finished; what is added then begins a new one."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        with self._out:
            self.erase()
            self._print(self._text)
        self._text = ""

    def _draw(self) -> None:
        self._due = None
        began = time.monotonic()
        end = settled(self._text)
        # Everything in one write: nothing flickers.
        with self._out:
            self.erase()
            self._print(self._text[:end])
            self._text = self._text[end:]
            if self._can_redraw:
                self._draw_unfinished()
        now = time.monotonic()
        self._not_before = now + max(_PAUSE_SECONDS, _TIMES_LONGER * (now - began))

    def _print(self, text: str) -> None:
        if text.strip():
            if self._has_blocks:
                self._out.print()
            self._has_blocks = True
            self._out.print(self._markdown(text))

    def _draw_unfinished(self) -> None:
        if not self._text.strip():
            return
        lines = self._out.render_lines(self._markdown(self._text), pad=False)
        if self._has_blocks:
            lines.insert(0, [])
        # What has left the screen cannot be drawn again.
        lines = lines[-max(self._out.height - 1, 1) :]
        self._drawn_rows = len(lines)
        for line in lines:
            self._out.print(Segments([*line, Segment.line()]), end="")

    def _markdown(self, text: str) -> Markdown:
        return Markdown(text, self._sources.values())

    def _erasure(self) -> Control:
        rows, self._drawn_rows = self._drawn_rows, 0
        up = ((ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2))
        return Control(ControlType.CARRIAGE_RETURN, *(up * rows)) if rows else Control()
