"""Answers under way at a Valkey: made by one process, followed and stopped from any.

The events of an answer are the entries of a stream, whose ids readers name to go on behind them.
Its maker holds its conversation for a few seconds at a time and says so with each event: one that
says nothing is taken for dead, and the next who looks ends the answer in its place.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Collection, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from citeseek.assistant.events import Event
from citeseek.errors import CiteseekError
from citeseek.live_answers.live_answer import START, EntryId, StreamedEvent
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.trace.trace_record import Failed, dump_failure, error_of

# A maker that says nothing for so long is dead.
HELD_MS = 5_000
# A reader who waits looks so often whether there still is a maker.
LOOK_MS = 500
# An answer that nobody goes on with, and one that has ended, are forgotten after so long.
KEPT_SECONDS = 3_600
ENDED_SECONDS = 600
MAX_ENTRIES = 100_000
# A larger one is kept beside the stream, and its entry says where.
MAX_ENTRY_BYTES = 64 * 1024
_READ_AT_ONCE = 500
_NEW = "*"


class _Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an entry says: an event, where a large one is kept, or how the answer broke off."""

    event: Event | None = None
    kept_at: str = ""
    failure: Failed | None = None
    is_last: bool = False


class Appended(NamedTuple):
    """What became of events: their ids, and whether somebody wants the answer stopped."""

    ids: list[EntryId]
    is_stopped: bool = False


# Another makes the answer, or the stream ends with another entry than was said.
Refused: TypeAlias = Literal["lost", "moved"]

log = logging.getLogger(__name__)


