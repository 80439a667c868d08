"""News of conversations from one server process to the others at a Valkey."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

import msgspec

from citeseek.concurrency.background import cancel
from citeseek.live_answers.valkey_streams import LOOK_MS
from citeseek.shared_state.valkey import Gone, Valkey

_STREAM = "news"
# As many are kept for who was away for a moment. Who missed some sees how all is when it looks.
_KEPT = 1_000
_READ_AT_ONCE = 100

Happened: TypeAlias = Literal["began", "changed", "deleted"]

log = logging.getLogger(__name__)


class Heard(msgspec.Struct, frozen=True):
    """An answer began in a conversation, or it is other than it was, or deleted."""

    happened: Happened
    session_id: str
    process: str


class SharedNews:
    """Tells what happens here to other processes, and ``hear`` what happens in these.

    What ``hear`` raises is logged.
    """

    def __init__(self, valkey: Valkey, hear: Callable[[Heard], Awaitable[None]]) -> None:
        self._valkey = valkey
        self._hear = hear
        self._untold: deque[Heard] = deque(maxlen=_KEPT)
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """Begin to tell and to hear."""
        self._tasks = [asyncio.create_task(work()) for work in (self._send, self._listen)]

    def tell(self, happened: Happened, session_id: str) -> None:
        """Tell the others, as soon as the server can be asked."""
        self._untold.append(Heard(happened, session_id, self._valkey.process))
        self._news.set()

    async def close(self) -> None:
        """Tell and hear no more."""
        await cancel(*self._tasks)

    async def _send(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._untold:
                value = msgspec.msgpack.encode(self._untold[0])
                try:
                    await self._valkey.call(
                        "XADD", _STREAM, "MAXLEN", "~", str(_KEPT), "*", "news", value
                    )
                except Gone:
                    await asyncio.sleep(LOOK_MS / 1_000)
                else:
                    self._untold.popleft()

    async def _listen(self) -> None:
        after = ""
        while True:
            try:
                if not after:
                    newest = await self._valkey.newest(_STREAM)
                    after = newest[0] if newest else "0"
                entries = await self._valkey.read_stream(_STREAM, after, LOOK_MS, _READ_AT_ONCE)
                # Should the server go away, each goes on with its share: it knows of the others,
                # though nobody may have asked for anything yet.
                await self._valkey.count_processes()
            except Gone:
                await asyncio.sleep(LOOK_MS / 1_000)
                continue
            for id_, fields in entries:
                after = id_
                await self._take(fields[b"news"])

    async def _take(self, news: bytes) -> None:
        try:
            heard = msgspec.msgpack.decode(news, type=Heard)
        except msgspec.DecodeError:
            # Of another version, while servers are replaced one by one.
            return
        if heard.process == self._valkey.process:
            return
        try:
            await self._hear(heard)
        except Exception:
            # What comes next may be about another conversation.
            log.exception("news of conversation %s are not shown", heard.session_id)
