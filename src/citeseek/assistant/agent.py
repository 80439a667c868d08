"""Agent mode: the model decides what to search and when, and answers with the session's numbers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import date

import msgspec
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool

from citeseek import fence
from citeseek.assistant import prompts
from citeseek.assistant.agent_run import AgentRun, Listener, Seen
from citeseek.assistant.draft import Draft
from citeseek.assistant.events import Event, Notice, SearchBroken, SearchDone
from citeseek.assistant.memory import recalled
from citeseek.assistant.model import Model
from citeseek.assistant.model_failures import failure
from citeseek.assistant.session import Search, Turn
from citeseek.models import Failure
from citeseek.settings import Settings
from citeseek.tools.budget import tokens
from citeseek.tools.langchain import WebSearchTool
from citeseek.tools.web_search import Begun, Call


class AgentLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What Agent mode keeps to: see the settings of the same names."""

    max_searches: int
    conversation_tokens: int

    @classmethod
    def of(cls, settings: Settings) -> AgentLimits:
        """Return what ``settings`` say."""
        return cls(
            max_searches=settings.get("assistant.max_searches").value,
            conversation_tokens=settings.get("assistant.conversation_tokens").value,
        )


class Agent:
    """Answers messages in Agent mode with the tools that it is given.

    ``search`` makes the search tool with a listener; there is none when the agent that was opened
    may not search. ``tools`` are the caller's own and are left as they are.
    """

    def __init__(
        self,
        model: Model,
        search: Callable[[Listener], WebSearchTool] | None,
        limits: AgentLimits,
        tools: Sequence[BaseTool] = (),
    ) -> None:
        self._model = model
        self._search = search
        self._tools = tools
        self._limits = limits

    async def answer(
        self, draft: Draft, earlier: Sequence[Turn], *, today: date
    ) -> AsyncGenerator[Event]:
        """Let the model work on the draft's message and tell what happens. Raise ModelFailed."""
        first = len(draft.registry.rounds)
        system = prompts.agent_system(today)
        left = self._limits.conversation_tokens - tokens(system) - tokens(draft.message)
        question = HumanMessage(draft.message)
        messages = [*recalled(earlier, "agent", left, fence.new_id()), question]
        run = AgentRun(self._model, self._search, self._tools, self._limits.max_searches, system)
        try:
            async for seen in run.events(messages):
                for event in _told(draft, seen):
                    yield event
        finally:
            await run.end()
        if run.reached_limit:
            text = f"已达到每次回答最多 {self._limits.max_searches} 次搜索的上限。"
            values = {"limit": str(self._limits.max_searches)}
            yield draft.note(Notice(code="search_limit", text=text, values=values))
        if draft.is_empty:
            raise failure("empty")
        for event in draft.finish(draft.registry.rounds[first:]):
            yield event


def _told(draft: Draft, seen: Seen) -> list[Event]:
    """Return the events that a reader sees of ``seen``, and keep it in the draft."""
    match seen:
        case AIMessage():
            draft.heard(seen.response_metadata)
            return list(draft.write(seen.text)) if seen.text else []
        case ToolMessage():
            return list(draft.set_aside())
        case Begun():
            return [*draft.set_aside(), draft.begin_search(seen.number, seen.query)]
        case Call():
            return [_ended(draft, seen)]
        case _:
            return []


def _ended(draft: Draft, call: Call) -> Event:
    failure = Failure.of(call.error) if call.error else None
    response = call.response
    draft.end_search(
        call.number,
        Search(
            query=call.query,
            text=call.text,
            numbers=tuple(source.number for source in call.sources),
            round=call.round,
            provider=response.provider if response else "",
            cached=bool(response and response.cached),
            took_ms=response.took_ms if response else 0,
            ignored=response.ignored if response else (),
            failure=failure,
        ),
    )
    if failure is not None:
        return SearchBroken(call=call.number, query=call.query, failure=failure)
    assert response is not None  # noqa: S101 - a call without an error has an answer
    return SearchDone(
        call=call.number,
        query=call.query,
        sources=call.sources,
        provider=response.provider,
        round=call.round,
        cached=response.cached,
        took_ms=response.took_ms,
        ignored=response.ignored,
    )
