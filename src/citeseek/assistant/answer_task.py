"""One answer that goes on whether or not anybody listens, with all that happened in it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from citeseek.assistant.answer_draft import last_event
from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Done, Event
from citeseek.errors import CiteseekError

log = logging.getLogger(__name__)


class Answer:
    """The answer to ``message`` in ``conversation``, made in a task of its own.

    ``events`` are those so far; the last one is :class:`Done`, also when it was stopped, unless
    ``error`` says why it broke off. ``tell`` gets the answer and each event as it happens, and
    ``over`` the answer when it has ended.
    """

    def __init__(
        self,
        id_: str,
        conversation: Conversation,
        message: str,
        *,
        tell: Callable[[Answer, Event], None],
        over: Callable[[Answer], None],
    ) -> None:
        self.id = id_
        self.session_id = conversation.id
        self.message = message
        self.events: list[Event] = []
        self.error: CiteseekError | None = None
        self.is_over = False
        self.conversation = conversation
        self._tell = tell
        self._over = over
        self._more = asyncio.Event()
        self._is_stopping = False
        self._task = asyncio.create_task(self._work(), name=f"answer {id_}")
        # Called as well for a task that is cancelled before it could begin.
        self._task.add_done_callback(self._end)

    async def follow(self, after: int = 0) -> AsyncGenerator[tuple[int, Event]]:
        """Yield each event from the one behind number ``after`` on with its number, from 1 on."""
        while True:
            more = self._more
            while after < len(self.events):
                after += 1
                yield after, self.events[after - 1]
            if self.is_over:
                return
            await more.wait()

    async def begun(self) -> None:
        """Return when the question is kept, which the first event says; raise what prevented it."""
        while not self.events and not self.is_over:
            await self._more.wait()
        if self.error is not None and not self.events:
            raise self.error

    def stop(self) -> None:
        """Stop it; what was written until then is kept."""
        if not self._is_stopping:
            self._is_stopping = True
            self._task.cancel()

    async def end(self) -> None:
        """Stop it, and return when it is over."""
        self.stop()
        await asyncio.wait([self._task])

    async def _work(self) -> None:
        try:
            stream = self.conversation.stream(self.message, turn_id=self.id)
            async with aclosing(stream) as events:
                async for event in events:
                    self._take(event)
        except asyncio.CancelledError:
            pass
        except CiteseekError as error:
            self.error = error
        except Exception as error:
            log.exception("the answer %s broke off", self.id)
            kind = type(error).__name__
            self.error = CiteseekError(f"The answer broke off unexpectedly ({kind}).")

    def _end(self, _: asyncio.Task[None]) -> None:
        if self.error is None and not (self.events and isinstance(self.events[-1], Done)):
            self._take(self._cut())
        self.is_over = True
        self._announce()
        self._over(self)

    def _cut(self) -> Event:
        """Return the end of an answer that was stopped."""
        turns = self.conversation.session.record.turns
        kept = next((turn for turn in reversed(turns) if turn.id == self.id), None)
        return last_event(kept) if kept else Done(text="", outcome="stopped", turn_id=self.id)

    def _take(self, event: Event) -> None:
        self.events.append(event)
        self._announce()
        self._tell(self, event)

    def _announce(self) -> None:
        """Wake whoever follows; who begins to wait later waits for the next event."""
        more, self._more = self._more, asyncio.Event()
        more.set()
