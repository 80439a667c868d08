"""An answer at a terminal while it is made, and its plain text for a pipe."""

from __future__ import annotations

import re
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
from citeseek.citations import Source, link_target, unlinked
from citeseek.surfaces import terminal
from citeseek.text import how_many

_LINK = re.compile(r"\[\[(\d+)\]\]\(([^\s()]*(?:\([^\s()]*\)[^\s()]*)*|<[^>]*>)\)")


class Live:
    """Shows events as they come: the answer on standard output, the way to it on standard error.

    At a terminal text appears piece by piece and each [n] is a link; a pipe gets the whole answer
    at its end.
    """

    def __init__(self) -> None:
        self._is_terminal = sys.stdout is not None and sys.stdout.isatty()
        self._sources: dict[int, Source] = {}
        self._said: list[str] = []

    def show(self, event: Event) -> None:
        """Show one event."""
        match event:
            case Notice():
                terminal.note(f"{event.text} {event.hint}".rstrip(), style="yellow")
            case Token(part="answer"):
                self._write(event.text)
            case Aside():
                self._write("\n\n")
            case Done() if event.outcome != "command":
                self._end(event)
            case _:
                self._show_way(event)

    def _show_way(self, event: Event) -> None:
        """Show a search or a page that was read on the way to the answer."""
        match event:
            case SearchStarted():
                terminal.note(f"🔍 {event.query}", style="dim")
            case SearchDone():
                self._sources |= {source.number: source for source in event.sources}
                origin = "cache" if event.cached else f"{event.took_ms} ms"
                found = f"{how_many(len(event.sources), 'result')} from {event.provider}, {origin}"
                terminal.note(found, style="dim")
            case SearchBroken():
                told = f"搜索失败 (search failed): {event.failure.message}"
                terminal.note(told, style="yellow")
            case ReadStarted():
                terminal.note(f"📄 {event.url}", style="dim")
            case ReadDone():
                self._sources[event.source.number] = event.source
                origin = "cache" if event.cached else f"{event.took_ms} ms"
                terminal.note(
                    f"[{event.source.number}] {event.source.title}, {origin}", style="dim"
                )
            case ReadBroken():
                told = f"读取失败 (the page could not be read): {event.failure.message}"
                terminal.note(told, style="yellow")

    def break_off(self) -> None:
        """Show what was said until the reader had enough, if it was not shown yet."""
        if not self._is_terminal and self._said:
            said = _numbered("".join(self._said), self._sources.values())
            terminal.console().print(Text(said))

    def _write(self, text: str) -> None:
        self._said.append(text)
        if self._is_terminal:
            sys.stdout.write(self._linked(text))
            sys.stdout.flush()

    def _end(self, done: Done) -> None:
        if self._is_terminal:
            self._write("\n")
        elif body := plain(done):
            terminal.console().print(Text(body))
        cited = [source for source in done.sources if source.number in done.cited]
        terminal.print_sources("参考文献 References", cited)
        others = [source for source in done.sources if source not in cited]
        terminal.print_sources("其他来源 Other sources", others)

    def _linked(self, text: str) -> str:
        """Return ``text`` with the links that are ours as links of the terminal."""

        def link(match: re.Match[str]) -> str:
            source = self._sources.get(int(match[1]))
            if source is None or link_target(source.url) != match[2]:
                return match[0]
            return f"\x1b]8;;{source.url}\x1b\\[{match[1]}]\x1b]8;;\x1b\\"

        return _LINK.sub(link, harmless(text))


def plain(done: Done) -> str:
    """Return the answer with ``[n]`` instead of links, without its references."""
    return _numbered(done.answer, done.sources)


def harmless(text: str) -> str:
    """Return ``text`` without what speaks to a terminal: a model or a page may have written it."""
    if text.isprintable():
        return text
    return "".join(sign for sign in text if sign in "\n\t\u200d" or sign.isprintable())


def _numbered(answer: str, sources: Iterable[Source]) -> str:
    return harmless(unlinked(answer, sources, mark="[{}]").strip())
