"""An answer that grows, as HTML that grows with it."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

import msgspec

from citeseek.citations import Source, Span
from citeseek.surfaces.markdown_dialect import SIGN, replace_links
from citeseek.surfaces.page.markdown.allowed import sanitize
from citeseek.surfaces.page.markdown.definitions import Definitions
from citeseek.surfaces.page.markdown.links import addresses, notes
from citeseek.surfaces.page.markdown.reader import (
    PLAIN,
    Labels,
    Manner,
    block,
    block_ends,
    plain_lines,
    read,
)
from citeseek.surfaces.page.markdown.unfinished import hide_unfinished
from citeseek.surfaces.page.views import TurnView

# The end of the answer is read again when it has grown by one of so many parts, so that a long
# list or table does not cost its length with every word.
_PARTS = 64
_LONG = 16_384
_PARTS_OF_LONG = 8
# A definition can change any block before it. Until the answer is over, reading blocks again may
# cost so many times the answer's length; what is beyond waits.
_MOST_AGAIN = 4
# Until the answer is over, reading its end may take so many seconds, and so many a character more:
# no text that was made to be slow keeps the others waiting.
_SECONDS = 0.2
_SECONDS_A_CHAR = 10e-6
# One look may take so many seconds, as far as the looks before it tell: a list or a table that
# needs more is shown as plain text until the answer is over.
_LOOK_SECONDS = 0.1
# An answer that is over is read in pieces that take so long, and its end in none that are shorter.
_PIECE_SECONDS = 0.02
_LEAST_CHARS = 2_000
# How long reading takes before there were looks to measure.
_FIRST_CHARS = 2_000
# What is in the tail is taken apart, and then read.
_READS_OF_A_LOOK = 2
# Plain text that was shown is sent again only from the last of its parts on.
_PLAIN_CHARS = 4_096


@dataclass(slots=True)
class _Settled:
    """A top-level block that no later text takes apart, with the definitions before it."""

    source: str
    blocks: list[str] = field(default_factory=list)

    @property
    def may_cite(self) -> bool:
        return SIGN in self.source


class LiveMarkdown:
    """Renders an answer while it arrives, in time that is proportional to its length.

    Once it is closed, :meth:`blocks` gives what :func:`markdown.blocks_of` gives for the whole,
    however it was cut. Until then the end may be held back for a few characters, so that little is
    shown as what it will not be, and what would keep others waiting is shown as it was written.
    ``read_chars`` counts the characters that were read, each as often as it was.
    """

    def __init__(self, labels: Labels = PLAIN) -> None:
        self._labels = labels
        self.read_chars = 0
        self.reset()

    def reset(self) -> None:
        """Forget the text: what was said turned out not to be the answer."""
        self._cut = ""  # half a line end, or half a character
        self._fresh: list[str] = []
        self._fresh_chars = self._fed_chars = self._again_chars = 0
        self._seconds = 0.0
        self._tail = ""
        self._settled: list[_Settled] = []
        self._end: list[str] = []
        self._plain: list[str] = []
        self._is_closed = self._is_due = self._has_lines = False
        self._sources: tuple[Source, ...] = ()
        self._addresses: dict[int, str] = {}
        self._notes: dict[int, str] = {}
        self._definitions = Definitions()
        # Settled blocks by the labels that they would use, and those that have to be read again.
        self._waiting: defaultdict[str, set[int]] = defaultdict(set)
        self._stale: set[int] = set()

    def feed(self, text: str, spans: Iterable[Span] = ()) -> None:
        """Append ``text``, which has citations at ``spans``.

        Raise :class:`ValueError` after :meth:`close`.
        """
        if self._is_closed:
            raise ValueError("The answer is over.")
        text = self._cut + replace_links(text, spans)
        whole = len(text) - _half(text)
        self._cut = text[whole:]
        self._append(text[:whole])

    def close(self) -> None:
        """Say that the answer is over."""
        if not self._is_closed:
            self._append(self._cut)
            self._is_closed = self._is_due = True

    def blocks(self, sources: Iterable[Source]) -> list[str]:
        """Return the elements of the top-level blocks so far; ``sources`` may have grown."""
        sources = tuple(sources)
        while self.read_on(sources):
            pass
        return self.shown()

    def read_on(self, sources: tuple[Source, ...]) -> bool:
        """Read some of what is new; return whether the answer is over and more of it is unread."""
        self._cite(sources)
        began = time.thread_time()
        if self._is_due and (chars := self._affordable_chars()):
            self._look(chars)
        self._read_again(began + (_PIECE_SECONDS if self._is_closed else _LOOK_SECONDS))
        self._seconds += time.thread_time() - began
        return self._is_closed and (self._is_due or bool(self._stale))

    def shown(self) -> list[str]:
        """Return the elements of the blocks that were read, and what is unread as plain text."""
        if self._is_due:
            self._show_plain()
        settled = (html for settled in self._settled for html in settled.blocks)
        return [*settled, *self._end, *self._plain]

    def _affordable_chars(self) -> int:
        """Return how much of what is fresh can be looked at now, 0 when that has to wait."""
        if not self._is_closed and self._seconds > _SECONDS + _SECONDS_A_CHAR * self._fed_chars:
            return 0
        seconds = _PIECE_SECONDS if self._is_closed else _LOOK_SECONDS
        first_seconds = _FIRST_CHARS * _SECONDS_A_CHAR
        seconds_a_char = (self._seconds + first_seconds) / (self.read_chars + _FIRST_CHARS)
        room = int(seconds / seconds_a_char / _READS_OF_A_LOOK) - len(self._tail)
        if self._is_closed:
            # A block that takes longer is taken apart again only when it has grown to its double.
            room = max(room, len(self._tail), _LEAST_CHARS)
        if room >= self._fresh_chars:
            return max(self._fresh_chars, 1)
        # Less than a part more is not worth reading the tail again.
        return room if room > len(self._tail) // _PARTS_OF_LONG else 0

    def _show_plain(self) -> None:
        """Show what is fresh as it was written."""
        text = "".join(self._fresh)
        self._fresh = [text]
        # The last part may have grown.
        del self._plain[-1:]
        for at in range(len(self._plain) * _PLAIN_CHARS, len(text), _PLAIN_CHARS):
            lines = escape(text[at : at + _PLAIN_CHARS]).replace("\n", "<br>")
            self._plain.append(block(sanitize(f'<p dir="auto">{lines}</p>')))

    def _append(self, text: str) -> None:
        text = plain_lines(text)
        self._fresh.append(text)
        self._fresh_chars += len(text)
        self._fed_chars += len(text)
        chars = len(self._tail)
        parts = _PARTS if chars < _LONG else _PARTS_OF_LONG
        self._is_due |= self._fresh_chars > chars // parts

    def _cite(self, sources: tuple[Source, ...]) -> None:
        if sources == self._sources:
            return
        self._sources, self._addresses = sources, addresses(sources)
        self._notes = notes(sources, self._labels.found)
        self._stale.update(at for at, settled in enumerate(self._settled) if settled.may_cite)
        self._is_due = True

    def _look(self, chars: int) -> None:
        """Read the tail with so many characters more, of lines that are whole if others follow."""
        seen = len(self._tail)
        fresh = "".join(self._fresh)
        if chars < len(fresh):
            chars = fresh.rfind("\n", 0, chars) + 1 or chars
        self._tail += fresh[:chars]
        self._fresh, self._fresh_chars = [fresh[chars:]], len(fresh[chars:])
        self._is_due, self._plain = self._fresh_chars > 0, []
        # A block goes on with every line, until an empty one or another block says otherwise.
        self._has_lines |= "\n" in self._tail[seen:]
        may_end = len(self._end) > 1 or "\n\n" in self._tail[max(seen - 1, 0) :]
        is_last = self._is_closed and not self._is_due
        if is_last or (self._has_lines and (may_end or self._is_closed)):
            self._has_lines = False
            self._settle(all_of_it=is_last)
        if self._is_closed:
            # Nobody is shown a part of it.
            self._end = []
            return
        text, definitions = hide_unfinished(self._tail), Definitions(self._definitions)
        self._end = self._read(text, definitions, growing=True)

    def _settle(self, *, all_of_it: bool) -> None:
        """Take from the tail the blocks that no further line can change."""
        text = self._tail if all_of_it else self._tail[: self._tail.rfind("\n") + 1]
        self.read_chars += len(text)
        lines = text.split("\n")
        line = start = 0
        for end in block_ends(text, all_of_it=all_of_it):
            stop = start + sum(len(each) + 1 for each in lines[line:end])
            self._add(self._tail[start:stop])
            line, start = end, stop
        self._tail = self._tail[start:]
        if all_of_it:
            self._add(self._tail)
            self._tail = ""

    def _add(self, source: str) -> None:
        self._settled.append(_Settled(source))
        self._read_settled(len(self._settled) - 1)

    def _read_again(self, until: float) -> None:
        while self._stale and time.thread_time() < until:
            at = self._stale.pop()
            self._again_chars += len(self._settled[at].source)
            if not self._is_closed and self._again_chars > _MOST_AGAIN * self._fed_chars:
                self._again_chars -= len(self._settled[at].source)
                self._stale.add(at)
                return
            self._read_settled(at)

    def _read_settled(self, at: int) -> None:
        definitions = Definitions(self._definitions)
        self._settled[at].blocks = self._read(self._settled[at].source, definitions)
        self._definitions.own |= definitions.own
        for label in definitions.missed:
            self._waiting[label].add(at)
        for label in definitions.own:
            self._stale |= self._waiting.pop(label, set())

    def _read(self, text: str, definitions: Definitions, *, growing: bool = False) -> list[str]:
        self.read_chars += len(text)
        manner = Manner(self._addresses, self._labels, growing, self._notes)
        html_of_blocks = read(text, manner, definitions)
        return [block(html) for html in html_of_blocks]


def _half(text: str) -> int:
    """Return how many characters at the end of ``text`` belong to what is to come, perhaps."""
    return int(text.endswith("\r") or "\ud800" <= text[-1:] <= "\udbff")


class Block(msgspec.Struct, frozen=True):
    """The element of one block."""

    html: str
    since: int


class AnswerBlocks:
    """Keeps up with an answer; reads only what was added to it since it was last looked at."""

    def __init__(self, labels: Labels = PLAIN) -> None:
        self._lock = threading.Lock()
        self._markdown = LiveMarkdown(labels)
        self._fed = ""
        self._fed_spans = 0
        self._blocks: list[Block] = []

    def read_on(self, view: TurnView, revision: int) -> list[Block] | None:
        """Return the blocks of the answer; what is new in them is so since ``revision``.

        None when the answer is over and takes longer: whoever asks again has it in the end.
        """
        # Who went away in the middle leaves a thread at work.
        with self._lock:
            return self._read_on(view, revision)

    def _read_on(self, view: TurnView, revision: int) -> list[Block] | None:
        # A link of the model's own is known as a citation when its end has come.
        is_late = any(span.start < len(self._fed) for span in view.spans[self._fed_spans :])
        if is_late or not view.answer.startswith(self._fed):
            self._markdown.reset()
            self._fed, self._fed_spans = "", 0
        if view.answer != self._fed:
            fed = len(self._fed)
            spans = [span.move(-fed) for span in view.spans[self._fed_spans :]]
            self._markdown.feed(view.answer[fed:], spans)
            self._fed, self._fed_spans = view.answer, len(view.spans)
        if view.is_over:
            self._markdown.close()
        if self._markdown.read_on(view.sources):
            return None
        old = self._blocks
        self._blocks = [
            old[at] if at < len(old) and old[at].html == html else Block(html, revision)
            for at, html in enumerate(self._markdown.shown())
        ]
        return self._blocks
