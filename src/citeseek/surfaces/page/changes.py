"""What is sent to a reader of a conversation: everything newer than what it has seen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

import msgspec

from citeseek.conversations.conversation_record import SessionSummary
from citeseek.errors import NoConversation
from citeseek.surfaces.page.live_conversation import Board
from citeseek.surfaces.page.live_conversations import Boards
from citeseek.surfaces.page.live_turn import Sent
from citeseek.surfaces.page.rendering import Rendering

# What happens within less than a frame of a screen is sent as one.
PAUSE_SECONDS = 0.01
# What took long, a long text for example, is told less often: the time between belongs to others.
PAUSES_OF_WORK = 4
LONGEST_PAUSE_SECONDS = 1.0
# A page cannot tell a connection that was lost on the way from one without news.
STILL_SECONDS = 15.0


class Batch(msgspec.Struct, frozen=True):
    """Changes that go together; who has seen them has seen ``mark``, empty when it is the end.

    That is ``revision`` of the conversation.
    """

    sent: list[Sent]
    mark: str = ""
    revision: int = 0


async def changes(
    boards: Boards, board: Board, mark: str, rendering: Rendering
) -> AsyncGenerator[Batch]:
    """Yield what is newer than ``mark``, then what changes, until the conversation is gone.

    ``still`` says that there is nothing new. Ends with ``stale`` when the board does not know the
    mark, and when it begins anew.
    """
    board.readers += 1
    try:
        epoch, seen = board.epoch, board.seen(mark)
        while seen is not None and epoch == board.epoch:
            if not await _has_news(board, seen, epoch):
                yield Batch([Sent("still", {})], board.mark_of(seen))
                continue
            began = time.monotonic()
            batch = await _newer(boards, board, seen, rendering)
            if epoch != board.epoch:
                break
            seen = batch.revision
            if batch.sent:
                yield batch
            if not batch.mark:
                return
            pause = PAUSES_OF_WORK * (time.monotonic() - began)
            await asyncio.sleep(min(max(pause, PAUSE_SECONDS), LONGEST_PAUSE_SECONDS))
        yield Batch([Sent("stale", {})])
    finally:
        board.readers -= 1


async def _has_news(board: Board, seen: int, epoch: str) -> bool:
    try:
        async with asyncio.timeout(STILL_SECONDS):
            await board.later_than(seen, epoch)
    except TimeoutError:
        return False
    return True


async def _list_and_prepare(
    boards: Boards, board: Board, seen: int, rendering: Rendering
) -> tuple[list[SessionSummary] | None, int]:
    """Return the list of conversations and a revision that knows of none later than that list.

    None when it has not changed since ``seen``: to ask the store takes longer than to show a word.
    """
    while True:
        since = board.history_since
        listed = await boards.conversations() if since > seen else None
        revision = await board.prepare(rendering)
        if board.history_since == since:
            return listed, revision


async def _newer(boards: Boards, board: Board, seen: int, rendering: Rendering) -> Batch:
    """Return what is newer than ``seen``; what it tells is read at once, after all waiting."""
    try:
        conversation = await boards.hub.open(board.session_id)
        listed, revision = await _list_and_prepare(boards, board, seen, rendering)
    except NoConversation:
        return Batch([Sent("gone", {})])
    if board.is_gone:
        return Batch([Sent("gone", {})])
    sent = board.since(seen, rendering)
    if board.state_since > seen:
        sent.insert(0, Sent("state", boards.state(conversation, rendering)))
    if listed is not None:
        sent.append(Sent("history", {"html": rendering.history(listed, board.session_id)}))
    return Batch(sent, board.mark_of(revision), revision)
