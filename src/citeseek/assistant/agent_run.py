"""One run of LangChain's agent: its messages and the search tool's events, in one stream."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, cast
from uuid import uuid4

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolCallLimitMiddleware
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphRecursionError

from citeseek.assistant.model import Model
from citeseek.assistant.model_failures import renamed
from citeseek.assistant.question import place_of_question
from citeseek.tools.definitions import WEB_SEARCH
from citeseek.tools.langchain import WebSearchTool
from citeseek.tools.web_search import Begun, Call

# What the graph needs for one call of the model with its tools, and for some that lead nowhere.
_STEPS = 8
_SPARE = 4

_SEARCH = WEB_SEARCH.name
_UNREADABLE = "参数错误 (invalid argument): 参数不是 JSON 对象 (the arguments are no JSON object)."
_FAILED = "工具 {name} 出错，没有结果 (the tool failed and gave no result)."

log = logging.getLogger(__name__)

Listener: TypeAlias = Callable[[Begun | Call], None]
Seen: TypeAlias = BaseMessage | Begun | Call


class AgentRun:
    """One run of the agent's graph, whose events and the tool's come out of one queue."""

    def __init__(
        self,
        model: Model,
        search: Callable[[Listener], WebSearchTool] | None,
        tools: Sequence[BaseTool],
        max_searches: int,
        system: str,
    ) -> None:
        self._watch = _Watch(max_searches, model.seconds)
        self._seconds = model.seconds
        self._queue: asyncio.Queue[Seen | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._steps = _STEPS * (max_searches + _SPARE)
        limit = ToolCallLimitMiddleware[Any, Any](
            tool_name=_SEARCH, run_limit=max_searches, exit_behavior="continue"
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

    async def events(self, messages: list[BaseMessage]) -> AsyncGenerator[Seen]:
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

    async def _next(self) -> Seen | None:
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
            isinstance(message, ToolMessage) and message.name == _SEARCH
            for message in request.messages[place_of_question(request.messages) + 1 :]
        )
        if done >= self._max_searches:
            self.reached_limit = True
            others = [tool for tool in request.tools if getattr(tool, "name", "") != _SEARCH]
            request = request.override(tools=others)
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
            except Exception as error:  # noqa: BLE001 - whatever a tool raises
                # Its text may hold anything, a key as well.
                log.error("tool %s failed: %s", call["name"], type(error).__name__)  # noqa: TRY400
                text = _FAILED.format(name=call["name"])
        return ToolMessage(text, tool_call_id=call["id"], name=call["name"], status="error")
