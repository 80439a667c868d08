"""An answer that is made here and goes on whether or not anybody listens."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing

from citeseek.assistant.events import Done, Event
from citeseek.errors import CiteseekError
from citeseek.live_answers.live_answer import AnswerRequest, EntryId, LiveAnswer, unexpected

log = logging.getLogger(__name__)


class AnswerTask(LiveAnswer):
    """Answers in a task of its own, for readers in this process.

    Its events have the ids 1, 2, 3.
    """

    def __init__(self, request: AnswerRequest) -> None:
        super().__init__(request)
        self._is_stopping = False
        self._broken: CiteseekError | None = None
        self._has_ended = False
        self._task = asyncio.create_task(self._work(), name=f"answer {self.id}")
        # Called as well for a task that is cancelled before it could begin.
        self._task.add_done_callback(self._end)

    def stop(self) -> None:
        """Stop it; what was written until then is kept."""
        if not self._is_stopping:
            self._is_stopping = True
            self._task.cancel()

    async def end(self) -> None:
        """Stop it, and return when it is over."""
        self.stop()
        await asyncio.wait([self._task])

    async def leave(self) -> None:
        """Stop it, and return when what was written is kept."""
        await self.end()

    async def may_keep(self) -> bool:
        """Whether the turn is this one's to keep; see :class:`PublishedAnswer` for others."""
        return True

    def _take(self, event: Event) -> None:
        """Take what was made next."""
        self._add(EntryId(len(self.events) + 1), event)

    def _finish(self) -> None:
        """Take it that nothing more is made."""
        self._close(self._broken)

    async def _work(self) -> None:
        try:
            stream = self.conversation.stream(
                self.message,
                turn_id=self.id,
                instead_of=self.instead_of,
                may_keep=self.may_keep,
            )
            async with aclosing(stream) as events:
                async for event in events:
                    self._has_ended = isinstance(event, Done)
                    self._take(event)
        except asyncio.CancelledError:
            pass
        except CiteseekError as error:
            self._broken = error
        except Exception as error:
            log.exception("the answer %s broke off", self.id)
            self._broken = unexpected(error)

    def _end(self, _: asyncio.Task[None]) -> None:
        if self._broken is None and not self._has_ended:
            self._take(self._cut())
        self._finish()

    def _cut(self) -> Event:
        """Return the end of an answer that was stopped."""
        turns = self.conversation.session.record.turns
        kept = next((turn for turn in reversed(turns) if turn.id == self.id), None)
        return Done.of(kept) if kept else Done(text="", outcome="stopped", turn_id=self.id)
