"""One run of LangChain's agent: its messages and the events of our tools, in one stream."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, cast

import msgspec
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolCallLimitMiddleware
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphRecursionError

from citeseek.assistant.program import NO_PROGRAM, Program
from citeseek.conversations.conversation_record import FunctionCall
from citeseek.i18n import Catalogue
from citeseek.language_model.model import Model
from citeseek.language_model.model_failures import translate_failure
from citeseek.language_model.model_recording import RecordedCalls
from citeseek.language_model.shown_results import place_of_question
from citeseek.language_model.streaming.bounded_model import BoundedModel
from citeseek.language_model.streaming.deltas import new_call_id
from citeseek.language_model.streaming.written_calls import known_name, read_arguments
from citeseek.text import repair_surrogates
from citeseek.tools.web_fetch import FetchCall, Opening
from citeseek.tools.web_search import BegunCall, Call

# What the graph needs for one call of the model with its tools, and for some that lead nowhere.
_STEPS = 8
_SPARE = 4

log = logging.getLogger(__name__)

Told: TypeAlias = BegunCall | Call | Opening | FetchCall
Listener: TypeAlias = Callable[[Told], None]
# Makes one of our tools, which tells the listener of its calls.
ToolOf: TypeAlias = Callable[[Listener], BaseTool]
Seen: TypeAlias = BaseMessage | Told


class AgentRun:
    """One run of the agent's graph, whose events and our tools' come out of one queue.

    ``limits`` are the calls that a model may make of a tool, by the tool's name; with ``say`` it is
    told of calls that fail. The functions of ``program`` are offered and not run: the run ends with
    calls of them alone. Those beside calls of ours are left out, and the model may call them when
    it has seen what ours gave.
    """

    def __init__(
        self,
        model: Model,
        ours: Sequence[ToolOf],
        tools: Sequence[BaseTool],
        limits: Mapping[str, int],
        *,
        system: str,
        say: Catalogue,
        program: Program = NO_PROGRAM,
    ) -> None:
        self._seconds = model.seconds
        self._queue: asyncio.Queue[Seen | None] = asyncio.Queue()
        self._calls = RecordedCalls(
            model.name,
            model.seconds,
            lambda said: self._queue.put_nowait(AIMessageChunk(content=said)),
            host=model.host,
        )
        self._task: asyncio.Task[None] | None = None
        self._steps = _STEPS * (sum(limits.values()) + _SPARE)
        limiting = [
            ToolCallLimitMiddleware[Any, Any](
                tool_name=name, run_limit=limit, exit_behavior="continue"
            )
            for name, limit in limits.items()
        ]
        offered = [*(make(self._queue.put_nowait) for make in ours), *tools]
        names = frozenset(tool.name for tool in offered) | program.names
        self._watch = _Watch(names, limits, self._calls, program=program, say=say)
        self._graph = create_agent(
            BoundedModel(inner=model.chat, limits=model.limits, tools=names),
            [*offered, *map(dict, program.functions)],
            system_prompt=system,
            middleware=[*limiting, self._watch],
        )

    @property
    def spent(self) -> frozenset[str]:
        """The tools that were taken from the model since it had called them often enough."""
        return frozenset(self._watch.spent)

    @property
    def function_calls(self) -> tuple[FunctionCall, ...]:
        """The calls of the program's functions with which it ended."""
        return self._watch.function_calls

    @property
    def called(self) -> frozenset[str]:
        """The names of all functions and tools that were called."""
        return frozenset(self._watch.called)

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
                    raise translate_failure(TimeoutError(), seconds=self._seconds) from None

    async def _work(self, messages: list[BaseMessage]) -> None:
        try:
            asked: Any = {"messages": messages}
            config: RunnableConfig = {
                "recursion_limit": self._steps,
                "callbacks": self._calls.callbacks,
            }
            stream = self._graph.astream(asked, config, stream_mode="messages")
            async for message, _ in stream:
                self._queue.put_nowait(cast("BaseMessage", message))
        except GraphRecursionError as error:
            raise translate_failure(error) from None
        finally:
            self._queue.put_nowait(None)


