"""Records of earlier versions, as this one keeps them."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from msgspec import structs

from citeseek.citations import Source, linked_numbers
from citeseek.conversations.conversation_record import Record, Turn


def as_kept_now(record: Record) -> Record:
    """Return a record that was read, its turns as this version keeps them.

    Earlier ones kept no spans: this is the only place that finds them in the answer. A source is
    stored when it gets its number, and may have been read later.
    """
    record.turns = [_with_marks(_with_spans(turn)) for turn in record.turns]
    record.others = [_with_marks(_with_spans(turn)) for turn in record.others]
    agent = (turn for turn in (*record.turns, *record.others) if turn.mode == "agent")
    read = {source.number for turn in agent for source in turn.sources if source.was_read}
    record.sources = _mark_read(record.sources, read)
    return record


def _with_marks(turn: Turn) -> Turn:
    if not turn.reads:
        return turn
    read = {page.number for page in turn.reads}
    return structs.replace(turn, sources=_mark_read(turn.sources, read))


def _mark_read(sources: tuple[Source, ...], read: Collection[int]) -> tuple[Source, ...]:
    """Return ``sources``, those whose numbers are in ``read`` as read."""
    return tuple(
        dataclasses.replace(source, was_read=True) if source.number in read else source
        for source in sources
    )


def _with_spans(turn: Turn) -> Turn:
    if turn.spans or not turn.cited:
        return turn
    return structs.replace(turn, spans=linked_numbers(turn.answer, turn.sources))
