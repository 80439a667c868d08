"""An answer at a terminal while it is made, and its plain text for a pipe."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable

from rich.control import Control
from rich.segment import ControlType, Segment, Segments
from rich.text import Text

from citeseek.assistant.answer_as_json import plain
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
    SentenceJudged,
    Token,
)
from citeseek.citations import Source, Span, linked_numbers, redrawn
from citeseek.i18n import Catalogue
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.surfaces.cli import terminal
from citeseek.surfaces.cli.markdown import Markdown, find_settled_end
from citeseek.surfaces.cli.result_list import found_line
from citeseek.surfaces.cli.terminal import Output
from citeseek.surfaces.markdown_dialect import replace_links
from citeseek.surfaces.verdict_text import judged_lines
from citeseek.text import without_controls

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
        self._text += replace_links(text, spans)
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
        end = find_settled_end(self._text)
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


class Live:
    """Shows events as they come: the answer on standard output, the way to it on standard error.

    At a terminal text appears piece by piece, as Markdown in which each [n] is a link; a pipe gets
    the whole answer at its end, as it was written. What is said beside it is in the language of
    ``say``, else of the locale.
    """

    def __init__(self, say: Catalogue | None = None) -> None:
        self._say = say or locale_catalogue()
        is_terminal = sys.stdout is not None and sys.stdout.isatty()
        self._screen = GrowingMarkdown() if is_terminal else None
        self._said: list[str] = []
        self._said_chars = 0
        self._spans: list[Span] = []
        self._opened = False
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
                    spans = [span.move(-self._said_chars) for span in event.spans]
                    self._screen.add(event.text, spans)
                self._said.append(event.text)
                self._said_chars += len(event.text)
                self._spans += event.spans
            case Aside():
                self._before.append(_number_links("".join(self._said), self._spans))
                self._said, self._said_chars, self._spans = [], 0, []
                if self._screen:
                    self._screen.end()
            case SentenceJudged(sentence=sentence):
                self._make_room()
                for line in judged_lines(sentence, self._say):
                    terminal.note(line, style="yellow" if sentence.contradictions else "dim")
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
                took = None if event.cached else event.took_ms
                found = found_line(len(event.sources), event.provider, took, self._say)
                terminal.note(found, style="dim")
            case SearchBroken():
                message = self._say("cli.search_failed", reason=self._say.explain(event.failure)[0])
                terminal.note(message, style="yellow")
            case ReadStarted():
                self._opened = True
                terminal.note(f"📄 {event.url}", style="dim")
            case ReadDone():
                self._cite(event.source)
                origin = (
                    self._say("cli.from_cache")
                    if event.cached
                    else self._say("cli.took", ms=event.took_ms)
                )
                terminal.note(
                    f"[{event.source.number}] {event.source.title}, {origin}", style="dim"
                )
            case ReadBroken():
                message = self._say("cli.read_failed", reason=self._say.explain(event.failure)[0])
                terminal.note(message, style="yellow")

    def break_off(self) -> None:
        """Show what was said until the reader had enough, if it was not shown yet."""
        if self._screen:
            self._screen.end()
        elif self._before or self._said:
            said = [*self._before, _number_links("".join(self._said), self._spans)]
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
        notes = self._standings(done.sources) if self._opened else {}
        cited = [source for source in done.sources if source.number in done.cited]
        terminal.print_sources(self._say("cli.cited"), cited, notes, self._say)
        others = [source for source in done.sources if source not in cited]
        terminal.print_sources(self._say("cli.others"), others, notes, self._say)

    def _standings(self, sources: Iterable[Source]) -> dict[int, str]:
        """Return of each source whether it was read or only found."""
        return {
            source.number: self._say("source.read" if source.was_read else "source.found")
            for source in sources
        }


def print_markdown(text: str, sources: Iterable[Source] = ()) -> None:
    """Print a document in Markdown: as it is read at a terminal, as it was written in a pipe."""
    if sys.stdout is not None and sys.stdout.isatty():
        cited = tuple(sources)
        terminal.Output().print(Markdown(replace_links(text, linked_numbers(text, cited)), cited))
    else:
        sys.stdout.write(without_controls(text))


def _number_links(answer: str, spans: Iterable[Span]) -> str:
    return without_controls(redrawn(answer, spans, "[{}]".format).strip())
