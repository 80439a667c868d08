"""Markdown that arrives in pieces, and the citation marks in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace

from citeseek.citations.blocks import place
from citeseek.citations.code_spans import Fence
from citeseek.citations.inline import InlineText
from citeseek.citations.lines import Context, Mode, line_bounds
from citeseek.citations.marks import Event
from citeseek.citations.opaque import ADDRESS_CUT

MAY_BE_MARK = re.compile(r"!?[\[［【]|!\Z")
"""Where a mark may begin, perhaps one that is cut off."""

_SPECIAL = re.compile(
    rf"[\r\n\\`$<\[\]!［【|]|https?://|www\.|{ADDRESS_CUT.pattern}", re.IGNORECASE
)
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Scan:
    """What one look at the text gave.

    The next look begins at ``end``. Up to ``settled``, which is not before it, the text has no
    marks but those among ``events``.
    """

    events: list[Event]
    end: int
    settled: int


class Scanner:
    """Reads an answer in one or more looks, each from where the one before it ended.

    A look costs time in proportion to the text that it is given. What it finds does not depend on
    how the text was cut.
    """

    def __init__(self) -> None:
        self._context = Context()
        # How the line that the next look begins in is read, None at the start of a line.
        self._mode: Mode | None = None
        self._at_start = False
        self._element = ""
        self._settled = 0  # in the text of the last look

    def passes(self, text: str) -> bool:
        """Whether ``text``, coming next, has no mark and changes nothing: a look can be spared."""
        return self._mode is not None and not self._at_start and not _SPECIAL.search(text)

    @property
    def open_fence(self) -> str:
        """The line that closes the code fence that a following block would fall into, or empty."""
        leaf = self._context.leaf
        if isinstance(leaf, Fence) and not self._context.containers:
            return leaf.character * leaf.length
        return ""

    def scan(self, text: str, *, final: bool) -> Scan:
        """Return what is decided in ``text``; with ``final`` nothing follows and all of it is."""
        events: list[Event] = []
        at = self._settled = 0
        while at < len(text):
            if self._mode is None:
                line = place(self._context, text, at, final=final)
                if line is None:
                    break
                self._context, at = line.after, line.content
                if line.mode is Mode.CONTINUATION:
                    self._mode = Mode.PARAGRAPH
                else:
                    self._mode, self._at_start = line.mode, line.mode is Mode.PARAGRAPH
                    self._element = ""
            at = self._read(text, at, events, final=final)
            if self._mode is not None:
                break
        unread = (
            None
            if self._mode is Mode.VERBATIM
            else MAY_BE_MARK.search(text, max(at, self._settled))
        )
        return Scan(events, at, unread.start() if unread else len(text))

    def _read(self, text: str, at: int, events: list[Event], *, final: bool) -> int:
        """Read on from ``at`` to the end of the line or paragraph, which sets the mode to None."""
        if self._mode is Mode.PARAGRAPH:
            return self._read_paragraph(text, at, events, final=final)
        stop, following = line_bounds(text, at, final=final)
        if self._mode is Mode.VERBATIM:
            at = stop
        while at < stop:
            bar = _BAR.search(text, at, stop) if self._mode is Mode.ROW else None
            end = bar.start() if bar else stop
            closed = following is not None or bar is not None
            part = InlineText(text[at:end], closed=closed, element=self._element).scan()
            events.extend(_shift(event, at, at) for event in part.events)
            self._element = "" if bar else part.element
            self._settled = at + part.settled
            at = bar.end() if bar else at + part.end
            if not closed:
                return at
        if following is None:
            return at
        self._mode = None
        return following

    def _read_paragraph(self, text: str, at: int, events: list[Event], *, final: bool) -> int:
        lines = _ParagraphLines(self._context, text, at, final=final)
        part = InlineText(
            lines.content, closed=lines.closed, at_start=self._at_start, element=self._element
        ).scan()
        for event in part.events:
            # The end belongs to the line that holds the last character.
            start, end = lines.shift(event.start), lines.shift(event.end - 1)
            events.append(_shift(event, start, end))
        self._at_start, self._element = part.at_start, part.element
        self._settled = part.settled + lines.shift(part.settled)
        if lines.closed or (part.end == len(lines.content) and lines.at_line_start):
            self._mode = None
            self._context = lines.context
            return lines.end
        self._context = lines.context_at(part.end)
        return part.end + lines.shift(part.end)


class _ParagraphLines:
    """The lines of the open paragraph without their prefixes, from ``start`` as far as they go."""

    def __init__(self, context: Context, text: str, start: int, *, final: bool) -> None:
        self.closed = False
        self.context = context
        self._offsets: list[int] = []
        self._shifts: list[int] = []
        self._contexts: list[Context] = []
        parts: list[str] = []
        length = 0
        while True:
            stop, following = line_bounds(text, start, final=final)
            self.at_line_start = following is not None
            self.end = stop if following is None else following
            self._offsets.append(length)
            self._shifts.append(start - length)
            self._contexts.append(self.context)
            parts.append(text[start : self.end])
            length += self.end - start
            if self.end == len(text) or following is None:
                self.closed = final
                break
            line = place(self.context, text, self.end, final=final)
            if line is None:
                break
            if line.mode is not Mode.CONTINUATION:
                self.closed = True
                break
            start, self.context = line.content, line.after
        self.content = "".join(parts)

    def shift(self, offset: int) -> int:
        """Return how much further on in the text the character at ``offset`` stands."""
        return self._shifts[bisect_right(self._offsets, offset) - 1]

    def context_at(self, offset: int) -> Context:
        """Return what was open when the line with this character began."""
        return self._contexts[bisect_right(self._offsets, offset) - 1]


def _shift(event: Event, start: int, end: int) -> Event:
    return replace(event, start=event.start + start, end=event.end + end)
