"""Results, answers and tables for people at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from citeseek.formats import NOTHING_FOUND
from citeseek.models import SearchResponse
from citeseek.settings.sources import DEFAULT
from citeseek.text import how_many, plain_line

if TYPE_CHECKING:
    from citeseek.citations import Source
    from citeseek.health import EngineCheck

FALLBACK_WIDTH = 80
PIPE_WIDTH = 200
PROMPT = "citeseek> "
GREETING = "Ask a question; an empty line or Ctrl-D ends. 输入问题，空行结束。"


class Output(Console):
    """Standard output, without colours in what is not coloured by us."""

    def __init__(self, *, soft_wrap: bool = False, width: int | None = None) -> None:
        super().__init__(highlight=False, soft_wrap=soft_wrap, width=width)

    def on_broken_pipe(self) -> None:
        """Leave it to the command line what a reader that has gone means."""
        raise BrokenPipeError


def console() -> Output:
    """Return an output that never cuts an address when it is piped."""
    out = Output(soft_wrap=True)
    # COLUMNS=0 in the environment would hide everything.
    return out if out.width else Output(soft_wrap=True, width=FALLBACK_WIDTH)


def print_results(response: SearchResponse) -> None:
    """Print the results, one block each; where they are from and who failed are notes."""
    out = console()
    if not response.items:
        out.print(NOTHING_FOUND)
    for item in response.items:
        out.print(Text(f"{item.rank}. {item.title or item.domain}", style="bold"))
        out.print(Text(f"   {item.url}", style="cyan"))
        about = " · ".join(filter(None, (item.published_at, item.snippet)))
        if about:
            out.print(Text(f"   {about}"))
    source = "cache" if response.cached else f"{response.took_ms} ms"
    note(f"{how_many(response.count, 'result')} from {response.provider}, {source}", style="dim")
    for failure in response.errors:
        note(f"{failure.engine} failed: {failure.message}", style="yellow")


def print_sources(heading: str, sources: Sequence[Source]) -> None:
    """Print numbered sources under a heading; nothing when there are none."""
    if not sources:
        return
    out = console()
    out.print(Text(f"\n{heading}", style="bold"))
    for source in sources:
        out.print(Text(f"{source.number}. {source.title or source.domain} - {source.domain}"))
        out.print(Text(f"   {source.url}", style="cyan"))


def note(sentence: str, style: str = "") -> None:
    """Write a line for the person at the terminal on standard error, if there is any."""
    if sys.stderr is not None:
        err = Console(stderr=True, highlight=False, soft_wrap=True)
        for line in sentence.splitlines():
            err.print(Text(plain_line(line), style=style))


def print_engines(rows: list[dict[str, Any]]) -> None:
    """Print the engines, what they can do, and whether their key is set."""
    _table(
        "engine also kind index filters key".split(),
        [
            (
                row["id"],
                _cell(row.get("aliases")),
                row["kind"],
                _cell(row.get("index")),
                _cell(row.get("supports")),
                _cell(row.get("key")),
            )
            for row in rows
        ],
    )


def print_findings(findings: Sequence[EngineCheck]) -> None:
    """Print what came of each engine's canary query."""
    _table(
        "engine state results time about kept".split(),
        [
            (
                finding.engine,
                finding.state,
                str(finding.results or ""),
                f"{finding.took_ms} ms" if finding.took_ms else "",
                " ".join(filter(None, (finding.detail, finding.hint))),
                finding.evidence,
            )
            for finding in findings
        ],
    )


def print_settings(report: dict[str, list[dict[str, Any]]]) -> None:
    """Print the faces, the settings that differ from their default, and the engines' routes."""
    _table(
        "face engine results deadline cache".split(),
        [
            (
                row["face"],
                f"{row['engine']} ({row['engine_origin']})",
                f"{row['count']} of {row['count_range']} ({row['count_origin']})",
                f"{row['deadline_s']:g} s ({row['deadline_origin']})",
                f"{row['cache']}, {row['ttl_minutes']:g} min"
                if row["ttl_minutes"]
                else row["cache"],
            )
            for row in report["faces"]
        ],
    )
    _table(
        "engine address key client limit".split(),
        [
            (
                row["engine"],
                f"{row['base_url']} ({row['base_url_origin']})" if row["base_url"] else "",
                f"{row['key']} ({row['key_origin']})",
                row["transport"],
                f"{row['timeout_s']:g} s" if row["timeout_s"] else "",
            )
            for row in report["engines"]
        ],
    )
    made = [row for row in report["settings"] if row["origin"] != DEFAULT]
    if made:
        _table(
            "setting value origin".split(),
            [(row["setting"], _cell(row["value"]), row["origin"]) for row in made],
        )


def is_watched() -> bool:
    """Whether a person types and reads."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None


def greet() -> None:
    """Say to a person how questions are asked."""
    if is_watched():
        sys.stderr.write(f"{GREETING}\n")


def prompt() -> None:
    """Show a person that a question is waited for."""
    if is_watched():
        sys.stderr.write(PROMPT)
        sys.stderr.flush()


def read_question() -> str | None:
    """Return the next question that a person types, or line of a pipe; None at the end."""
    if sys.stdin is None:
        return None
    while line := sys.stdin.readline():
        if line.strip() or is_watched():
            return line.strip() or None
    return None


def _table(headings: list[str], rows: list[tuple[str, ...]]) -> None:
    table = Table(*headings, box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*map(escape, row))
    # A pipe has no width; a wide one keeps each row on one line for the next program.
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    Output(width=None if is_terminal else PIPE_WIDTH).print(table)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