class AnswerStreams:
    """The answers under way at ``valkey``. Every method raises Gone when that cannot be asked."""

    def __init__(self, valkey: Valkey) -> None:
        self.valkey = valkey

    async def begin(self, session_id: str, answer_id: str) -> str:
        """Become the maker of an answer; return the id of another that is under way, or nothing."""
        held = await self.valkey.run(
            "answer_begin", _maker(session_id), answer_id, self.valkey.process, HELD_MS
        )
        return str(held.decode())

    async def running(self, session_id: str) -> str:
        """Return the id of the answer that is under way in a conversation, or nothing."""
        held = await self.valkey.call("HGET", _maker(session_id), "id")
        return held.decode() if held else ""

    async def stop(self, session_id: str, answer_id: str) -> bool:
        """Ask whoever makes an answer to stop it; return whether it is under way."""
        return bool(await self.valkey.run("answer_stop", _maker(session_id), answer_id))

    async def append(
        self,
        session_id: str,
        answer_id: str,
        events: Sequence[tuple[EntryId | None, Event]],
        *,
        after: EntryId,
        end: bool = False,
        error: CiteseekError | None = None,
    ) -> Appended | Refused:
        """Add ``events`` behind the entry ``after``, and stay the maker; with no event only that.

        One that stood there before has its id. At the ``end`` the conversation is free again;
        ``error`` says why the answer broke off.
        """
        values: list[bytes | str] = []
        for at, (id_, event) in enumerate(events, 1):
            is_last = end and error is None and at == len(events)
            entry = await self._encode(session_id, answer_id, _Entry(event, is_last=is_last))
            values += [str(id_) if id_ else _NEW, entry]
        if end and (error is not None or not events):
            failure = dump_failure(error) if error else None
            values += [_NEW, _encoder.encode(_Entry(failure=failure, is_last=True))]
        told = await self.valkey.run(
            "answer_append",
            _maker(session_id),
            answer_id,
            self.valkey.process,
            HELD_MS,
            _written(after),
            ENDED_SECONDS if end else KEPT_SECONDS,
            MAX_ENTRIES,
            int(end),
            *values,
        )
        if len(told) == 1:
            refused: Refused = told[0].decode()
            return refused
        return Appended([EntryId.of(id_.decode()) for id_ in told[1]], told[0] == b"stop")

    async def read(
        self, session_id: str, answer_id: str, after: EntryId = START, *, wait: bool = False
    ) -> list[StreamedEvent]:
        """Return what stands behind ``after``, up to a few hundred; ``wait`` a moment for some."""
        stream = _stream(session_id, answer_id)
        entries = await self.valkey.read_stream(
            stream, str(after), LOOK_MS if wait else 0, _READ_AT_ONCE
        )
        return [
            await self._decode(EntryId.of(id_), fields[b"event"], session_id)
            for id_, fields in entries
        ]

    async def follow(
        self, session_id: str, answer_id: str, after: EntryId = START
    ) -> AsyncGenerator[StreamedEvent]:
        """Yield what stands behind ``after``, and what comes, until the end or nobody makes it.

        While the server is gone, it is waited for.
        """
        has_maker = True
        while True:
            try:
                entries = await self.read(session_id, answer_id, after, wait=has_maker)
                if not entries:
                    # What its maker told last is read once more.
                    if not has_maker:
                        return
                    has_maker = await self.running(session_id) == answer_id
            except Gone:
                await asyncio.sleep(LOOK_MS / 1_000)
                continue
            for entry in entries:
                after = entry.id
                yield entry
                if entry.is_last:
                    return

    async def is_mine(self, session_id: str, answer_id: str) -> bool:
        """Whether this process still makes an answer, and nobody ended it in its place."""
        held = await self.valkey.call("HMGET", _maker(session_id), "id", "owner")
        if held[0] is not None:
            mine = [answer_id, self.valkey.process]
            return [text.decode() for text in held if text is not None] == mine
        return not (await self.newest(session_id, answer_id)).is_last

    async def newest(self, session_id: str, answer_id: str) -> StreamedEvent:
        """Return the last entry so far; the one with the id START where there is none."""
        found = await self.valkey.newest(_stream(session_id, answer_id))
        if found is None:
            return StreamedEvent(START)
        id_, fields = found
        return await self._decode(EntryId.of(id_), fields[b"event"], session_id)

    async def leave(self, session_id: str) -> None:
        """Let the conversation go whose maker this process has just become."""
        await self.valkey.call("DEL", _maker(session_id))

    async def forget(self, session_ids: Collection[str]) -> None:
        """Delete whatever is there of the answers in these conversations."""
        if session_ids:
            theirs = {_maker(each) for each in session_ids}
            await self.valkey.delete_keys("{*}:answer*", lambda key: key[:_MAKER_CHARS] in theirs)

    async def _encode(self, session_id: str, answer_id: str, entry: _Entry) -> bytes:
        encoded = _encoder.encode(entry)
        if len(encoded) <= MAX_ENTRY_BYTES:
            return encoded
        at = f"{_stream(session_id, answer_id)}:{secrets.token_hex(8)}"
        await self.valkey.call("SET", at, _encoder.encode(entry.event), "EX", KEPT_SECONDS)
        return _encoder.encode(_Entry(kept_at=at, is_last=entry.is_last))

    async def _decode(self, id_: EntryId, value: bytes, session_id: str) -> StreamedEvent:
        try:
            entry = _decoder.decode(value)
            event = entry.event
            if entry.kept_at and (kept := await self.valkey.call("GET", entry.kept_at)):
                event = _event_decoder.decode(kept)
        except msgspec.DecodeError as error:
            # Of another version, while servers are replaced one by one.
            log.warning("an event of conversation %s is skipped: %s", session_id, error)
            return StreamedEvent(id_)
        broken = error_of(entry.failure) if entry.failure else None
        return StreamedEvent(id_, event, entry.is_last, broken)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Entry)
_event_decoder = msgspec.msgpack.Decoder(Event)


def _maker(session_id: str) -> str:
    """Return the key of who makes the answer of a conversation; all of it is on one server."""
    return f"{{{session_id}}}:answer"


# Ids of conversations are of one length.
_MAKER_CHARS = len(_maker("0" * 32))


def _stream(session_id: str, answer_id: str) -> str:
    return f"{_maker(session_id)}:events:{answer_id}"


def _written(id_: EntryId) -> str:
    return "" if id_ == START else f"{id_.first}-{id_.second}"
