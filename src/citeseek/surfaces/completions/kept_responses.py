"""Responses that are kept: each is a turn of a conversation, whose id stands in its own."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import UNSET, structs

from citeseek.assistant.conversation import Conversation
from citeseek.conversations.conversation_record import Record, Turn, new_record
from citeseek.conversations.switches import Mode
from citeseek.conversations.turn_versions import line_to
from citeseek.errors import NoConversation
from citeseek.live_answers.hub import Hub

_ID = re.compile(r"resp_([0-9a-f]{32})[0-9a-f]{16}")


class KeptResponse:
    """A response that is kept: the ``turn`` of a ``conversation``, shown there or not."""

    def __init__(self, conversation: Conversation, turn: Turn) -> None:
        self.conversation = conversation
        self.turn = turn

    @property
    def line(self) -> list[Turn]:
        """The turns that lead to it, itself as the last one."""
        record = self.conversation.session.record
        turns = {turn.id: turn for turn in (*record.others, *record.turns)}
        follows = {each: turn.follows or "" for each, turn in turns.items()}
        return [turns[each] for each in line_to(follows, self.turn.id)]


class KeptResponses:
    """The responses in the conversations of ``hub``."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # Conversations in which a response is being made here.
        self._taken: set[str] = set()

    @staticmethod
    def new_id(conversation_id: str) -> str:
        """Return an id for the next response in a conversation."""
        return f"resp_{conversation_id}{secrets.token_hex(8)}"

    async def find(self, response_id: str) -> KeptResponse | None:
        """Return the response, None when it is not kept."""
        if not (named := _ID.fullmatch(response_id)):
            return None
        try:
            conversation = await self._hub.open(named[1])
        except NoConversation:
            return None
        record = conversation.session.record
        for turn in (*record.turns, *record.others):
            if turn.id == response_id and turn.response is not UNSET:
                return KeptResponse(conversation, turn)
        return None

    def copy(self, previous: KeptResponse | None, mode: Mode) -> Record:
        """Return a conversation that is as it was behind ``previous``, and kept nowhere."""
        record = new_record(mode=mode)
        if previous is None:
            return record
        record.instructions = previous.conversation.session.record.instructions
        record.turns = [
            structs.replace(turn, response=UNSET, follows=None) for turn in previous.line
        ]
        agents = [turn for turn in record.turns if turn.mode == "agent"]
        known = {source.number: source for turn in agents for source in turn.sources}
        record.sources = tuple(known[number] for number in sorted(known))
        record.rounds = tuple(shown for turn in agents for shown in turn.rounds)
        return record

    @contextmanager
    def hold(self, conversation: Conversation) -> Iterator[None]:
        """Let no other response go on in ``conversation`` meanwhile."""
        self._taken.add(conversation.id)
        try:
            yield
        finally:
            self._taken.discard(conversation.id)

    def is_free(self, conversation: Conversation) -> bool:
        """Whether ``conversation`` can go on: where an answer is under way, another branches."""
        is_busy = conversation.session.busy.locked() or conversation.id in self._taken
        return not is_busy and self._hub.running(conversation.id) is None

    async def branch(self, previous: KeptResponse | None, mode: Mode) -> Conversation:
        """Return a new conversation that is kept, as it was behind ``previous``; raise Busy."""
        copied = self.copy(previous, mode)
        conversation = await self._hub.create(mode=mode)
        session = conversation.session
        session.record.instructions = copied.instructions
        for turn in copied.turns:
            if turn.mode == "agent":
                session.give_numbers(turn)
            await conversation.kept.keep_turn(turn)
        return conversation

    def tell(self, conversation: Conversation) -> None:
        """Tell who looks at ``conversation`` that it was gone on with."""
        self._hub.tell_renewed(conversation)

    async def delete(self, response: KeptResponse) -> None:
        """Forget a response for good, and its conversation when nothing else was said there."""
        conversation = response.conversation
        record = conversation.session.record
        if len(record.turns) + len(record.others) == 1:
            await self._hub.delete(conversation.id)
            return
        await conversation.kept.drop_turn(response.turn.id)
        self._hub.tell_renewed(conversation)
