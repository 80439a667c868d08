"""An answer under way, or just ended, as its readers follow it."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable
from typing import NamedTuple

import msgspec

from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Event
from citeseek.errors import CiteseekError


class EntryId(NamedTuple):
    """The id of an event, which readers name to go on behind it.

    Ids of an answer ascend. In one process they are 1, 2, 3; at a Valkey they are those of the
    entries of a stream (https://valkey.io/topics/streams-intro/), written without their ``-0``.
    """

    first: int
    second: int = 0

    @classmethod
    def of(cls, text: str) -> EntryId:
        """Return the id that is written as ``text``; raise ValueError for none."""
        return cls(*map(int, text.split("-", 1)))

    def __str__(self) -> str:
        return f"{self.first}-{self.second}" if self.second else str(self.first)


# Behind it stands every event.
START = EntryId(0)


class StreamedEvent(NamedTuple):
    """An entry as a reader gets it; ``event`` is None where only the end is told."""

    id: EntryId
    event: Event | None = None
    is_last: bool = False
    error: CiteseekError | None = None


log = logging.getLogger(__name__)


class AnswerRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The answer ``id`` to ``message`` in ``conversation``, and who hears of it.

    ``tell`` gets the answer and each event as it happens, and ``over`` the answer when it has
    ended. The ``message`` is empty where another process has it. It is answered in the place of the
    turn ``instead_of``, if there is one.
    """

    id: str
    conversation: Conversation
    message: str = ""
    instead_of: str = ""
    tell: Callable[[LiveAnswer, Event], None]
    over: Callable[[LiveAnswer], None]


class LiveAnswer(ABC):
    """The answer to ``request``.

    ``events`` are those so far; the last one is :class:`~citeseek.assistant.events.Done`, also when
    it was stopped, unless ``error`` says why it broke off.
    """

    # Not so that of another process.
    is_made_here = True

    def __init__(self, request: AnswerRequest) -> None:
        self.id = request.id
        self.session_id = request.conversation.id
        self.message = request.message
        self.instead_of = request.instead_of
        self.events: list[Event] = []
        self.error: CiteseekError | None = None
        self.is_over = False
        self.conversation = request.conversation
        self._ids: list[EntryId] = []
        self._tell = request.tell
        self._over = request.over
        self._more = asyncio.Event()

    async def follow(self, after: EntryId = START) -> AsyncGenerator[tuple[EntryId, Event]]:
        """Yield each event behind ``after`` with its id."""
        place = bisect_right(self._ids, after)
        while True:
            more = self._more
            while place < len(self.events):
                place += 1
                # What is followed from elsewhere may not have got to what this reader has seen.
                if (id_ := self._ids[place - 1]) > after:
                    yield id_, self.events[place - 1]
            if self.is_over:
                return
            await more.wait()

    async def wait_for_beginning(self) -> None:
        """Return when the question is kept, which the first event says; raise what prevented it."""
        while not self.events and not self.is_over:
            await self._more.wait()
        if self.error is not None and not self.events:
            raise self.error

    @property
    def last_id(self) -> EntryId:
        """The id of the last event so far."""
        return self._ids[-1] if self._ids else START

    @abstractmethod
    async def end(self) -> None:
        """Stop it, and return when it is over; what was written until then is kept."""

    @abstractmethod
    async def leave(self) -> None:
        """Do what is to be done for it before this process ends."""

    def _add(self, id_: EntryId, event: Event) -> None:
        self._ids.append(id_)
        self.events.append(event)
        self._announce()
        self._tell(self, event)

    def _hear(self, entry: StreamedEvent) -> None:
        """Take what another process told."""
        if entry.event is not None:
            self._add(entry.id, entry.event)
        if entry.is_last:
            self._close(entry.error)

    def _close(self, error: CiteseekError | None = None) -> None:
        """Take it that nothing more comes; closing again does nothing."""
        if not self.is_over:
            self.error = error
            self.is_over = True
            self._announce()
            self._over(self)

    def _close_if_broken(self, task: asyncio.Task[None]) -> None:
        """End it where the ``task`` broke that tells its events: its readers would wait forever."""
        if not task.cancelled() and (broken := task.exception()) is not None:
            log.error("the answer %s is told no more", self.id, exc_info=broken)
            self._close(unexpected(broken))

    def _announce(self) -> None:
        """Wake whoever follows; who begins to wait later waits for the next event."""
        more, self._more = self._more, asyncio.Event()
        more.set()


def unexpected(error: BaseException) -> CiteseekError:
    """Return what readers are told of an error that is nobody's fault but ours."""
    return CiteseekError(
        f"The answer broke off unexpectedly ({type(error).__name__}).",
        values={"case": "answer_broke", "type": type(error).__name__},
    )
