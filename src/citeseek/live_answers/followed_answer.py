"""An answer that another process makes, as it is followed from here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress

from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Started
from citeseek.concurrency.background import cancel
from citeseek.live_answers.live_answer import AnswerRequest, LiveAnswer
from citeseek.live_answers.published_answer import BEAT_SECONDS, STOP_SECONDS, streams_gone
from citeseek.live_answers.valkey_streams import AnswerStreams
from citeseek.shared_state.valkey import Gone


class FollowedAnswer(LiveAnswer):
    """Reads an answer from ``streams`` until it is over.

    ``settle`` is called when nobody makes it any more: it gives the answer an end, or returns False
    where nothing is known of it.
    """

    is_made_here = False

    def __init__(
        self,
        request: AnswerRequest,
        streams: AnswerStreams,
        *,
        settle: Callable[[Conversation, str], Awaitable[bool]],
    ) -> None:
        super().__init__(request)
        self._streams = streams
        self._settle = settle
        self._reading = asyncio.create_task(self._read(), name=f"following of answer {self.id}")
        self._reading.add_done_callback(self._close_if_broken)

    async def end(self) -> None:
        """Have it stopped, and return when it is over; raise Busy when that is not heard of."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._streams.stop(self.session_id, self.id)
                await asyncio.wait([self._reading])
        except (Gone, TimeoutError):
            raise streams_gone() from None

    async def leave(self) -> None:
        """Follow it no longer."""
        await cancel(self._reading)

    async def _read(self) -> None:
        while True:
            entries = self._streams.follow(self.session_id, self.id, self.last_id)
            async with aclosing(entries):
                async for entry in entries:
                    if isinstance(entry.event, Started):
                        self.message = entry.event.message
                    self._hear(entry)
                    if entry.is_last:
                        return
            with suppress(Gone):
                if not await self._settle(self.conversation, self.id):
                    self._close(streams_gone())
                    return
            await asyncio.sleep(BEAT_SECONDS)