class _Watch(AgentMiddleware[Any, Any]):
    """Knows when the model is at work, renames its errors, and takes the tools away in the end.

    The model is told of calls that cannot be read and of tools that fail: its answer goes on.
    """

    def __init__(
        self,
        tools: frozenset[str],
        limits: Mapping[str, int],
        calls: RecordedCalls,
        *,
        program: Program,
        say: Catalogue,
    ) -> None:
        self._tools = tools
        self._program = program
        self.function_calls: tuple[FunctionCall, ...] = ()
        self.called: set[str] = set()
        self._calls = calls
        self._say = say
        self.calling = False
        self.spent: set[str] = set()
        self._limits = limits
        self._unreadable: set[str | None] = set()

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Call the model."""
        since = request.messages[place_of_question(request.messages) + 1 :]
        done = Counter(message.name for message in since if isinstance(message, ToolMessage))
        self.spent |= {name for name, limit in self._limits.items() if done[name] >= limit}
        if self.spent:
            left = [tool for tool in request.tools if getattr(tool, "name", "") not in self.spent]
            request = request.override(tools=left)
        if self._program.missing(frozenset(self.called)):
            request = request.override(tool_choice=_choice(self._program.must_call))
        self.calling = True
        try:
            response = await self._calls.call(request, lambda: handler(request))
        finally:
            self.calling = False
        for place, message in enumerate(response.result):
            if isinstance(message, AIMessage):
                response.result[place] = sound = _with_sound_calls(message, self._tools)
                self._leave_to_program(sound)
                self._read(sound)
        return response

    def _leave_to_program(self, message: AIMessage) -> None:
        """Take the calls of the program's functions out of ``message``: nobody runs them here."""
        names = self._program.names
        self.called |= {call["name"] for call in message.tool_calls}
        theirs = [call for call in message.tool_calls if call["name"] in names]
        broken = [call for call in message.invalid_tool_calls if call["name"] in names]
        message.tool_calls = [call for call in message.tool_calls if call["name"] not in names]
        message.invalid_tool_calls = [
            call for call in message.invalid_tool_calls if call["name"] not in names
        ]
        if message.tool_calls or message.invalid_tool_calls:
            return
        calls = [
            FunctionCall(id=call["id"] or "", name=call["name"], arguments=_as_json(call["args"]))
            for call in theirs
        ]
        # What is no JSON is the program's to mend, as where it asks a model itself.
        calls += [
            FunctionCall(
                id=call["id"] or new_call_id(),
                name=call["name"] or "",
                arguments=repair_surrogates(call["args"] or ""),
            )
            for call in broken
        ]
        self.called |= {call.name for call in calls}
        self.function_calls = tuple(calls[:1] if self._program.one_call else calls)

    def _read(self, message: AIMessage) -> None:
        """Make calls of those whose arguments are no JSON object, so that they are answered."""
        for broken in message.invalid_tool_calls:
            call_id = broken["id"] or new_call_id()
            self._unreadable.add(call_id)
            message.tool_calls.append(
                ToolCall(name=broken["name"] or "", args={}, id=call_id, type="tool_call")
            )
        message.invalid_tool_calls = []

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Call the tool."""
        call = request.tool_call
        if call["id"] in self._unreadable:
            text = self._say("tool.not_an_object")
        else:
            try:
                return await self._calls.tool(call, lambda: handler(request))
            except Exception as error:  # noqa: BLE001 - whatever a tool raises
                # Its text may hold anything, a key as well.
                log.error("tool %s failed: %s", call["name"], type(error).__name__)  # noqa: TRY400
                text = self._say("tool.broken", name=call["name"])
        return ToolMessage(text, tool_call_id=call["id"], name=call["name"], status="error")


def _choice(names: frozenset[str]) -> str:
    """Return what to tell LangChain's models so that one of ``names`` is called."""
    return min(names) if len(names) == 1 else "any"


def _as_json(arguments: Mapping[str, Any]) -> str:
    return msgspec.json.encode(arguments).decode()


def _with_sound_calls(message: AIMessage, tools: Collection[str]) -> AIMessage:
    """Return ``message`` with an id for each call of a tool, and no half characters in them.

    A call goes to the one of ``tools`` that it means, also where its arguments are not quite JSON.
    """
    broken, calls = [], list(message.tool_calls)
    for call in message.invalid_tool_calls:
        args = read_arguments(call["args"] or "")
        if args is None:
            broken.append(call)
        else:
            calls.append(
                ToolCall(name=call["name"] or "", args=args, id=call["id"], type="tool_call")
            )
    sound = [
        {
            **call,
            "name": known_name(call["name"], tools),
            "args": _whole_characters(call["args"]),
            "id": call["id"] or new_call_id(),
        }
        for call in calls
    ]
    return message.model_copy(update={"tool_calls": sound, "invalid_tool_calls": broken})


def _whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return repair_surrogates(value)
    if isinstance(value, dict):
        return {
            repair_surrogates(str(name)): _whole_characters(each) for name, each in value.items()
        }
    return [_whole_characters(each) for each in value] if isinstance(value, list) else value
