"""The answer of a turn in blocks, each with the revision since which it is as it is."""

from __future__ import annotations

import msgspec

from citeseek.surfaces.page.live_markdown import LiveMarkdown
from citeseek.surfaces.page.views import TurnView


class Block(msgspec.Struct, frozen=True):
    """The element of one block."""

    html: str
    since: int


class AnswerBlocks:
    """Keeps up with an answer; reads only what was added to it since it was last looked at."""

    def __init__(self, table_label: str) -> None:
        self._markdown = LiveMarkdown(table_label=table_label)
        self._fed = ""
        self._blocks: list[Block] = []

    def of(self, view: TurnView, revision: int) -> list[Block]:
        """Return the blocks of the answer; what is new in them is so since ``revision``."""
        if not view.answer.startswith(self._fed):
            self._markdown.reset()
            self._fed = ""
        if view.answer != self._fed:
            self._markdown.feed(view.answer[len(self._fed) :])
            self._fed = view.answer
        if view.is_over:
            self._markdown.close()
        old = self._blocks
        self._blocks = [
            old[at] if at < len(old) and old[at].html == html else Block(html, revision)
            for at, html in enumerate(self._markdown.blocks(view.sources))
        ]
        return self._blocks
