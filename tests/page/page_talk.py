"""Conversations with a hub, a loopback engine and a scripted model, as the page sees them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from selectolax.lexbor import LexborHTMLParser
from tests.assistant.agent_runs import Bench, bench
from tests.conftest import settings

from citeseek.assistant.assistant import Assistant
from citeseek.assistant.conversation import Conversation
from citeseek.conversations.conversation_record import Record, Turn
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.conversations.store import Store
from citeseek.i18n import catalogue
from citeseek.live_answers.hub import Hub
from citeseek.live_answers.live_answer import LiveAnswer
from citeseek.searching.engine_registry import Registry
from citeseek.surfaces.page.changes import Batch, changes
from citeseek.surfaces.page.live_conversation import Board
from citeseek.surfaces.page.live_conversations import Boards
from citeseek.surfaces.page.live_turn import LiveTurn
from citeseek.surfaces.page.panel import labels
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.page.turn_reducer import begin, reduce
from citeseek.surfaces.page.views import TurnView


class Talk:
    """One conversation of a hub."""

    def __init__(self, at: Bench, hub: Hub, boards: Boards, conversation: Conversation) -> None:
        self.at = at
        self.model = at.model
        self.hub = hub
        self.boards = boards
        self.id = conversation.id
        self.conversation = conversation

    async def ask(self, message: str, instead_of: str = "") -> LiveAnswer:
        """Begin an answer."""
        return await self.hub.ask(self.id, message, instead_of=instead_of)

    async def say(self, message: str, instead_of: str = "") -> LiveAnswer:
        """Return the answer when it is over."""
        answer = await self.ask(message, instead_of)
        async for _ in answer.follow():
            pass
        return answer

    async def board(self) -> Board:
        return (await self.boards.open(self.id))[0]

    async def conversation_now(self) -> Record:
        """Return the conversation as those who open it get it."""
        return (await self.hub.open(self.id)).session.record

    async def kept(self) -> Turn:
        """Return the last turn as the store has it."""
        record = await self.hub.assistant.store.get(self.id)
        assert record
        return record.turns[-1]


@asynccontextmanager
async def talking(
    mode: str = "chat", *, search: bool = True, store: Store | None = None, **env: str
) -> AsyncIterator[Talk]:
    """Give a conversation whose engine finds three pages for each query."""
    with bench() as at:
        at.env |= env
        async with Assistant(at.load, store=store or MemoryStore()) as assistant:
            hub = Hub(assistant)
            conversation = await hub.create(mode=mode, search=search)  # type: ignore[arg-type]
            yield Talk(at, hub, Boards(hub), conversation)
            await hub.close()


def rendering(lang: str = "zh") -> Rendering:
    """Return the rendering of a language, with the engines' real names."""
    return Rendering(catalogue(lang), labels(Registry(), settings()))


def live(answer: LiveAnswer) -> TurnView:
    """Return the view that the events of an answer lead to."""
    first, *rest = answer.events
    view = begin(first)  # type: ignore[arg-type]
    for event in rest:
        view = reduce(view, event)
    return view


def html(view: TurnView, lang: str = "zh") -> str:
    """Return the whole turn."""
    turn = LiveTurn(view, "session", 1)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, turn.prepare(rendering(lang), 1)).result()
    return turn.html(rendering(lang))


class Reader:
    """A page that is open: it holds what it was sent, as the scripts of the page would."""

    def __init__(self, talk: Talk, board: Board, mark: str = "", lang: str = "zh") -> None:
        self.mark = mark
        self.state: dict[str, Any] = {}
        self.turns: dict[str, str] = {}
        self.parts: dict[tuple[str, str], str] = {}
        self.answers: dict[str, list[str]] = {}
        self.history = ""
        self.kinds: list[str] = []
        self.batches = changes(talk.boards, board, mark, rendering(lang))

    async def read(self) -> Batch:
        """Take the next batch."""
        async with asyncio.timeout(60):
            batch = await anext(self.batches)
        self.mark = batch.mark or self.mark
        for sent in batch.sent:
            self.kinds.append(sent.kind)
            self._take(sent.kind, sent.data)
        return batch

    async def read_until(self, is_so: Any) -> None:
        """Read on until ``is_so`` of this reader."""
        while not is_so(self):
            await self.read()

    async def close(self) -> None:
        await self.batches.aclose()

    def _take(self, kind: str, data: dict[str, Any]) -> None:
        match kind:
            case "order":
                self.turns = {id_: html for id_, html in self.turns.items() if id_ in data["turns"]}
            case "state":
                self.state = data
            case "turn":
                self.turns[data["turn"]] = data["html"]
                blocks = LexborHTMLParser(data["html"]).css('[data-part="answer"] > .block')
                self.answers[data["turn"]] = [block.html or "" for block in blocks]
            case "part":
                self.parts[data["turn"], data["part"]] = data["html"]
            case "blocks":
                blocks = self.answers[data["turn"]]
                assert data["from"] <= len(blocks) or not blocks
                blocks[data["from"] :] = data["html"]
            case "history":
                self.history = data["html"]
