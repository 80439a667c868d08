"""One answer in the making: the model, the tools and the day that it is made with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from citeseek.answering.source_values import assess_sources, values_of
from citeseek.assistant import notices, recorded_answer
from citeseek.assistant.answer_draft import Draft
from citeseek.assistant.answer_gate import AnswerGate
from citeseek.assistant.answer_tools import read_tool_of, search_tool_of
from citeseek.assistant.chat import Chat, ChatLimits
from citeseek.assistant.choices import first_labels, with_engine
from citeseek.assistant.events import Event, Notice
from citeseek.assistant.program import Program
from citeseek.assistant.session import OpenSession
from citeseek.client import Client
from citeseek.conversations.conversation_record import Choices
from citeseek.errors import CiteseekError, InvalidInput
from citeseek.faces import AGENT, CHAT
from citeseek.language_model.model import NO_SAMPLING, Model, load_model
from citeseek.language_model.model_options import EXTRACTIVE
from citeseek.settings.assistant_settings import Gate
from citeseek.tools.search_options import is_enabled
from citeseek.tools.tool_definitions import WEB_FETCH

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from citeseek.assistant.agent_run import Listener
    from citeseek.tools.langchain import WebFetchTool, WebSearchTool


# An engine that failed so long ago in a conversation may be well again.
_LATELY_SECONDS = 600.0


class Responder:
    """Makes the answers of a session in either mode; ``model`` replaces the one of the settings."""

    def __init__(
        self,
        session: OpenSession,
        client: Client,
        *,
        model: Model | None,
        tools: Sequence[BaseTool],
        clock: recorded_answer.AnswerClock,
    ) -> None:
        self.tools = tools
        self._session = session
        self._client = client
        self._given_model = model
        self._clock = clock

    @property
    def model_name(self) -> str:
        """The model that answers: the one chosen here, the one given, or that of the settings."""
        if chosen := self._session.record.choices.model:
            return chosen
        if self._given_model is not None:
            return self._given_model.name
        return self._client.settings.model.name

    @property
    def may_search(self) -> bool:
        """Whether there is a search tool: always, but for an agent of agents.json without one.

        What the conversation was opened with goes before that.
        """
        if (options := self._session.web_search) is not None:
            return is_enabled(options)
        agent_id = self._session.record.agent_id
        return agent_id is None or self._client.settings.agent(agent_id, AGENT).enabled

    @property
    def reads_pages(self) -> bool:
        """Whether Chat mode reads what it finds: as chosen here, else as the settings say."""
        chosen = self._session.record.read
        return self._client.settings.chat.read if chosen is None else chosen

    @property
    def gate(self) -> Gate:
        """What is done with sentences that a page contradicts, as chosen or by the settings."""
        return self._session.record.gate or self._client.settings.answer.gate

    async def events(self, draft: Draft, program: Program) -> AsyncGenerator[Event]:
        """Make the answer in the mode of ``draft``, collect it there, and yield what happens.

        In Chat mode the functions of a ``program`` are not offered. Raise ModelFailed when the
        model does.
        """
        choices = await self._with_engine(draft)
        for notice in self._notice_replaced_engine(choices):
            yield draft.note(notice)
        is_chat = draft.mode == "chat"
        make = self._chat if is_chat else self._agent
        events = make(draft, choices, program)
        async with aclosing(events):
            async for event in events:
                yield event
        async for notice in self._compare(draft):
            yield notice
        if draft.unknown_sources:
            yield draft.note(notices.unknown_sources(draft.unknown_sources))
        if draft.unread_marks:
            yield draft.note(notices.unread_marks(draft.unread_marks))
        if draft.finish_reason in notices.CUT_OFF:
            yield draft.note(notices.cut_off(draft.finish_reason))

    async def _compare(self, draft: Draft) -> AsyncIterator[Notice]:
        """Keep with the answer how surely it answers, and say where its sources differ."""
        if not draft.sources:
            return
        sources = draft.with_passages(draft.sources)
        found = await asyncio.to_thread(assess_sources, draft.message, sources)
        if self.model_name == EXTRACTIVE:
            draft.confidence = found.confidence
        draft.voices = values_of(found, sources)
        if draft.voices:
            yield draft.note(notices.sources_differ(draft.voices))

    async def _with_engine(self, draft: Draft) -> Choices:
        """Return the choices, with an engine to ask if one will be and nobody named one."""
        record = self._session.record
        if draft.mode == "chat":
            will_search = bool(record.switch)
        else:
            will_search = record.agent_id is None and self._session.web_search is None
        if not will_search:
            return record.choices
        return await with_engine(record.choices, self._client, is_there=recorded_answer.is_there)

    def _notice_replaced_engine(self, choices: Choices) -> Iterator[Notice]:
        """Say once in a conversation that another engine is asked than the usual one."""
        record = self._session.record
        was_said = any(
            said.code == notices.NO_ENGINE for turn in record.turns for said in turn.notices
        )
        if choices.engines != record.choices.engines and not was_said:
            yield notices.no_engine(first_labels(choices, self._client))

    async def _chat(
        self, draft: Draft, choices: Choices, program: Program
    ) -> AsyncGenerator[Event]:
        record = self._session.record
        async with self.model(program.sampling) as model:
            limits = ChatLimits.of(self._client.settings)
            failed = partial(self._search_notice, draft)
            chat = Chat(self._client, model, limits, failed=failed, clock=self._clock)
            answer = chat.answer(
                draft,
                record.turns,
                choices,
                search=bool(record.switch),
                read=self.reads_pages,
                files=record.files,
                today=self._clock.today(),
                instructions=_join(record.instructions, program.instructions),
                retry=self._session.is_retry(draft.message, draft.versions),
            )
            async with aclosing(AnswerGate(draft, model).events(answer)) as events:
                async for event in events:
                    yield event
        if model.is_extractive and not draft.searches and not record.files:
            yield draft.note(notices.SEARCH_OFF)

    async def _agent(
        self, draft: Draft, choices: Choices, program: Program
    ) -> AsyncGenerator[Event]:
        from citeseek.assistant.agent import AgentLimits, SearchingAgent  # noqa: PLC0415 - one second

        limits = AgentLimits.of(self._client.settings)

        made: list[WebSearchTool] = []

        def search_tool(listener: Listener) -> WebSearchTool:
            made.append(search_tool_of(self._session, self._client, listener, choices, draft))
            return made[-1]

        def read_tool(listener: Listener) -> WebFetchTool:
            return read_tool_of(self._session, self._client, listener, draft)

        async with self.model(program.sampling) as model:
            agent = SearchingAgent(
                model,
                search_tool if self.may_search else None,
                limits,
                self.tools,
                read=read_tool if limits.max_reads and self._may_read else None,
                failed=partial(self._search_notice, draft),
                program=program,
            )
            record = self._session.record
            answer = agent.answer(
                draft,
                record.turns,
                today=self._clock.today(),
                instructions=_join(record.instructions, program.instructions),
                files=record.files,
            )
            try:
                async with aclosing(AnswerGate(draft, model).events(answer)) as events:
                    async for event in events:
                        yield event
            finally:
                for tool in made:
                    # One with options of its own may have opened a client for them.
                    await tool.aclose()
        if draft.calls or draft.searches or any(read.number for read in draft.reads):
            return
        if program.results:
            # What was searched for its question was searched before the functions ran.
            return
        if model.is_extractive and not self.may_search:
            yield draft.note(notices.NO_SEARCH_TOOL)
        else:
            code = "earlier_sources" if draft.sources else "no_search"
            yield draft.note(Notice(code=code))

    def _search_notice(self, draft: Draft, error: CiteseekError) -> Notice:
        record, client = self._session.record, self._client
        is_chat = draft.mode == "chat"
        face = CHAT if is_chat or record.agent_id is None else AGENT
        turns = (*record.turns, *record.others)
        failed = notices.failed_lately(turns, since=draft.at - _LATELY_SECONDS)
        return notices.search_failed(
            error,
            seconds=record.choices.seconds or client.settings.face(face).seconds.value,
            label=client.registry.label(error.engine),
            address=client.address(error.engine),
            lately=dict.fromkeys((*failed, *recorded_answer.cooling_engines(client))),
            # Agents decide it themselves, and the built-in model only quotes what is found.
            needs_search=not is_chat or self.model_name == EXTRACTIVE,
        )

    @asynccontextmanager
    async def model(self, sampling: Mapping[str, float] = NO_SAMPLING) -> AsyncIterator[Model]:
        """Give the model of one answer; its connections end with it, unless it was given to us.

        Raise InvalidInput where one that was given to us is to sample otherwise.
        """
        name = self._session.record.choices.model
        given = self._given_model
        if given is not None and name in (None, given.name):
            if sampling and not given.is_extractive and not recorded_answer.is_repeated():
                raise InvalidInput("The model was given whole: its sampling cannot be changed.")
            yield recorded_answer.load(lambda: given)
            return
        # The libraries take seconds to be loaded, in which other answers go on.
        load = partial(load_model, self._client.settings, name, sampling)
        model = await asyncio.to_thread(recorded_answer.load, load)
        try:
            yield model
        finally:
            await model.close()

    @property
    def _may_read(self) -> bool:
        """Whether pages are read: not by configured agents, which say what they may do."""
        own = any(tool.name == WEB_FETCH.name for tool in self.tools)
        session = self._session
        return session.record.agent_id is None and session.web_search is None and not own


def _join(*instructions: str) -> str:
    return "\n\n".join(filter(None, instructions))
