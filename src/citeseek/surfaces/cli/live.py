"""An answer at a terminal while it is made, and its plain text for a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.text import Text

from citeseek.assistant.events import (
    Aside,
    Done,
    Event,
    Notice,
    ReadBroken,
    ReadDone,
    ReadStarted,
    SearchBroken,
    SearchDone,
    SearchStarted,
    Token,
)
from citeseek.catalogue import BOTH, Catalogue, catalogue
from citeseek.citations import Source, Span, linked_numbers, redrawn
from citeseek.surfaces.cli import terminal
from citeseek.surfaces.cli.growing import GrowingMarkdown
from citeseek.surfaces.cli.markdown import Markdown
from citeseek.surfaces.markdown.citation import signed
from citeseek.text import how_many


class Live:
    """Shows events as they come: the answer on standard output, the way to it on standard error.

    At a terminal text appears piece by piece, as Markdown in which each [n] is a link; a pipe gets
    the whole answer at its end, as it was written. What is said beside it is in the language of
    ``say``, else in Chinese and English.
    """

    def __init__(self, say: Catalogue | None = None) -> None:
        self._say = say or catalogue(BOTH)
        is_terminal = sys.stdout is not None and sys.stdout.isatty()
        self._screen = GrowingMarkdown() if is_terminal else None
        self._said: list[str] = []
        self._said_chars = 0
        self._spans: list[Span] = []
        self._before: list[str] = []  # what turned out to be no answer

    def show(self, event: Event) -> None:
        """Show one event."""
        match event:
            case Notice():
                self._make_room()
                terminal.note(
                    f"{event.sentence(self._say)} {event.advice(self._say)}".rstrip(),
                    style="yellow",
                )
            case Token(part="answer"):
                if self._screen:
                    spans = [span.moved(-self._said_chars) for span in event.spans]
                    self._screen.add(event.text, spans)
                self._said.append(event.text)
                self._said_chars += len(event.text)
                self._spans += event.spans
            case Aside():
                self._before.append(_numbered("".join(self._said), self._spans))
                self._said, self._said_chars, self._spans = [], 0, []
                if self._screen:
                    self._screen.end()
            case Done() if event.outcome != "command":
                self._end(event)
            case _:
                self._show_way(event)

    def _show_way(self, event: Event) -> None:
        """Show a search or a page that was read on the way to the answer."""
        self._make_room()
        match event:
            case SearchStarted():
                terminal.note(f"🔍 {event.query}", style="dim")
            case SearchDone():
                self._cite(*event.sources)
                origin = "cache" if event.cached else f"{event.took_ms} ms"
                found = f"{how_many(len(event.sources), 'result')} from {event.provider}, {origin}"
                terminal.note(found, style="dim")
            case SearchBroken():
                told = self._say("cli.search_failed", reason=event.failure.message)
                terminal.note(told, style="yellow")
            case ReadStarted():
                terminal.note(f"📄 {event.url}", style="dim")
            case ReadDone():
                self._cite(event.source)
                origin = "cache" if event.cached else f"{event.took_ms} ms"
                terminal.note(
                    f"[{event.source.number}] {event.source.title}, {origin}", style="dim"
                )
            case ReadBroken():
                told = self._say("cli.read_failed", reason=event.failure.message)
                terminal.note(told, style="yellow")

    def break_off(self) -> None:
        """Show what was said until the reader had enough, if it was not shown yet."""
        if self._screen:
            self._screen.end()
        elif self._before or self._said:
            said = [*self._before, _numbered("".join(self._said), self._spans)]
            terminal.console().print(Text("\n\n".join(said).strip()))

    def _cite(self, *sources: Source) -> None:
        if self._screen:
            self._screen.cite(sources)

    def _make_room(self) -> None:
        if self._screen:
            self._screen.erase()

    def _end(self, done: Done) -> None:
        if self._screen:
            self._screen.end()
        elif body := plain(done):
            terminal.console().print(Text(body))
        cited = [source for source in done.sources if source.number in done.cited]
        terminal.print_sources(self._say("cli.cited"), cited)
        others = [source for source in done.sources if source not in cited]
        terminal.print_sources(self._say("cli.others"), others)


def print_markdown(text: str, sources: Iterable[Source] = ()) -> None:
    """Print a document in Markdown: as it is read at a terminal, as it was written in a pipe."""
    if sys.stdout is not None and sys.stdout.isatty():
        cited = tuple(sources)
        terminal.Output().print(Markdown(signed(text, linked_numbers(text, cited)), cited))
    else:
        sys.stdout.write(terminal.harmless(text))


def plain(done: Done) -> str:
    """Return the answer with ``[n]`` instead of links, without its references."""
    return _numbered(done.answer, done.spans)


def _numbered(answer: str, spans: Iterable[Span]) -> str:
    return terminal.harmless(redrawn(answer, spans, "[{}]".format).strip())
