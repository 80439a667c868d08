"""One turn of an open conversation: what it shows, and since when each part of it does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import structs

from citeseek.assistant.events import Event, Thinking, Token
from citeseek.conversations.conversation_record import Turn
from citeseek.errors import CiteseekError
from citeseek.surfaces.page.live_markdown import AnswerBlocks, Block
from citeseek.surfaces.page.rendering import PARTS, Part, Rendering
from citeseek.surfaces.page.turn_reducer import break_off, reduce, with_check
from citeseek.surfaces.page.views import TurnView

# Long answers are read in pieces, and others have the interpreter for so long in between.
_PAUSE_SECONDS = 0.005


class Sent(msgspec.Struct, frozen=True):
    """Something for a reader: the kind of a server-sent event, and its data."""

    kind: str
    data: dict[str, Any]


class LiveTurn:
    """Takes the events of a turn and renders what is newer than a revision.

    Nothing is rendered before somebody reads it, and nothing twice for one revision and language.
    The answer is shown as far as :meth:`prepare` has read it.
    """

    def __init__(self, view: TurnView, session_id: str, revision: int) -> None:
        self._view = view
        # Text that goes on and was not read yet: adding it piece by piece costs its length squared.
        self._more: list[Token | Thinking] = []
        self._session_id = session_id
        self._whole = revision
        self._changed: dict[Part, int] = dict.fromkeys(PARTS, revision)
        self._answers: dict[str, AnswerBlocks] = {}
        self._blocks: dict[str, tuple[int, list[Block]]] = {}
        self._html: dict[tuple[Part, str], tuple[int, str]] = {}

    @property
    def view(self) -> TurnView:
        """The turn so far."""
        if self._more:
            self._view = reduce(self._view, _join(self._more))
            self._more = []
        return self._view

    def tell(self, event: Event, revision: int) -> None:
        """Take an event; what it changes belongs to ``revision``."""
        if isinstance(event, Token | Thinking) and (part := self._goes_on(event)):
            if self._more and type(self._more[0]) is not type(event):
                self._view = self.view
            self._more.append(event)
            self._changed[part] = revision
        else:
            self._show(reduce(self.view, event), revision)

    def _goes_on(self, event: Token | Thinking) -> Part | None:
        """Return the part to which ``event`` only adds text, None when it changes more."""
        if isinstance(event, Thinking):
            return "thinking" if self._view.thinking else None
        return "answer" if event.part == "answer" and self._view.doing == "answering" else None

    def break_off(self, error: CiteseekError, revision: int) -> None:
        """End the turn with an error, unless it is over."""
        if not self.view.is_over:
            self._show(break_off(self.view, error), revision)

    def amend(self, turn: Turn, revision: int) -> None:
        """Show what was added to the turn after its end."""
        before = self.view
        view = structs.replace(before, follow_ups=turn.follow_ups)
        parts: list[Part] = []
        if view.follow_ups != before.follow_ups:
            # What they cost stands in the receipt of the answer.
            view = structs.replace(view, egress=turn.egress)
            parts += ["follow_ups", "actions"]
        if turn.checked != before.checked:
            view = with_check(view, turn.checked)
            parts += ["checked", "references"]
        if view.sources != before.sources:
            parts += ["sources", "searches", "answer"]
        self._view = view
        self._changed |= dict.fromkeys(parts, revision)

    def since(self, after: int, rendering: Rendering) -> list[Sent]:
        """Return what a reader who has seen ``after`` needs to see the present."""
        if self._whole > after:
            data = {"turn": self.view.id, "html": self.html(rendering)}
            return [Sent("turn", data)]
        return [
            self._part(name, after, rendering)
            for name, changed in self._changed.items()
            if changed > after
        ]

    def is_prepared(self, rendering: Rendering) -> bool:
        """Whether all that there is of the answer was read."""
        known = self._blocks.get(rendering.words.lang)
        return known is not None and known[0] == self._changed["answer"]

    async def prepare(self, rendering: Rendering, revision: int) -> None:
        """Read on in the answer, to the end of one that is over, and keep nobody waiting.

        What is new is so since ``revision``.
        """
        lang, view, changed = rendering.words.lang, self.view, self._changed["answer"]
        answer = self._answers.get(lang)
        if answer is None:
            answer = self._answers[lang] = AnswerBlocks(rendering.labels)
        blocks = await asyncio.to_thread(answer.read_on, view, revision)
        while blocks is None:
            await asyncio.sleep(_PAUSE_SECONDS)
            blocks = await asyncio.to_thread(answer.read_on, view, revision)
        self._blocks[lang] = (changed, blocks)
        if view.is_over:
            self._answers.pop(lang, None)
            # The other parts of many turns take long as well.
            await asyncio.to_thread(self.html, rendering)

    def html(self, rendering: Rendering) -> str:
        """Return the whole turn."""
        parts = {name: self._inside(name, rendering) for name in PARTS}
        return rendering.turn(self.view, parts)

    def _show(self, view: TurnView, revision: int) -> None:
        before, self._view = self.view, view
        if view.outcome != before.outcome:
            self._whole = revision
            self._changed = dict.fromkeys(PARTS, revision)
            return
        changed: dict[Part, bool] = {
            "progress": view.doing != before.doing
            or (view.doing in ("searching", "reading") and _way(view) != _way(before)),
            "thinking": view.thinking != before.thinking
            or (bool(view.thinking) and view.doing != before.doing),
            "searches": _way(view) != _way(before),
            "sources": view.sources != before.sources,
            "asides": (view.asides, view.doing) != (before.asides, before.doing),
            "notices": view.notices != before.notices,
            "ending": view.notices != before.notices,
            "judged": view.judged != before.judged,
            "answer": view.answer != before.answer or view.sources != before.sources,
        }
        self._changed |= {name: revision for name, is_changed in changed.items() if is_changed}

    def _part(self, name: Part, after: int, rendering: Rendering) -> Sent:
        if name != "answer":
            html = self._inside(name, rendering)
            return Sent("part", {"turn": self.view.id, "part": name, "html": html})
        blocks = self._answer(rendering)
        first = next((at for at, block in enumerate(blocks) if block.since > after), len(blocks))
        html_of_new = [block.html for block in blocks[first:]]
        return Sent("blocks", {"turn": self.view.id, "from": first, "html": html_of_new})

    def _inside(self, name: Part, rendering: Rendering) -> str:
        if name == "answer":
            return "".join(block.html for block in self._answer(rendering))
        key, changed = (name, rendering.words.lang), self._changed[name]
        known = self._html.get(key)
        if known is None or known[0] != changed:
            html = rendering.part(name, self.view, self._session_id)
            known = self._html[key] = (changed, html)
        return known[1]

    def _answer(self, rendering: Rendering) -> list[Block]:
        _, blocks = self._blocks.get(rendering.words.lang, (0, []))
        return blocks


def _join(events: Sequence[Token | Thinking]) -> Token | Thinking:
    """Return events of one kind as one."""
    text = "".join(each.text for each in events)
    if isinstance(events[0], Thinking):
        return Thinking(text=text)
    spans = tuple(span for each in events if isinstance(each, Token) for span in each.spans)
    return Token(text=text, spans=spans)


def _way(view: TurnView) -> tuple[object, ...]:
    """Return what was done on the way to the answer."""
    return view.searches, view.reads
