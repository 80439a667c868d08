"""The assistant: opens conversations, answers in them, and keeps them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from datetime import date
from typing import TYPE_CHECKING, Self

from citeseek.assistant.client_pool import Clients
from citeseek.assistant.events import Event
from citeseek.assistant.session import OpenSession
from citeseek.conversations.conversation_record import Record, new_record
from citeseek.conversations.store import Nowhere, Store, open_memory
from citeseek.conversations.switches import Mode
from citeseek.errors import InvalidInput, NoConversation
from citeseek.extras import needing
from citeseek.language_model.model import Model
from citeseek.person import Person, current_person
from citeseek.settings import Settings
from citeseek.tools.search_options import Options

with needing("agent"):
    from citeseek.assistant.conversation import Conversation

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

# Idle conversations beyond these are closed: what was said is kept, cached answers are not.
MAX_OPEN = 256


class Assistant:
    """Chat mode and Agent mode over one or more conversations.

    Use it as an async context manager. ``load`` reads the settings, anew for each conversation.
    ``store`` keeps conversations, by default in memory. ``model`` replaces the one of the settings;
    ``tools`` are given to the model in Agent mode beside the search.
    """

    def __init__(
        self,
        load: Callable[[], Settings] = Settings.load,
        *,
        store: Store | None = None,
        model: Model | None = None,
        tools: Sequence[BaseTool] = (),
        today: Callable[[], date] = date.today,
    ) -> None:
        self.store: Store = open_memory() if store is None else store
        self.clients = Clients(load)
        self._model = model
        self._tools = tools
        self._today = today
        self._open: dict[str, Conversation] = {}
        # Whether an answer that was begun and is not made here was cut off by the end of a process.
        self.recovers = True
        # Each is told of a conversation that another process went on with.
        self.watchers: list[Callable[[Conversation], None]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(
        self,
        session_id: str | None = None,
        *,
        agent_id: str | None = None,
        mode: Mode | None = None,
        web_search: Options | None = None,
    ) -> Conversation:
        """Return the conversation ``session_id``, or without an id a new one.

        A new one begins in ``mode``, by default in Chat mode, or in Agent mode with an
        ``agent_id``: that of an agent of agents.json, which may search there only if it is enabled.
        ``web_search`` are the options of its search in Agent mode, as
        :func:`~citeseek.tools.search_options.load_agent_config` resolves them; they go before the
        files, and their key is not kept. Raise InvalidInput when there is no such conversation or
        agent, NoConversation for one of another person.
        """
        record = None
        if mode not in (None, "chat", "agent"):
            raise InvalidInput(
                f"There is no mode {mode!r:.40}.",
                hint="Use chat or agent.",
                values={"case": "no_mode", "mode": f"{mode!r:.40}"},
            )
        if session_id is not None and agent_id is not None:
            raise InvalidInput(
                "A conversation keeps its agent: name one or the other.",
                values={"case": "agent_of_conversation"},
            )
        if session_id is not None and web_search is not None:
            raise InvalidInput(
                "A conversation keeps its search: name one or the other.",
                values={"case": "search_of_conversation"},
            )
        if session_id is None:
            self.clients.current().settings.check_agent(agent_id)
            mode = mode or ("agent" if agent_id or web_search is not None else "chat")
            record = new_record(agent_id=agent_id, mode=mode, web_search=web_search)
        else:
            record = await self._find(session_id)
        # Somebody else may have opened it meanwhile; there must be one registry of its numbers.
        if record is None or record.id in self._open:
            conversation = self._open.pop(session_id or "")
            # The most recently used stands last.
            self._open[conversation.id] = conversation
            await self._refresh(conversation)
        else:
            # What a guest says is known as long as the conversation is open, and no longer.
            store = Nowhere() if current_person().is_guest else None
            conversation = self._open[record.id] = self._conversation(record, store)
            if web_search is not None:
                conversation.session.web_search = web_search
            if self.recovers:
                await conversation.kept.recover()
        await conversation.look_for_engine()
        self._close_idle()
        return conversation

    async def _find(self, session_id: str) -> Record | None:
        """Return a conversation of the store, None for one that is open; raise NoConversation."""
        if opened := self._open.get(session_id):
            if opened.person.name == current_person().name:
                return None
        elif record := await self.store.get(session_id):
            return record
        raise NoConversation(
            f"There is no conversation {session_id!r:.60}.",
            values={"case": "usual", "id": f"{session_id!r:.60}"},
        )

    async def _refresh(self, conversation: Conversation) -> None:
        try:
            if await conversation.kept.refresh():
                for watcher in self.watchers:
                    watcher(conversation)
        except NoConversation:
            self.end(conversation.id)
            raise

    def fresh(self, mode: Mode = "chat") -> Conversation:
        """Return a new conversation, which is neither opened nor kept, as a person finds it.

        Its switch is that of the setting ``chat.search``.
        """
        conversation = self._conversation(new_record(mode=mode))
        conversation.session.record.switch = conversation.usual_switch
        return conversation

    def unkept(self, record: Record) -> Conversation:
        """Return a conversation as ``record`` tells it, of which nothing is kept."""
        return self._conversation(record, Nowhere())

    async def stream(
        self,
        message: str,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        mode: Mode | None = None,
        search: bool | None = None,
    ) -> AsyncGenerator[Event]:
        """Answer one message in a conversation, by default a new one that searches in Chat mode.

        ``search`` moves the switch of Chat mode first; see :meth:`open` for the others.
        """
        conversation = await self.open(session_id, agent_id=agent_id, mode=mode)
        if search is None and session_id is None:
            search = True
        if search is not None:
            await conversation.set_switch(on=search)
        async with aclosing(conversation.stream(message)) as events:
            async for event in events:
                yield event

    def person_of(self, session_id: str) -> Person | None:
        """Return whose an open conversation is, None for one that is not open."""
        opened = self._open.get(session_id)
        return opened.person if opened else None

    def read_again(self, session_id: str) -> None:
        """Take it that an open conversation is not as the store has it, which is found out next."""
        if opened := self._open.get(session_id):
            opened.session.last = None

    def end(self, session_id: str) -> None:
        """End a session: its cached answers are forgotten; what was said stays in the store."""
        if conversation := self._open.pop(session_id, None):
            conversation.session.end()

    def end_all(self, is_theirs: Callable[[str], bool]) -> list[str]:
        """End the sessions of the person of that name; return their ids."""
        theirs = [each.id for each in self._open.values() if is_theirs(each.person.name)]
        for session_id in theirs:
            self.end(session_id)
        return theirs

    async def delete(self, session_id: str) -> None:
        """Forget a conversation for good."""
        self.end(session_id)
        await self.store.delete(session_id)

    async def close(self) -> None:
        """End every session and close what was opened."""
        for session_id in list(self._open):
            self.end(session_id)
        await self.clients.close()
        await self.store.close()

    def _conversation(self, record: Record, store: Store | None = None) -> Conversation:
        return Conversation(
            OpenSession(record),
            self.clients.current(),
            store or self.store,
            model=self._model,
            tools=self._tools,
            today=self._today,
        )

    def _close_idle(self) -> None:
        for conversation in list(self._open.values())[:-MAX_OPEN]:
            if not conversation.session.busy.locked():
                self.end(conversation.id)
