"""Lines in a few styles, drawn for a terminal or a pipe.

Results and tables are drawn here and not by the library for terminals, which takes a third of the
time in which ``citeseek search`` has its first result.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from typing import TextIO

from msgspec import Struct

from citeseek.surfaces.cli.line_breaks import LEAST_COLUMNS, break_lines, cell_len, columns_of
from citeseek.text import without_controls

# Select Graphic Rendition of ECMA-48, and what ends it.
BOLD, DIM, _PLAIN = (f"\x1b[{code}m" for code in (1, 2, 0))
RED, GREEN, YELLOW, CYAN = _COLOURS = tuple(f"\x1b[{code}m" for code in ("1;31", 32, 33, 36))
_NO_ESCAPES = ("dumb", "unknown")


class DrawnLine(Struct, frozen=True):
    """``text`` behind ``before``, each drawn in its style; the text may lead to ``link``.

    One that ``is_copied``, as a command is, stays one line: only the terminal itself breaks it.
    """

    text: str
    before: str = ""
    style: str = ""
    link: str = ""
    before_style: str = ""
    is_copied: bool = False


def print_lines(lines: Iterable[DrawnLine], stream: TextIO) -> None:
    """Print ``lines``: at a terminal as wide as it is, in a pipe each as one."""
    if is_terminal(stream):
        columns, is_coloured = columns_of(stream), not os.environ.get("NO_COLOR")
        understands = os.environ.get("TERM", "").lower() not in _NO_ESCAPES and os.name != "nt"
        for line in lines:
            for part in _fitted(line, columns):
                shown = (
                    _drawn(part, is_coloured=is_coloured)
                    if understands
                    else part.before + part.text
                )
                print(shown, file=stream)
    else:
        for line in lines:
            print(line.before + line.text, file=stream)


def is_terminal(stream: TextIO) -> bool:
    """Whether ``stream`` is a terminal, or is to be taken for one as other programs do."""
    if (compatible := os.environ.get("TTY_COMPATIBLE", "")) in {"0", "1"}:
        return compatible == "1"
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _fitted(line: DrawnLine, columns: int) -> Iterator[DrawnLine]:
    """Yield the parts of ``line`` that fit into ``columns``; they begin below one another."""
    if line.is_copied:
        yield line
        return
    indent = cell_len(line.before)
    room = columns - indent
    text, before = line.text, line.before
    if room < min(LEAST_COLUMNS, columns // 2):
        room, text, before = columns, before + text, ""
    starts = chain([before], repeat(" " * indent if before else ""))
    for part, start in zip(break_lines(without_controls(text), room), starts, strict=False):
        yield DrawnLine(part, start, line.style, line.link, line.before_style)


def _drawn(line: DrawnLine, *, is_coloured: bool) -> str:
    """Return ``line`` with what a terminal understands; links are those of OSC 8."""
    style = line.style if is_coloured or line.style not in _COLOURS else ""
    text = _styled(line.text, style)
    if line.link:
        text = f"\x1b]8;;{without_controls(line.link)}\x1b\\{text}\x1b]8;;\x1b\\"
    return _styled(line.before, line.before_style) + text


def _styled(text: str, style: str) -> str:
    return f"{style}{text}{_PLAIN}" if style else text
