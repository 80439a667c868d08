"""Code in Markdown: its fences, and whether a place in a text that arrives is within code."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENING = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
# What is indented by more is code of another kind.
_MAX_INDENT = 3


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence, closed by a line of at least ``length`` of the same character."""

    character: str
    length: int

    def may_be_closed_by(self, line: str) -> bool:
        """Whether ``line``, which may go on and has no indentation, is all of one closing run."""
        run = line.rstrip(" \t")
        return bool(run) and not run.strip(self.character)

    def is_closed_by(self, line: str) -> bool:
        """Whether ``line``, without its indentation, closes the fence."""
        return self.may_be_closed_by(line) and len(line.rstrip(" \t")) >= self.length


def fence(line: str) -> Fence | None:
    """Return the fence that ``line``, without its indentation, opens, None when it opens none."""
    opening = _OPENING.match(line)
    if opening is None:
        return None
    run = opening[1] or opening[2]
    return Fence(run[0], len(run))


def fence_after(line: str, opened: Fence | None) -> Fence | None:
    """Return the fence that is open behind a whole ``line`` before which ``opened`` was."""
    text = line.lstrip(" ")
    if len(line) - len(text) > _MAX_INDENT:
        return opened
    if opened is None:
        return fence(text)
    return None if opened.is_closed_by(text) else opened


_WORD = re.compile(r"`+|\n|[^`\n]+")
# As much of a line as says whether it is a fence.
_LINE_HEAD = 80


class CodeSpans:
    """Whether the place that was reached in a Markdown text is within code."""

    def __init__(self) -> None:
        self._line = ""
        self._fence: Fence | None = None
        self._ticks = 0
        self._run = 0  # backticks at the end, which others may follow

    @property
    def is_open(self) -> bool:
        """Whether what stands here is code, or comes behind a lone backtick."""
        self._end_run()
        return bool(self._fence or self._ticks)

    @property
    def hides_tag(self) -> bool:
        """Whether a tag here is code. One that begins a line ends what a lone backtick began."""
        return self.is_open and bool(self._fence or self._line.strip())

    def read(self, text: str) -> None:
        """Go on over ``text``."""
        for word in _WORD.findall(text):
            if word[0] == "`":
                self._run += len(word)
                continue
            self._end_run()
            if word == "\n":
                self._end_line()
            else:
                self._line = (self._line + word)[:_LINE_HEAD]

    def _end_run(self) -> None:
        size, self._run = self._run, 0
        # The beginning of a line says whether it is a fence.
        line = self._line + "`" * min(size, _LINE_HEAD)
        is_fence = not self._line.strip() and fence_after(line, None)
        if size and not self._fence and not is_fence:
            self._ticks = 0 if self._ticks == size else self._ticks or size
        self._line = line[:_LINE_HEAD]

    def _end_line(self) -> None:
        line, self._line = self._line, ""
        if not line.strip():
            self._ticks = 0
        opened, self._fence = self._fence, fence_after(line, self._fence)
        if self._fence and not opened:
            self._ticks = 0
