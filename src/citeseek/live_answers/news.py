"""What happened in the conversations of a server, as those who show them are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from citeseek.assistant.conversation import Conversation
from citeseek.assistant.events import Event
from citeseek.conversations.conversation_record import Turn
from citeseek.conversations.turn_versions import versions_of
from citeseek.live_answers.live_answer import LiveAnswer


class Changed(msgspec.Struct, frozen=True):
    """Mode, switch, choices or title of a conversation changed, or something that is kept of it."""

    session_id: str


class Renewed(msgspec.Struct, frozen=True):
    """The turns of a conversation are others now.

    Another process went on with it, or another version of a turn is shown. ``versions`` are the ids
    of a turn and of what was asked or answered in its place, by age, for each of ``turns``.
    """

    session_id: str
    turns: tuple[Turn, ...]
    versions: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, conversation: Conversation) -> Renewed:
        """Return the news of a conversation as it is now."""
        record = conversation.session.record
        versions = tuple(versions_of(turn, record) for turn in record.turns)
        return cls(conversation.id, tuple(record.turns), versions)


class Amended(msgspec.Struct, frozen=True):
    """Something was added to a turn that had ended."""

    session_id: str
    turn: Turn


class AnswerBegan(msgspec.Struct, frozen=True):
    """An answer began."""

    session_id: str
    answer: LiveAnswer


class Told(msgspec.Struct, frozen=True):
    """An event of an answer happened."""

    session_id: str
    answer: LiveAnswer
    event: Event


class Over(msgspec.Struct, frozen=True):
    """An answer ended; see its last event, or its error."""

    session_id: str
    answer: LiveAnswer


class Deleted(msgspec.Struct, frozen=True):
    """A conversation was deleted."""

    session_id: str


News: TypeAlias = Changed | Renewed | Amended | AnswerBegan | Told | Over | Deleted
Watcher: TypeAlias = Callable[[News], None]
