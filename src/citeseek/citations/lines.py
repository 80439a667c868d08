"""The block structure of Markdown as values: what stands open, and how a line is read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from citeseek.citations.code_spans import Fence

_EOL = re.compile(r"\r\n?|\n")


class Mode(Enum):
    """How the rest of a line is read."""

    VERBATIM = auto()  # code, raw HTML, rules, blank lines: nothing in it is a mark
    PARAGRAPH = auto()  # text that may go on in the next line
    CONTINUATION = auto()  # a further line of the open paragraph
    HEADING = auto()  # text that ends with the line
    ROW = auto()  # cells of a table


@dataclass(frozen=True, slots=True)
class OpenQuote:
    """An open block quote."""


@dataclass(frozen=True, slots=True)
class ListItem:
    """An open list item: its content is indented by ``width`` columns."""

    width: int
    empty: bool


@dataclass(frozen=True, slots=True)
class RawHtml:
    """An open HTML block, closed by a line that holds ``end``, or by a blank one."""

    end: re.Pattern[str] | None


class Text(Enum):
    """An open block of text."""

    PARAGRAPH = auto()
    TABLE = auto()


Container: TypeAlias = OpenQuote | ListItem
Leaf: TypeAlias = Fence | RawHtml | Text | None


@dataclass(frozen=True, slots=True)
class Context:
    """What stands open between two lines.

    ``math`` is the line that closes the display math that the open paragraph is in: it keeps
    ``+ b`` or ``> 0`` from being taken for lists and quotes.
    """

    containers: tuple[Container, ...] = ()
    leaf: Leaf = None
    math: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that has been placed: its content begins at ``content``."""

    mode: Mode
    content: int
    after: Context


def line_bounds(text: str, start: int, *, final: bool) -> tuple[int, int | None]:
    """Return where the line at ``start`` stops and where the next begins, None if it goes on."""
    eol = _EOL.search(text, start)
    if not eol:
        return len(text), len(text) if final else None
    if eol[0] == "\r" and eol.end() == len(text) and not final:
        return eol.start(), None
    return eol.span()
