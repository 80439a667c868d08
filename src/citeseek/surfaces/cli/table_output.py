"""What the program knows, in tables: engines, settings, people and programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from citeseek.settings.setting import as_written
from citeseek.settings.sources import DEFAULT
from citeseek.surfaces.cli.drawn_lines import BOLD, DrawnLine, is_terminal, print_lines
from citeseek.surfaces.cli.line_breaks import UNIT, break_lines, cell_len, columns_of
from citeseek.surfaces.cli.written_dates import write_day
from citeseek.text import without_controls

if TYPE_CHECKING:
    from citeseek.conversations.oauth_grants import Grant
    from citeseek.conversations.usage import PersonUse
    from citeseek.health.engine_checks import EngineCheck
    from citeseek.i18n import Catalogue

# A pipe has no width; a wide one keeps each row on one line for the next program.
PIPE_WIDTH = 200
_GAP = 3


def print_engines(rows: list[dict[str, Any]], say: Catalogue) -> None:
    """Print the engines, what they can do, and whether their key is set."""
    _table(
        _heading(say, "engine also kind index filters categories key"),
        [
            (
                row["id"],
                _cell(row.get("aliases")),
                row["kind"],
                _cell(row.get("index")),
                _cell(row.get("supports")),
                _cell(row.get("categories")),
                _cell(row.get("key")),
            )
            for row in rows
        ],
    )


def print_people(used: Sequence[PersonUse], say: Catalogue) -> None:
    """Print how much each person used; without a name it is whoever runs the program."""
    from citeseek.conversations.usage import UseCounts  # noqa: PLC0415 - with the extra

    names = UseCounts.__struct_fields__
    rows = [
        (each.person or "-", *(f"{getattr(each.use, name):,}" for name in names)) for each in used
    ]
    _table(_heading(say, " ".join(("person", *names))), rows)


def print_programs(kept: Sequence[Grant], say: Catalogue) -> None:
    """Print which programs have access as whom; without a name it is whoever runs the program."""
    _table(
        _heading(say, "person program host since renewed id"),
        [
            (
                each.person or "-",
                each.name,
                each.host,
                *(_write_second(at, say) for at in (each.created_at, each.used_at)),
                each.id,
            )
            for each in kept
        ],
    )


def _write_second(at: float, say: Catalogue) -> str:
    return write_day(datetime.fromtimestamp(at, UTC).isoformat(), say)


def _heading(say: Catalogue, columns: str) -> list[str]:
    return [say(f"table.{name}") for name in columns.split()]


def print_findings(findings: Sequence[EngineCheck], say: Catalogue) -> None:
    """Print what came of each engine's canary query."""
    _table(
        _heading(say, "engine state results time about kept"),
        [
            (
                finding.engine,
                finding.state,
                str(finding.results or ""),
                f"{finding.took_ms} ms" if finding.took_ms else "",
                _about(finding, say),
                finding.evidence,
            )
            for finding in findings
        ],
    )


def _about(check: EngineCheck, say: Catalogue) -> str:
    """Return what its failure says; of a key that is missing, what can be done alone."""
    if check.failure is None:
        return ""
    message, hint = say.explain(check.failure)
    return hint if check.state == "no_key" else f"{message} {hint}".rstrip()


def print_settings(report: dict[str, list[dict[str, Any]]], say: Catalogue) -> None:
    """Print the faces, the settings that differ from their default, and the engines' routes."""

    def told(code: str) -> str:
        """Return one of the words that stand for a value; what is none of them as it is."""
        key = f"table.value.{code.replace(' ', '_')}"
        return say(key) if key in say else code

    _table(
        _heading(say, "face engine results deadline cache"),
        [
            (
                row["face"],
                f"{row['engine']} ({told(row['engine_origin'])})",
                say(
                    "table.count",
                    count=row["count"],
                    low=row["count_low"],
                    high=row["count_high"],
                    origin=told(row["count_origin"]),
                ),
                f"{row['deadline_s']:g} s ({told(row['deadline_origin'])})",
                f"{told(row['cache'])}, {row['ttl_minutes']:g} min"
                if row["ttl_minutes"]
                else told(row["cache"]),
            )
            for row in report["faces"]
        ],
    )
    _table(
        _heading(say, "engine address key client limit rate"),
        [
            (
                row["engine"],
                f"{row['base_url']} ({told(row['base_url_origin'])})" if row["base_url"] else "",
                f"{told(row['key'])} ({told(row['key_origin'])})",
                row["transport"],
                f"{row['timeout_s']:g} s" if row["timeout_s"] else "",
                f"{row['rate_per_minute']}/min" if row["rate_per_minute"] else "",
            )
            for row in report["engines"]
        ],
    )
    made = [row for row in report["settings"] if row["origin"] != DEFAULT]
    if made:
        _table(
            _heading(say, "setting value origin"),
            [(row["setting"], as_written(row["value"]), row["origin"]) for row in made],
        )


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if sys.stdout is None:
        return
    columns = columns_of(sys.stdout) if is_terminal(sys.stdout) else PIPE_WIDTH
    cells = [[without_controls(cell) for cell in row] for row in rows]
    print_lines((*table_lines(headings, cells, columns), DrawnLine("")), sys.stdout)


def table_lines(
    headings: Sequence[str], rows: Sequence[Sequence[str]], columns: int
) -> Iterator[DrawnLine]:
    """Yield a table; where its words do not fit side by side, each cell has a line of its own."""
    widths = _widths(headings, rows, columns - _GAP * (len(headings) - 1))
    if not widths:
        for place, row in enumerate(rows):
            if place:
                yield DrawnLine("")
            for heading, cell in zip(headings, row, strict=True):
                if cell:
                    yield DrawnLine(cell, f"{heading}: ", before_style=BOLD)
        return
    for text in _side_by_side(headings, widths):
        yield DrawnLine(text, style=BOLD)
    yield DrawnLine("─" * (sum(widths) + _GAP * (len(widths) - 1)))
    for row in rows:
        yield from map(DrawnLine, _side_by_side(row, widths))


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return the columns of each column, None where its longest words do not fit."""
    texts = [*zip(headings, *rows, strict=True)]
    widths = [max(map(cell_len, column)) for column in texts]
    least = [max(map(_longest_word, column)) for column in texts]
    if sum(least) > room:
        return None
    widths = [min(width, room) for width in widths]
    while sum(widths) > room:
        giving = [place for place, width in enumerate(widths) if width > least[place]]
        widths[max(giving, key=widths.__getitem__)] -= 1
    return widths


def _longest_word(text: str) -> int:
    return max((cell_len(word.rstrip()) for word in re.findall(UNIT, text)), default=0)


def _side_by_side(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    parts = [break_lines(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for line in zip_longest(*parts, fillvalue=""):
        padded = (
            text + " " * (width - cell_len(text)) for text, width in zip(line, widths, strict=True)
        )
        yield (" " * _GAP).join(padded).rstrip()
