"""Agent mode: the model decides what to search and when, and answers with the session's numbers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, TypeAlias, cast
from uuid import uuid4

import msgspec
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolCallLimitMiddleware
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphRecursionError

from citeseek import fence
from citeseek.assistant import prompts
from citeseek.assistant.draft import Draft
from citeseek.assistant.events import Event, Notice, SearchBroken, SearchDone, SearchStarted
from citeseek.assistant.memory import recalled
from citeseek.assistant.model import Model
from citeseek.assistant.model_failures import failure, renamed
from citeseek.assistant.session import Search, Turn
from citeseek.models import Failure
from citeseek.settings import Settings
from citeseek.tools.budget import tokens
from citeseek.tools.langchain import WebSearchTool
from citeseek.tools.web_search import Begun, Call

# What the graph needs for one call of the model with its tools, and for some that lead nowhere.
_STEPS = 8
_SPARE = 4

_UNREADABLE = "参数错误 (invalid argument): 参数不是 JSON 对象 (the arguments are no JSON object)."
_FAILED = "工具 {name} 出错，没有结果 (the tool failed and gave no result)."

log = logging.getLogger(__name__)

Listener: TypeAlias = Callable[[Begun | Call], None]
_Seen: TypeAlias = BaseMessage | Begun | Call | None


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
        run = _Run(self._model, self._search, self._tools, self._limits, system)
        try:
            async for seen in run.events(messages):
                for event in _told(draft, seen):
                    yield event
        finally:
            await run.end()
        if run.reached_limit:
            text = f"已达到每次回答最多 {self._limits.max_searches} 次搜索的上限。"
            yield draft.note(Notice(code="search_limit", text=text))
        if draft.is_empty:
            raise failure("empty")
        for event in draft.finish(draft.registry.rounds[first:]):
            yield event


class _Run:
    """One run of the agent's graph, whose events and the tool's come out of one queue."""

    def __init__(
        self,
        model: Model,
        search: Callable[[Listener], WebSearchTool] | None,
        tools: Sequence[BaseTool],
        limits: AgentLimits,
        system: str,
    ) -> None:
        self._watch = _Watch(limits.max_searches, model.seconds)
        self._seconds = model.seconds
        self._queue: asyncio.Queue[_Seen] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._steps = _STEPS * (limits.max_searches + _SPARE)
        limit = ToolCallLimitMiddleware[Any, Any](
            tool_name="web_search", run_limit=limits.max_searches, exit_behavior="continue"
        )
        self._graph = create_agent(
            model.chat,
            [*([search(self._queue.put_nowait)] if search else ()), *tools],
            system_prompt=system,
            middleware=[limit, self._watch],
        )

    @property
    def reached_limit(self) -> bool:
        """Whether the model was told to answer without further searches."""
        return self._watch.reached_limit

    async def events(
        self, messages: list[BaseMessage]
    ) -> AsyncGenerator[BaseMessage | Begun | Call]:
        """Yield what happens, in order.

        Raise ModelFailed when the model fails, is silent for too long, or never comes to an end.
        """
        self._task = asyncio.create_task(self._work(messages))
        while (seen := await self._next()) is not None:
            yield seen
        with suppress(asyncio.CancelledError):
            await self._task

    async def end(self) -> None:
        """Stop what still runs."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _next(self) -> _Seen:
        while True:
            try:
                async with asyncio.timeout(self._seconds):
                    return await self._queue.get()
            except TimeoutError:
                if self._watch.calling:
                    raise renamed(TimeoutError(), seconds=self._seconds) from None

    async def _work(self, messages: list[BaseMessage]) -> None:
        try:
            asked: Any = {"messages": messages}
            config: RunnableConfig = {"recursion_limit": self._steps}
            stream = self._graph.astream(asked, config, stream_mode="messages")
            async for message, _ in stream:
                self._queue.put_nowait(cast("BaseMessage", message))
        except GraphRecursionError as error:
            raise renamed(error) from None
        finally:
            self._queue.put_nowait(None)


class _Watch(AgentMiddleware[Any, Any]):
    """Knows when the model is at work, renames its errors, and takes the tools away in the end.

    The model is told of calls that cannot be read and of tools that fail: its answer goes on.
    """

    def __init__(self, max_searches: int, seconds: float) -> None:
        self._seconds = seconds
        self.calling = False
        self.reached_limit = False
        self._max_searches = max_searches
        self._unreadable: set[str | None] = set()

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Call the model."""
        done = sum(
            isinstance(message, ToolMessage) and message.name == "web_search"
            for message in _since_question(request.messages)
        )
        if done >= self._max_searches:
            self.reached_limit = True
            request = request.override(tools=[])
        self.calling = True
        try:
            response = await handler(request)
        except Exception as error:  # noqa: BLE001 - the table names them all
            raise renamed(error, seconds=self._seconds) from None
        finally:
            self.calling = False
        for message in response.result:
            if isinstance(message, AIMessage):
                self._read(message)
        return response

    def _read(self, message: AIMessage) -> None:
        """Make calls of those whose arguments are no JSON object, so that they are answered."""
        for broken in message.invalid_tool_calls:
            call_id = broken["id"] or uuid4().hex
            self._unreadable.add(call_id)
            message.tool_calls.append(
                ToolCall(name=broken["name"] or "", args={}, id=call_id, type="tool_call")
            )
        message.invalid_tool_calls = []

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Call the tool."""
        call = request.tool_call
        if call["id"] in self._unreadable:
            text = _UNREADABLE
        else:
            try:
                return await handler(request)
            except Exception as error:
                log.exception("The tool %s failed: %s", call["name"], type(error).__name__)
                text = _FAILED.format(name=call["name"])
        return ToolMessage(text, tool_call_id=call["id"], name=call["name"], status="error")


def _since_question(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    last = max(
        (place for place, message in enumerate(messages) if isinstance(message, HumanMessage)),
        default=0,
    )
    return messages[last:]


def _told(draft: Draft, seen: BaseMessage | Begun | Call) -> list[Event]:
    """Return the events that a reader sees of ``seen``, and keep it in the draft."""
    match seen:
        case AIMessage():
            return list(draft.write(seen.text)) if seen.text else []
        case ToolMessage():
            return list(draft.set_aside())
        case Begun():
            return [*draft.set_aside(), SearchStarted(call=seen.number, query=seen.query)]
        case Call():
            return [_ended(draft, seen)]
        case _:
            return []


def _ended(draft: Draft, call: Call) -> Event:
    failure = Failure.of(call.error) if call.error else None
    response = call.response
    draft.searches.append(
        Search(
            query=call.query,
            text=call.text,
            numbers=tuple(source.number for source in call.sources),
            round=call.round,
            provider=response.provider if response else "",
            cached=bool(response and response.cached),
            failure=failure,
        )
    )
    if failure or response is None:
        return SearchBroken(
            call=call.number,
            query=call.query,
            failure=failure or Failure(type="", message="", retryable=False),
        )
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
