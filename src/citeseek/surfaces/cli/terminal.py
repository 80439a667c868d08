"""Results, answers and tables for people at a terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.style import Style
from rich.text import Text

from citeseek.settings.sources import DEFAULT
from citeseek.surfaces.cli.text_layout import Hanging, Rows, Wrapped
from citeseek.surfaces.cli.written_dates import write_day
from citeseek.text import plain_line, without_controls

if TYPE_CHECKING:
    from citeseek.citations import Source
    from citeseek.conversations.oauth_grants import Grant
    from citeseek.conversations.usage import PersonUse
    from citeseek.health.engine_checks import EngineCheck
    from citeseek.i18n import Catalogue

FALLBACK_WIDTH = 80
PIPE_WIDTH = 200
PROMPT = "citeseek> "


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


def print_sources(
    heading: str, sources: Sequence[Source], notes: Mapping[int, str], say: Catalogue
) -> None:
    """Print numbered sources under a heading; nothing when there are none.

    ``notes`` are what is said of some, by their numbers.
    """
    if not sources:
        return
    out = console()
    out.print(Text(f"\n{heading}", style="bold"))
    for source in sources:
        title = Text(f"{source.title or source.domain} - {source.domain}")
        title.append("".join(f", {page.write(say)}" for page in source.pages))
        if note := notes.get(source.number):
            title.append(f" ({note})", style="dim")
        marker = f"{source.number}. "
        _print(out, title, marker)
        address = Style(color="cyan", link=without_controls(source.url))
        _print(out, Text(source.url, style=address), " " * len(marker))


def note(sentence: str, style: str = "") -> None:
    """Write a line for the person at the terminal on standard error, if there is any."""
    if sys.stderr is not None:
        err = Console(stderr=True, highlight=False, soft_wrap=True)
        for line in sentence.splitlines():
            _print(err, Text(plain_line(line), style=style))


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
            [(row["setting"], _cell(row["value"]), row["origin"]) for row in made],
        )


def print_lines(text: str) -> None:
    """Print plain text: laid out at a terminal, as it is in a pipe.

    A line that is too long goes on below its own beginning.
    """
    out = console()
    if not out.is_terminal:
        sys.stdout.write(f"{text}\n")
        return
    for line in without_controls(text).splitlines():
        words = line.lstrip(" ")
        _print(out, Text(words), " " * (len(line) - len(words)))


def is_watched() -> bool:
    """Whether a person types and reads."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None


def greet(say: Catalogue) -> None:
    """Say to a person how questions are asked."""
    if is_watched():
        sys.stderr.write(f"{say('cli.greeting')}\n")


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


async def next_question() -> str | None:
    """Return the next question, None at the end of what is typed; other work goes on meanwhile."""
    prompt()
    if is_watched():
        await _wait_for_line()
    return await asyncio.to_thread(read_question)


async def _wait_for_line() -> None:
    """Wait until a line was typed: a thread that reads would outlive Ctrl-C."""
    loop, there = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(sys.stdin, there.set)
    except NotImplementedError:  # Windows
        return
    try:
        await there.wait()
    finally:
        loop.remove_reader(sys.stdin)


def _table(headings: list[str], rows: list[tuple[str, ...]]) -> None:
    # A pipe has no width; a wide one keeps each row on one line for the next program.
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    out = Output(width=None if is_terminal else PIPE_WIDTH)
    out.print(Rows([Text(name) for name in headings], [[*map(Text, row)] for row in rows]))
    out.print()


def _print(out: Console, text: Text, before: str = "") -> None:
    """Print ``text`` behind ``before``: at a terminal in lines, in a pipe as one."""
    if out.is_terminal:
        out.print(Hanging(before, Wrapped(text)))
    else:
        out.print(Text.assemble(before, text))


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
