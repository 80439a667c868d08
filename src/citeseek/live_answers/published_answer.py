"""An answer that is made here and told through a stream, so that any process can follow it."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import aclosing, suppress
from itertools import islice

from citeseek.assistant.events import Event
from citeseek.concurrency.admission import RETRY_SECONDS
from citeseek.concurrency.background import cancel
from citeseek.errors import Busy
from citeseek.live_answers.answer_task import AnswerTask
from citeseek.live_answers.live_answer import AnswerRequest
from citeseek.live_answers.valkey_streams import AnswerStreams
from citeseek.shared_state.valkey import Gone

# Says that it is alive so often, and hears then whether it is to stop.
BEAT_SECONDS = 0.5
# As many events go out at once when many wait.
MOST_AT_ONCE = 200
# An end that cannot be told for so long is not told: the answer is kept, and can be read there.
PATIENCE_SECONDS = 60.0
# Who stops one waits so long for its end: what still has to be kept, or told, may take longer.
STOP_SECONDS = 10.0
# A process that ends waits no longer for a server that is gone: another one tells the end.
LEAVE_SECONDS = 2.0


class PublishedAnswer(AnswerTask):
    """Makes an answer whose conversation it holds at ``streams``.

    Readers here get each event when it stands in the stream, with the id that it has there. While
    the server is gone, events wait for it. Where this process was taken for dead meanwhile, another
    has ended the answer: then nothing more of it is kept, and readers here get that end.
    """

    def __init__(self, request: AnswerRequest, streams: AnswerStreams) -> None:
        super().__init__(request)
        self._streams = streams
        self._untold: deque[Event] = deque()
        self._news = asyncio.Event()
        self._is_made = False
        self._is_lost = False
        self._telling = asyncio.create_task(self._tell_all(), name=f"telling of answer {self.id}")
        self._telling.add_done_callback(self._close_if_broken)

    async def end(self) -> None:
        """Stop it, and return when that was told; while the server is gone, it is told later."""
        await super().end()
        await asyncio.wait([self._telling], timeout=STOP_SECONDS)

    async def leave(self) -> None:
        """Stop it; where that cannot be told, it is kept all the same and others find it so."""
        await super().end()
        await asyncio.wait([self._telling], timeout=LEAVE_SECONDS)
        await cancel(self._telling)
        self._close(streams_gone())

    async def may_keep(self) -> bool:
        """Whether nobody else has ended it."""
        if not self._is_lost:
            with suppress(Gone):
                self._is_lost = not await self._streams.is_mine(self.session_id, self.id)
        return not self._is_lost

    def _take(self, event: Event) -> None:
        self._untold.append(event)
        self._news.set()

    def _finish(self) -> None:
        self._is_made = True
        self._news.set()

    async def _tell_all(self) -> None:
        """Tell events as they come, and in between that this process is alive."""
        told_at = time.monotonic()
        while not self.is_over:
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_SECONDS):
                    await self._news.wait()
            self._news.clear()
            try:
                if self._is_lost:
                    await self._follow_the_other()
                else:
                    await self._tell_some()
                told_at = time.monotonic()
            except Gone:
                if self._is_made and time.monotonic() > told_at + PATIENCE_SECONDS:
                    self._close(streams_gone())
                await asyncio.sleep(BEAT_SECONDS)
                self._news.set()

    async def _tell_some(self) -> None:
        events = list(islice(self._untold, MOST_AT_ONCE))
        is_end = self._is_made and len(events) == len(self._untold)
        told = await self._streams.append(
            self.session_id,
            self.id,
            [(None, event) for event in events],
            after=self.last_id,
            end=is_end,
            error=self._broken if is_end else None,
        )
        if told == "lost":
            self._lose()
        elif told == "moved":
            await self._agree_with_the_stream()
        else:
            for id_ in told.ids[: len(events)]:
                self._add(id_, self._untold.popleft())
            if is_end:
                self._close(self._broken)
            elif told.is_stopped:
                self.stop()
        if self._untold or self._is_made:
            self._news.set()

    async def _agree_with_the_stream(self) -> None:
        """Find out what stands there: events whose arrival nobody told, or fewer than did.

        A server that lost what it was told last, or all, is told it again, under the ids of then.
        """
        entries = await self._streams.read(self.session_id, self.id, self.last_id)
        for entry in entries:
            if entry.event is not None and (not self._untold or entry.event != self._untold[0]):
                self._lose()
                return
            if entry.event is not None:
                self._untold.popleft()
            self._hear(entry)
        if not entries:
            after = (await self._streams.newest(self.session_id, self.id)).id
            known = zip(self._ids, self.events, strict=True)
            lost = [(id_, event) for id_, event in known if id_ > after]
            await self._streams.append(self.session_id, self.id, lost, after=after)

    def _lose(self) -> None:
        self._is_lost = True
        self.stop()
        self._news.set()

    async def _follow_the_other(self) -> None:
        """Show the end that another process gave it."""
        after = self.last_id
        async with aclosing(self._streams.follow(self.session_id, self.id, after)) as entries:
            async for entry in entries:
                self._hear(entry)
        self._close(streams_gone())


def streams_gone() -> Busy:
    """Return the error of an answer that cannot be told while the server of streams is gone."""
    return Busy(
        "The server that processes share is not reached, so answers cannot be followed.",
        hint="Try again in a moment; what was said is kept.",
        detail_code="shared_state_gone",
        retry_after=RETRY_SECONDS,
        values={"case": "gone"},
    )
