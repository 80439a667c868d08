"""All conversations as one file, and such a file taken in again.

A file is JSON lines: the first says what it is, each other one is a conversation with all that is
kept of it. Reading ends at nothing: what is no conversation is counted and left out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace

from citeseek.conversations.conversation_record import Record, new_record
from citeseek.conversations.earlier_records import as_kept_now
from citeseek.conversations.store import Store
from citeseek.errors import InvalidInput
from citeseek.person import check_keeps

MEDIA_TYPE = "application/x-ndjson"
_AT_ONCE = 100


class ArchiveHead(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of such a file."""

    format: Literal["citeseek-conversations"]
    version: Literal[1]


_HEAD = ArchiveHead(format="citeseek-conversations", version=1)


class TakenIn(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the lines of a file.

    ``added`` are conversations that were not here, ``known`` those that were and stay as they are,
    ``unreadable`` what could not be read, ``full`` those for which there is no more room.
    """

    added: int = 0
    known: int = 0
    unreadable: int = 0
    full: int = 0


async def write_archive(store: Store) -> AsyncIterator[bytes]:
    """Yield the lines of a file with all conversations in which something was said, newest first.

    An answer that is under way is left out of it.
    """
    yield msgspec.json.encode(_HEAD) + b"\n"
    before = None
    while listed := await store.list(_AT_ONCE, before):
        for summary in listed:
            record = await store.get(summary.id)
            if record is not None and record.turns:
                yield msgspec.json.encode(replace(record, asked=None)) + b"\n"
        before = listed[-1].place


async def read_archive(store: Store, content: bytes, *, most: int | None = None) -> TakenIn:
    """Put the conversations of a file into ``store``, which keeps at most so many.

    One that is there already stays as it is; one that was deleted here, or is another person's,
    comes as another. Raise InvalidInput for a file of something else, NotPermitted for a guest.
    """
    check_keeps()
    head, _, lines = content.partition(b"\n")
    try:
        msgspec.json.decode(head, type=ArchiveHead)
    except msgspec.DecodeError as error:
        raise InvalidInput(
            "This is no file of conversations.",
            hint="Choose one that was made by exporting all conversations.",
            values={"case": "no_archive"},
        ) from error
    room = None if most is None else max(most - await store.count(), 0)
    taken = TakenIn()
    for record in _records(lines):
        if record is None:
            taken = replace(taken, unreadable=taken.unreadable + 1)
            continue
        known = await store.glance(record.id)
        if known is not None and not known.is_deleted:
            taken = replace(taken, known=taken.known + 1)
        elif room is not None and taken.added >= room:
            taken = replace(taken, full=taken.full + 1)
        else:
            await _keep(store, replace(record, id=new_record().id) if known else record)
            taken = replace(taken, added=taken.added + 1)
    return taken


def _records(lines: bytes) -> Iterator[Record | None]:
    """Yield the conversation of each line, None for what is none."""
    for line in lines.splitlines():
        if not line.strip():
            continue
        try:
            record = msgspec.json.decode(line, type=Record)
        except (msgspec.DecodeError, InvalidInput):
            yield None
        else:
            yield as_kept_now(replace(record, asked=None)) if record.turns else None


async def _keep(store: Store, record: Record) -> None:
    """Store a conversation; the turns that are shown come last, so that they are again."""
    await store.put(replace(record, turns=[], others=[]))
    for turn in (*record.others, *record.turns):
        await store.add_turn(record.id, turn)
    for file in record.files:
        await store.add_file(record.id, file)
