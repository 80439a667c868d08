"""Where code begins and ends in a Markdown text that arrives in pieces."""

from __future__ import annotations

import re

from citeseek.citations.fences import Fence, fence_after

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
