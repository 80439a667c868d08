"""The boards of the conversations that are open in some browser."""

from __future__ import annotations

import asyncio
from typing import Any

from citeseek.assistant.conversation import Conversation
from citeseek.conversations.conversation_record import SessionFound, SessionSummary
from citeseek.conversations.turn_versions import versions_of
from citeseek.live_answers.hub import Hub
from citeseek.live_answers.news import AnswerBegan, Changed, Deleted, News, Over, Renewed
from citeseek.person import current_person
from citeseek.surfaces.page.live_conversation import Board
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.web.cursors import place_of

# Boards beyond these that nobody reads and in which nothing happens are made again when needed.
MAX_IDLE = 64
# So many of the newest stand in the list; older ones are asked for, so many at a time.
MAX_LISTED = 100


class Boards:
    """Keeps a board for each open conversation, and the list of all conversations."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._boards: dict[str, Board] = {}
        # By the name of the person.
        self._listed: dict[str, list[SessionSummary]] = {}
        self._listed_at: object = None
        self._listing = asyncio.Lock()
        hub.watchers.append(self._hear)
        hub.is_shown = self._is_read

    async def open(self, session_id: str) -> tuple[Board, Conversation]:
        """Return a conversation and its board; raise NoConversation when there is none."""
        conversation = await self.hub.open(session_id)
        board = self._boards.pop(session_id, None)
        if board is None:
            record, running = conversation.session.record, self.hub.running(session_id)
            versions = [versions_of(turn, record) for turn in record.turns]
            board = Board(session_id, record.turns, running, versions)
        # The most recently used stands last.
        self._boards[session_id] = board
        self._forget_idle()
        return board, conversation

    async def conversations(self) -> list[SessionSummary]:
        """Return the newest conversations, read again only after something was stored.

        Another process may have: a page that is loaded shows its conversations as well.
        """
        store, name = self.hub.assistant.store, current_person().name
        async with self._listing:
            if (change := await store.change()) != self._listed_at:
                self._listed.clear()
                self._listed_at = change
            if name not in self._listed:
                self._listed[name] = await store.list(MAX_LISTED)
            return self._listed[name]

    async def older(self, cursor: str) -> list[SessionSummary]:
        """Return the conversations that come next behind ``cursor``; raise InvalidInput."""
        return await self.hub.assistant.store.list(MAX_LISTED, place_of(cursor))

    async def search(self, text: str, cursor: str) -> list[SessionFound]:
        """Return the newest conversations that mention ``text``, behind ``cursor`` if any."""
        return await self.hub.assistant.store.search(text, MAX_LISTED, place_of(cursor))

    def state(self, conversation: Conversation, rendering: Rendering) -> dict[str, Any]:
        """Return what the scripts of the page know of a conversation."""
        running = self.hub.running(conversation.id)
        return {**state_of(conversation, rendering), "running": running.id if running else None}

    def __len__(self) -> int:
        return len(self._boards)

    def _hear(self, news: News) -> None:
        if isinstance(news, AnswerBegan) and news.session_id not in self._boards:
            # A command is kept nowhere but on a board: one whose page has yet to ask for it.
            record = news.answer.conversation.session.record
            versions = [versions_of(turn, record) for turn in record.turns]
            self._boards[news.session_id] = Board(news.session_id, record.turns, None, versions)
            self._forget_idle()
        if board := self._boards.get(news.session_id):
            board.hear(news)
        if isinstance(news, Deleted):
            self._boards.pop(news.session_id, None)
        if isinstance(news, Changed | Renewed | Over | Deleted):
            for each in self._boards.values():
                each.relist()

    def _is_read(self, session_id: str) -> bool:
        board = self._boards.get(session_id)
        return board is not None and board.readers > 0

    def _forget_idle(self) -> None:
        idle = [
            board.session_id
            for board in self._boards.values()
            if not board.readers and self.hub.running(board.session_id) is None
        ]
        for session_id in idle[:-MAX_IDLE]:
            del self._boards[session_id]


def state_of(conversation: Conversation, rendering: Rendering) -> dict[str, Any]:
    """Return mode, switches, title and choices of a conversation in which nothing is under way."""
    state, record = conversation.state, conversation.session.record
    return {
        "mode": state.mode,
        "switch": {
            "value": state.switch.value,
            "saved": bool(record.switch),
            "disabled": state.switch.disabled,
            "hint": rendering.say.switch_hint(state.switch),
            "state": rendering.say.switch_state(state.switch),
        },
        "read": {
            "value": state.read.value,
            "saved": conversation.reads_pages,
            "disabled": state.read.disabled,
            "hint": rendering.say.switch_hint(state.read),
            "state": rendering.say.switch_state(state.read),
        },
        "running": None,
        "title": record.title,
        "choices": record.choices,
        "follow_ups": conversation.wishes_follow_ups,
        "files": [{"id": file.id, "name": file.name} for file in record.files],
    }
