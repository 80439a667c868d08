"""What a model is asked and says, written into a trace or read from one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from citeseek import observing, trace
from citeseek.errors import ModelFailed
from citeseek.language_model.model_failures import translate_failure
from citeseek.tools.budget import tokens
from citeseek.tools.tool_definitions import WEB_FETCH, WEB_SEARCH
from citeseek.trace.trace_record import NOT_RECORDED, Part, error_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from langchain.agents.middleware import ModelResponse
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.messages import AIMessageChunk, BaseMessage


# What these ask the world is in the trace.
_OURS = frozenset({WEB_SEARCH.name, WEB_FETCH.name})


async def record_stream(
    operation: observing.Operation | None, stream: AsyncGenerator[AIMessageChunk]
) -> AsyncGenerator[AIMessageChunk]:
    """Yield the pieces of ``stream``, the call of a model that ``operation`` tells of."""
    async with aclosing(stream):
        if operation is None or operation.track is None:
            async for piece in stream:
                yield piece
            return
        then = operation.track.then
        pieces: list[dict[str, Any]] = []
        operation.result = {"pieces": pieces}
        source = stream if then is None else _again(then)
        async for piece in source:
            pieces.append(_piece(piece))
            yield piece


class RecordedCalls:
    """The calls of the model ``name``, and of its tools, in one run of LangChain's agent.

    ``seconds`` is its longest silence, ``say`` tells a piece of an answer that broke off, and
    ``host`` is where it runs.
    """

    def __init__(
        self, name: str, seconds: float, say: Callable[[str], None], *, host: str = ""
    ) -> None:
        self._name = name
        self._host = host
        self._seconds = seconds
        self._say = say
        self._heard: list[str] = []

    @property
    def callbacks(self) -> list[BaseCallbackHandler]:
        """What hears the pieces of an answer, where they are to be written down."""
        return [] if trace.current() is None else [_hearing(self._heard)]

    async def call(
        self, request: Any, ask: Callable[[], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Return what the model answers to ``request``; raise ModelFailed."""
        with observing.leaf(
            "model", self._name, asked=lambda: self._describe_request(request)
        ) as operation:
            if operation:
                operation.host = self._host
                observing.admit(operation)
            counted = operation if observing.counts_tokens() else None
            if counted:
                counted.estimated_tokens = (_weigh(request.messages), 0)
            response = await self._record_call(operation, ask)
            if counted:
                read, _ = counted.estimated_tokens
                counted.estimated_tokens = (read, _weigh(response.result))
            if operation:
                for message in response.result:
                    operation.count_tokens(getattr(message, "usage_metadata", None))
            return response

    async def tool(self, call: Any, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Return what a tool answers to ``call``; a trace keeps those of tools not ours."""
        if call["name"] in _OURS or trace.current() is None:
            return await ask()
        from langchain_core.messages import ToolMessage  # noqa: PLC0415 - with LangChain

        kept: list[Any] = []

        async def answer() -> str:
            kept.append(await ask())
            return str(getattr(kept[0], "content", ""))

        text = await trace.ask(f"tool {call['name']}", answer, str)
        return kept[0] if kept else ToolMessage(text, tool_call_id=call["id"], name=call["name"])

    def _describe_request(self, request: Any) -> dict[str, Any]:
        system = [request.system_message] if request.system_message else []
        tools = sorted(map(_name_of, request.tools))
        return describe_request(self._name, [*system, *request.messages], tools)

    async def _record_call(
        self,
        operation: observing.Operation | None,
        ask: Callable[[], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        if operation is None or operation.track is None:
            return await self._translate(ask)
        then = operation.track.then
        self._heard.clear()
        try:
            response = await (self._translate(ask) if then is None else self._again(then))
        except BaseException:
            operation.result = {"said": "".join(self._heard)}
            raise
        operation.result = {"messages": _dump_response(response)}
        return response

    async def _translate(
        self, ask: Callable[[], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        try:
            return await ask()
        except Exception as error:  # noqa: BLE001 - the table names them all
            raise translate_failure(error, seconds=self._seconds) from None

    async def _again(self, then: Part) -> ModelResponse[Any]:
        from langchain.agents.middleware import ModelResponse  # noqa: PLC0415 - with LangChain
        from langchain_core.messages import messages_from_dict  # noqa: PLC0415 - with LangChain

        _check(then)
        if "messages" in then.result:
            return ModelResponse(result=messages_from_dict(then.result["messages"]))
        if said := then.result.get("said"):
            self._heard.append(said)
            self._say(said)
        if then.failure is not None:
            raise error_of(then.failure)
        # Nothing was heard of it for too long, and whoever waited broke it off.
        raise translate_failure(TimeoutError(), seconds=self._seconds)


def _hearing(heard: list[str]) -> BaseCallbackHandler:
    from langchain_core.callbacks import BaseCallbackHandler  # noqa: PLC0415 - with LangChain

    class Hearing(BaseCallbackHandler):
        # In the loop, so that what was said is there when the answer breaks off.
        run_inline = True

        def on_llm_new_token(self, token: Any, **_: Any) -> None:
            heard.append(token if isinstance(token, str) else "")

    return Hearing()


def _dump_response(response: ModelResponse[Any]) -> list[dict[str, Any]]:
    from langchain_core.messages import message_to_dict  # noqa: PLC0415 - with LangChain

    return [message_to_dict(message) for message in response.result]


def describe_request(
    name: str, messages: Sequence[BaseMessage], tools: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what a trace says that the model ``name`` was asked."""
    described = [_describe_message(message) for message in messages]
    return {"model": name, "messages": described, **({"tools": list(tools)} if tools else {})}


def _weigh(messages: Iterable[BaseMessage]) -> int:
    """Return about how many tokens ``messages`` take."""
    return sum(tokens(str(each.content)) for each in messages)


def _name_of(tool: Any) -> str:
    """Return the name of a tool, or of a program's function in OpenAI's form."""
    return str(tool["function"]["name"] if isinstance(tool, dict) else tool.name)


def _describe_message(message: BaseMessage) -> dict[str, Any]:
    calls = getattr(message, "tool_calls", None) or []
    shown = [{"name": call["name"], "args": call["args"]} for call in calls]
    return {
        "role": message.type,
        "content": message.content,
        **({"tool_calls": shown} if shown else {}),
    }


def _piece(piece: AIMessageChunk) -> dict[str, Any]:
    beside = {"beside": piece.additional_kwargs} if piece.additional_kwargs else {}
    return {"content": piece.content, "metadata": piece.response_metadata, **beside}


async def _again(then: Part) -> AsyncIterator[AIMessageChunk]:
    from langchain_core.messages import AIMessageChunk  # noqa: PLC0415 - with LangChain

    _check(then)
    for piece in then.result["pieces"]:
        yield AIMessageChunk(
            content=piece["content"],
            response_metadata=piece["metadata"],
            additional_kwargs=piece.get("beside", {}),
        )
    if then.failure is not None:
        raise error_of(then.failure)


def _check(then: Part) -> None:
    if then.result is None:
        raise ModelFailed("The trace holds no answer of the model.", detail_code=NOT_RECORDED)
