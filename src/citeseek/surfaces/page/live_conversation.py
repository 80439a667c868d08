"""An open conversation as its readers see it: every part with the revision that it is from."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence

from citeseek.assistant import commands
from citeseek.assistant.events import Done, Event, Notice, Started, State
from citeseek.conversations.conversation_record import Turn
from citeseek.live_answers.live_answer import LiveAnswer
from citeseek.live_answers.news import (
    Amended,
    AnswerBegan,
    Changed,
    Deleted,
    News,
    Over,
    Renewed,
    Told,
)
from citeseek.surfaces.page.live_turn import LiveTurn, Sent
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.page.turn_reducer import begin, of_turn
from citeseek.surfaces.page.views import TurnView


class Board:
    """The turns of one conversation, and which of its parts changed when.

    A reader holds nothing but the last revision that it has seen, so one that is slow, or gone,
    costs nothing. Revisions count within an ``epoch``; what was seen in another one says nothing.
    """

    def __init__(
        self,
        session_id: str,
        turns: Sequence[Turn],
        running: LiveAnswer | None,
        versions: Sequence[tuple[str, ...]] = (),
    ) -> None:
        self.session_id = session_id
        self.readers = 0
        self.is_gone = False
        self.epoch = secrets.token_hex(4)
        self.revision = 1
        self.state_since = self.history_since = self._order_since = self.revision
        self._news = asyncio.Event()
        # What several readers wait for is done once.
        self._preparing = asyncio.Lock()
        self._turns: dict[str, LiveTurn] = {}
        for view in _views(turns, versions):
            # What is kept of an answer that is about to end is told by its events as well.
            if running is None or view.id != running.id:
                self._add(view)
        if running is not None:
            for event in running.events:
                self._take(running, event)

    @property
    def mark(self) -> str:
        """The present, as readers name it."""
        return self.mark_of(self.revision)

    def mark_of(self, revision: int) -> str:
        """Return ``revision`` as readers name it."""
        return f"{self.epoch}.{revision}"

    def seen(self, mark: str) -> int | None:
        """Return the revision in ``mark``, 0 for an empty one, None for one of another epoch."""
        if not mark:
            return 0
        epoch, _, revision = mark.partition(".")
        known = epoch == self.epoch and revision.isdecimal() and len(revision) <= len(self.mark)
        return int(revision) if known and int(revision) <= self.revision else None

    def hear(self, news: News) -> None:
        """Take news of this conversation."""
        self.revision += 1
        match news:
            case Told(answer=answer, event=event):
                self._take(answer, event)
            case Over(answer=answer):
                self._over(answer)
            case Amended(turn=turn) if known := self._turns.get(turn.id):
                known.amend(turn, self.revision)
            case Renewed() if [turn.id for turn in news.turns] != list(self._turns):
                self._renew(_views(news.turns, news.versions))
            case Renewed():
                for turn in news.turns:
                    self._turns[turn.id].amend(turn, self.revision)
                self.state_since = self.revision
            case AnswerBegan() | Changed():
                self.state_since = self.revision
            case Deleted():
                self.is_gone = True
        self._wake()

    def relist(self) -> None:
        """Take it that the list of conversations changed."""
        self.revision += 1
        self.history_since = self.revision
        self._wake()

    async def later_than(self, revision: int, epoch: str) -> None:
        """Wait until there is something that a reader of ``revision`` has not seen."""
        while self.revision <= revision and self.epoch == epoch and not self.is_gone:
            await self._news.wait()

    async def prepare(self, rendering: Rendering) -> int:
        """Render what is new in the answers, and those that are over to their ends.

        Return the revision that can be shown: what comes while it works may be of a later one.
        """
        async with self._preparing:
            revision = self.revision
            turns = self._list_unprepared(rendering)
            while turns:
                for turn in turns:
                    await turn.prepare(rendering, self.revision)
                turns = [turn for turn in self._list_unprepared(rendering) if turn.view.is_over]
            return revision if self._list_unprepared(rendering) else self.revision

    def since(self, after: int, rendering: Rendering) -> list[Sent]:
        """Return what of the turns is newer than ``after``, behind which of them there are."""
        newer = [sent for turn in self._turns.values() for sent in turn.since(after, rendering)]
        if self._order_since > after:
            return [Sent("order", {"turns": list(self._turns)}), *newer]
        return newer

    def html(self, rendering: Rendering) -> str:
        """Return all turns."""
        turns = self._turns.values()
        return "\n".join(turn.html(rendering) for turn in turns)

    def _list_unprepared(self, rendering: Rendering) -> list[LiveTurn]:
        return [turn for turn in self._turns.values() if not turn.is_prepared(rendering)]

    def _take(self, answer: LiveAnswer, event: Event) -> None:
        if isinstance(event, Started):
            self._go_back_before(event.versions)
            self._add(begin(event))
        elif isinstance(event, State):
            self.state_since = self.revision
        elif turn := self._turns.get(answer.id) or self._add_command(answer, event):
            turn.tell(event, self.revision)
            if isinstance(event, Done) and event.outcome == "command":
                self._obey(answer)

    def _add_command(self, answer: LiveAnswer, event: Event) -> LiveTurn | None:
        """Return the turn of a command, which is kept nowhere but here."""
        if not isinstance(event, Notice):
            return None
        return self._add(
            TurnView(id=answer.id, mode="chat", question=answer.message, is_kept=False)
        )

    def _go_back_before(self, versions: Sequence[str]) -> None:
        """Take away a turn that is one of ``versions``, and all behind it."""
        ids = list(self._turns)
        at = next((at for at, turn_id in enumerate(ids) if turn_id in versions), len(ids))
        for turn_id in ids[at:]:
            del self._turns[turn_id]
            self._order_since = self.revision

    def _renew(self, views: Sequence[TurnView]) -> None:
        """Take ``views`` for what there is; those that were so before stay as they are."""
        before, self._turns = self._turns, {}
        for view in views:
            known = before.get(view.id)
            if known is not None and known.view == view:
                self._turns[view.id] = known
            else:
                self._add(view)
        self._order_since = self.revision

    def _obey(self, answer: LiveAnswer) -> None:
        """Forget everything but the command itself if it was ``/reset``."""
        command = commands.parse(answer.message)
        if command is not None and command.begins_anew:
            self._turns = {answer.id: self._turns[answer.id]}
            self.epoch = secrets.token_hex(4)

    def _over(self, answer: LiveAnswer) -> None:
        self.state_since = self.revision
        if answer.error is not None:
            turn = self._turns.get(answer.id) or self._add(
                TurnView(id=answer.id, mode="chat", question=answer.message, is_kept=False)
            )
            turn.break_off(answer.error, self.revision)

    def _add(self, view: TurnView) -> LiveTurn:
        turn = self._turns[view.id] = LiveTurn(view, self.session_id, self.revision)
        return turn

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


def _views(turns: Sequence[Turn], versions: Sequence[tuple[str, ...]]) -> list[TurnView]:
    """Return the views of turns that were kept, with the versions of each where they are known."""
    known = versions or [()] * len(turns)
    return [of_turn(turn, same) for turn, same in zip(turns, known, strict=True)]
