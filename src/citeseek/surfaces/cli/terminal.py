"""Results, answers and tables for people at a terminal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from rich.console import Console
from rich.style import Style
from rich.text import Text

from citeseek.surfaces.cli.text_layout import Hanging, Wrapped
from citeseek.text import plain_line, without_controls

if TYPE_CHECKING:
    from citeseek.citations import Source
    from citeseek.i18n import Catalogue

FALLBACK_WIDTH = 80
PIPE_WIDTH = 200
PROMPT = "citeseek> "


class Output(Console):
    """Standard output, or standard error, without colours in what is not coloured by us."""

    def __init__(
        self, *, soft_wrap: bool = False, width: int | None = None, stderr: bool = False
    ) -> None:
        super().__init__(highlight=False, soft_wrap=soft_wrap, width=width, stderr=stderr)

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
        err = Output(soft_wrap=True, stderr=True)
        # One that cannot be written is lost, as every note is.
        with suppress(OSError):
            for line in sentence.splitlines():
                _print(err, Text(plain_line(line), style=style))


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


def _print(out: Console, text: Text, before: str = "") -> None:
    """Print ``text`` behind ``before``: at a terminal in lines, in a pipe as one."""
    if out.is_terminal:
        out.print(Hanging(before, Wrapped(text)))
    else:
        out.print(Text.assemble(before, text))
