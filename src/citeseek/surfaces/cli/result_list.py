"""The results of a search as people read them, at a terminal and in a pipe.

They are drawn here and not by the library for terminals, which takes a third of the time in which
this command has its first result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, repeat
from typing import TextIO

from msgspec import Struct

from citeseek.i18n import Catalogue
from citeseek.models import SearchResponse
from citeseek.surfaces.cli.written_dates import write_day
from citeseek.text import plain_line, without_controls
from citeseek.tools.search_formats import details_of

USUAL_COLUMNS = 80
_NO_ESCAPES = ("dumb", "unknown")
# Select Graphic Rendition of ECMA-48, and what ends it.
_BOLD, _DIM, _YELLOW, _CYAN, _PLAIN = (f"\x1b[{code}m" for code in (1, 2, 33, 36, 0))
_COLOURS = frozenset({_YELLOW, _CYAN})


class ResultLine(Struct, frozen=True):
    """``text`` behind ``before``, drawn in ``style``; it may lead to ``link``."""

    text: str
    before: str = ""
    style: str = ""
    link: str = ""


def print_results(response: SearchResponse, say: Catalogue) -> None:
    """Print the results, one block each; where they are from and who failed are notes."""
    _print(result_lines(response, say), sys.stdout)
    if sys.stderr is not None:
        _print(_note_lines(response, say), sys.stderr)


def result_lines(response: SearchResponse, say: Catalogue) -> Iterator[ResultLine]:
    """Yield what is printed of the results: title, address and what is known of each."""
    if not response.items:
        yield ResultLine(say("tool.nothing_found"))
    details = details_of(response, say, dated=False)
    for item, known in zip(response.items, details, strict=True):
        marker = f"{item.rank}. "
        indent = " " * len(marker)
        yield ResultLine(item.title or item.domain, marker, _BOLD)
        yield ResultLine(item.url, indent, _CYAN, link=item.url)
        published = write_day(item.published_at or "", say)
        about = " · ".join(filter(None, (published, known, item.snippet)))
        if about:
            yield ResultLine(about, indent)


def found_line(count: int, provider: str, took_ms: int | None, say: Catalogue) -> str:
    """Return in one line how many results came, from whom, and how soon; None: from the cache."""
    key = "cli.found_one" if count == 1 else "cli.found"
    took = say("cli.from_cache") if took_ms is None else say("cli.took", ms=took_ms)
    return plain_line(say(key, count=count, provider=provider, took=took))


def _note_lines(response: SearchResponse, say: Catalogue) -> Iterator[ResultLine]:
    """Yield where the results are from, then each engine that failed."""
    took = None if response.cached else response.took_ms
    yield ResultLine(found_line(response.count, response.provider, took, say), style=_DIM)
    for failure in response.errors:
        reason, _ = say.explain(failure)
        said = say("cli.engine_failed", engine=failure.engine, reason=reason)
        yield ResultLine(plain_line(said), style=_YELLOW)


def _print(lines: Iterator[ResultLine], stream: TextIO) -> None:
    """Print ``lines``: at a terminal as wide as it is, in a pipe each as one."""
    if _is_terminal(stream):
        columns, is_coloured = _columns(stream), not os.environ.get("NO_COLOR")
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


def _is_terminal(stream: TextIO) -> bool:
    """Whether ``stream`` is a terminal, or is to be taken for one as other programs do."""
    if (compatible := os.environ.get("TTY_COMPATIBLE", "")) in {"0", "1"}:
        return compatible == "1"
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _columns(stream: TextIO) -> int:
    """Return how wide the terminal is; ``COLUMNS`` goes before what it says."""
    with suppress(ValueError):
        if (given := int(os.environ.get("COLUMNS", ""))) > 0:
            return given
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS
    return USUAL_COLUMNS


def _fitted(line: ResultLine, columns: int) -> Iterator[ResultLine]:
    """Yield the parts of ``line`` that fit into ``columns``; they begin below one another."""
    from citeseek.surfaces.cli.line_breaks import (  # noqa: PLC0415 - not for a pipe
        LEAST_COLUMNS,
        break_lines,
    )

    room = columns - len(line.before)
    text, before = line.text, line.before
    if room < min(LEAST_COLUMNS, columns // 2):
        room, text, before = columns, before + text, ""
    starts = chain([before], repeat(" " * len(before)))
    for part, start in zip(break_lines(without_controls(text), room), starts, strict=False):
        yield ResultLine(part, start, line.style, line.link)


def _drawn(line: ResultLine, *, is_coloured: bool) -> str:
    """Return ``line`` with what a terminal understands; links are those of OSC 8."""
    style = line.style if is_coloured or line.style not in _COLOURS else ""
    text = f"{style}{line.text}{_PLAIN}" if style else line.text
    if line.link:
        text = f"\x1b]8;;{without_controls(line.link)}\x1b\\{text}\x1b]8;;\x1b\\"
    return line.before + text
