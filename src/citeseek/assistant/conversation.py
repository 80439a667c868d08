"""One conversation at work: takes messages and commands, tells what happens, keeps it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

from msgspec import structs, to_builtins

from citeseek import observing, trace
from citeseek.assistant import commands, notices
from citeseek.assistant.chat import Chat, ChatLimits
from citeseek.assistant.checking import CheckedCitations, check_citations
from citeseek.assistant.choices import check, search_fields
from citeseek.assistant.draft import Draft, ended
from citeseek.assistant.events import Done, Event, Notice, State
from citeseek.assistant.message import cleaned
from citeseek.assistant.model import Model, load_model
from citeseek.assistant.session import Choices, Session, Turn, title_of
from citeseek.assistant.store import Store
from citeseek.assistant.switch import Mode, view
from citeseek.choosing import engine_name
from citeseek.citations import CitationRegistry, Round
from citeseek.client import Client
from citeseek.errors import ModelFailed, NoConversation
from citeseek.faces import AGENT, CHAT
from citeseek.observing.ledger import Ledger, Prices
from citeseek.observing.receipt import EgressReceipt
from citeseek.tools.definitions import CONFIGURED_WEB_SEARCH, WEB_FETCH, WEB_SEARCH
from citeseek.tools.web_search import WHOLE_SUMMARY, WebSearch
from citeseek.urls import same_page_key

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from citeseek.assistant.agent_run import Listener
    from citeseek.tools.langchain import WebSearchTool
    from citeseek.tools.langchain_fetch import WebFetchTool

NOT_SEARCHED = {
    "no_search": "本次回答未使用搜索，依据的是模型自身的知识 (answered without a search)。",
    "earlier_sources": "本次回答没有新的搜索，引用的是此前的来源 (cites earlier sources)。",
}


class Conversation:
    """An open conversation with the client and the model that it began with.

    Messages are answered one after the other. ``model`` replaces the one of the settings.
    """

    def __init__(
        self,
        session: Session,
        client: Client,
        store: Store,
        *,
        model: Model | None = None,
        tools: Sequence[BaseTool] = (),
        today: Callable[[], date] = date.today,
    ) -> None:
        self.session = session
        self._client = client
        self._store = store
        self._given_model = model
        self._tools = tools
        self._today = today

    @property
    def id(self) -> str:
        """The id of the session."""
        return self.session.id

    @property
    def state(self) -> State:
        """The mode, and what the search switch shows."""
        record = self.session.record
        switch = view(
            record.mode, record.switch, engine=self._engine_label, has_tool=self._may_search
        )
        return State(mode=record.mode, switch=switch)

    @property
    def usual_switch(self) -> bool:
        """The switch of a new conversation, as the settings say."""
        return bool(self._client.settings.get("chat.search").value)

    async def set_mode(self, mode: Mode) -> State:
        """Change the mode; the switch of Chat mode is kept for the way back."""
        self.session.record.mode = mode
        await self.keep()
        return self.state

    async def set_switch(self, *, on: bool) -> State:
        """Move the search switch; in Agent mode it cannot be moved."""
        if self.session.record.mode == "chat":
            self.session.record.switch = on
            await self.keep()
        return self.state

    async def keep(self) -> None:
        """Store the conversation, though nothing may have been said in it yet."""
        await self._store.put(self.session.record)

    async def rename(self, title: str) -> None:
        """Give the conversation another title; raise InvalidInput for an empty one."""
        await self.keep()
        await self._store.rename(self.id, title)
        self.session.record.title = title_of(title)

    async def choose(self, choices: Choices) -> None:
        """Change results, timeout, language, engine or model for what comes next.

        Raise InvalidInput for a choice that cannot be made, and change nothing then.
        """
        check(choices, self._client.registry)
        self.session.choose(choices)
        await self.keep()

    async def check(self, turn_id: str) -> CheckedCitations:
        """Compare the answer of a turn with the pages that it cites.

        Raise NoConversation when there is no such turn.
        """
        record = self.session.record
        turn = next((turn for turn in record.turns if turn.id == turn_id), None)
        if turn is None:
            raise NoConversation(f"There is no turn {turn_id!r:.60} in this conversation.")
        # An answer in Agent mode may cite what earlier ones found.
        earlier = self.session.registry if turn.mode == "agent" else ()
        return await check_citations(turn.answer, (*earlier, *turn.sources), self._client)

    async def stream(self, message: str, *, turn_id: str | None = None) -> AsyncGenerator[Event]:
        """Answer ``message``, a question or a command; end with :class:`Done`.

        Whoever stops listening stops the answer; what was written until then is kept, under
        ``turn_id`` if there is one. Raise InvalidInput for an empty message and for one of more
        than 32,000 characters.
        """
        message = cleaned(message)
        async with self.session.busy:
            if (command := commands.parse(message)) is not None:
                events = self._commanded(command)
            else:
                ledger = Ledger(self._prices)
                answered = self._answered(message, turn_id, ledger)
                events = self._client.recorded(
                    "answer",
                    lambda: self._told(message, turn_id),
                    observing.followed(None, answered, (ledger,)),
                )
            async with aclosing(events):
                async for event in events:
                    yield event

    def _told(self, message: str, turn_id: str | None) -> dict[str, Any]:
        """Return what a trace says of an answer before it begins, all that it depends on."""
        return {
            "message": message,
            "turn_id": turn_id,
            "model": self._model_name,
            "tools": [tool.name for tool in self._tools],
            "record": to_builtins(self.session.record),
        }

    async def _commanded(self, command: commands.Command) -> AsyncGenerator[Event]:
        record = self.session.record
        outcome = commands.apply(
            command, record, engine=self._engine_label, has_tool=self._may_search
        )
        if outcome.reset:
            self.session.reset()
            await self._store.clear(self.id)
        await self.keep()
        yield Notice(code="command", text=outcome.text)
        yield self.state
        yield Done(text="", outcome="command")

    async def _answered(
        self, message: str, turn_id: str | None, ledger: Ledger
    ) -> AsyncGenerator[Event]:
        record = self.session.record
        mode = record.mode
        registry = self.session.registry
        if mode == "chat":
            registry = CitationRegistry(same_page_key=same_page_key)
        first = len(registry.rounds)

        def rounds() -> tuple[Round, ...] | None:
            return registry.rounds[first:] if mode == "agent" else None

        draft = Draft(message, mode, registry, self._model_name, turn_id)
        self.session.begin(structs.replace(draft.turn(), notices=(notices.INTERRUPTED,)))
        await self.keep()
        try:
            yield draft.started
            events = self._chat(draft) if mode == "chat" else self._agent(draft)
            async with aclosing(events):
                async for event in events:
                    yield event
            if draft.finish_reason in notices.CUT_OFF:
                yield draft.note(notices.cut_off(draft.finish_reason))
            draft.outcome = "answered"
        except ModelFailed as error:
            draft.outcome = "failed"
            for event in draft.finish(rounds()):
                yield event
            yield draft.note(notices.model_failed(error, has_sources=bool(draft.sources)))
        finally:
            if draft.outcome == "stopped":
                draft.cut(rounds())
            egress = trace.drawn("egress", ledger.receipt(), EgressReceipt)
            turn = structs.replace(draft.turn(), egress=egress)
            self.session.add(turn)
            await _to_its_end(self._keep(turn))
        yield ended(turn)

    async def recover(self) -> None:
        """Keep the turn of an answer whose process ended before it did, if there is one."""
        if (turn := self.session.record.asked) is not None:
            self.session.add(turn)
            await self._keep(turn)

    async def _keep(self, turn: Turn) -> None:
        await self.keep()
        await self._store.add_turn(self.id, turn)

    async def _chat(self, draft: Draft) -> AsyncGenerator[Event]:
        record = self.session.record
        async with self._model() as model:
            chat = Chat(self._client, model, ChatLimits.of(self._client.settings))
            answer = chat.answer(
                draft,
                record.turns,
                record.choices,
                search=bool(record.switch),
                today=self._day,
                instructions=record.instructions,
            )
            async with aclosing(answer) as events:
                async for event in events:
                    yield event

    async def _agent(self, draft: Draft) -> AsyncGenerator[Event]:
        from citeseek.assistant.agent import Agent, AgentLimits  # noqa: PLC0415 - one second

        limits = AgentLimits.of(self._client.settings)

        def read_tool(listener: Listener) -> WebFetchTool:
            return self._read_tool(draft.message, listener)

        async with self._model() as model:
            agent = Agent(
                model,
                self._search_tool if self._may_search else None,
                limits,
                self._tools,
                read=read_tool if limits.max_reads and self._may_read else None,
            )
            record = self.session.record
            answer = agent.answer(
                draft, record.turns, today=self._day, instructions=record.instructions
            )
            async with aclosing(answer) as events:
                async for event in events:
                    yield event
        if not draft.searches and not any(read.number for read in draft.reads):
            code = "earlier_sources" if draft.sources else "no_search"
            yield draft.note(Notice(code=code, text=NOT_SEARCHED[code]))

    def _search_tool(self, listener: Listener) -> WebSearchTool:
        """Return the tool for one answer: its numbers and its cache are those of the session."""
        from citeseek.tools.langchain import WebSearchTool  # noqa: PLC0415 - with LangChain

        record, get = self.session.record, self._client.settings.get
        asked = search_fields(record.choices, get("chat.language").value)
        configured = record.agent_id is not None
        if configured:
            asked |= {"face": AGENT, "agent_id": record.agent_id}
        return WebSearchTool(
            WebSearch(
                self._client,
                CONFIGURED_WEB_SEARCH if configured else WEB_SEARCH,
                registry=self.session.registry,
                cache=None if configured else self.session.cache,
                max_results=AGENT.counts.high if configured else CHAT.counts.high,
                summary_chars=WHOLE_SUMMARY if configured else get("chat.summary_chars").value,
                call_tokens=get("assistant.call_tokens").value,
                cited=self.session.cited,
                listener=listener,
                **asked,
            )
        )

    def _read_tool(self, message: str, listener: Listener) -> WebFetchTool:
        """Return the tool for one answer, for pages that the person or a result has named."""
        from citeseek.tools.langchain_fetch import web_fetch_tool  # noqa: PLC0415 - with LangChain

        return web_fetch_tool(
            self._client,
            registry=self.session.registry,
            page_tokens=self._client.settings.get("assistant.call_tokens").value,
            named_in=[*(turn.message for turn in self.session.record.turns), message],
            listener=listener,
        )

    @asynccontextmanager
    async def _model(self) -> AsyncIterator[Model]:
        """Give the model of one answer; its connections end with it, unless it was given to us."""
        name = self.session.record.choices.model
        if self._given_model is not None and name in (None, self._given_model.name):
            # One that could not be made then fails at a replay as well.
            trace.called("model", lambda: None)
            yield self._given_model
            return
        made: list[Model] = []
        trace.called("model", lambda: made.append(load_model(self._client.settings, name)))
        (model,) = made
        try:
            yield model
        finally:
            await model.close()

    @property
    def _day(self) -> date:
        return trace.drawn("today", self._today(), date)

    @property
    def _prices(self) -> Prices:
        get = self._client.settings.get
        return Prices(get("model.price_in").value, get("model.price_out").value)

    @property
    def _model_name(self) -> str:
        if chosen := self.session.record.choices.model:
            return chosen
        if self._given_model is not None:
            return self._given_model.name
        name: str = self._client.settings.get("model.name").value
        return name

    @property
    def _may_search(self) -> bool:
        agent_id = self.session.record.agent_id
        return agent_id is None or self._client.settings.agent(agent_id, AGENT).enabled

    @property
    def _may_read(self) -> bool:
        """Whether pages are read: not by the agents of agents.json, which say what they may do."""
        own = any(tool.name == WEB_FETCH.name for tool in self._tools)
        return self.session.record.agent_id is None and not own

    @property
    def _engine_label(self) -> str:
        """The name of the engine that Chat mode asks."""
        client = self._client
        names = self.session.record.choices.engines or (
            engine_name(client.settings.face(CHAT), client.registry, client.settings).value,
        )
        return "、".join(map(client.registry.label, names))


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Finish ``work`` also when the caller is cancelled meanwhile."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
