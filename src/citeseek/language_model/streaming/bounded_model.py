"""Any of LangChain's chat models, heard through what puts its answers right."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, cast

from langchain_core.callbacks import (
    AsyncCallbackManagerForLLMRun,
    CallbackManagerForLLMRun,
)
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableBinding

from citeseek.language_model.streaming import AnswerLimits
from citeseek.language_model.streaming.pieces import plain, without_thinking


class BoundedModel(BaseChatModel):
    """Asks ``inner`` and gives its answers made plain, within ``limits``; asynchronously only.

    ``tools`` are those that it is offered, until they are taken from it.
    """

    inner: BaseChatModel
    limits: AnswerLimits
    tools: frozenset[str] = frozenset()

    @property
    def _llm_type(self) -> str:
        return self.inner._llm_type  # noqa: SLF001 - as LangChain's own wrappers do

    def bind_tools(
        self, tools: Sequence[Any], **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Offer ``tools`` in the words of the inner model's provider."""
        bound = cast("RunnableBinding[Any, Any]", self.inner.bind_tools(tools, **kwargs))
        return cast("Runnable[LanguageModelInput, AIMessage]", self.bind(**bound.kwargs))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("an answer is streamed in an event loop")

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        keeps = bool(getattr(self.inner, "wants_thinking", False))
        told = without_thinking(messages, keeps_before_calls=keeps)
        raw = self._raw(told, stop, kwargs)
        runs_tools = bool(kwargs.get("tools"))
        answer = plain(raw, self.limits, tools=self.tools, runs_tools=runs_tools)
        async with aclosing(answer) as pieces:
            async for piece in pieces:
                yield ChatGenerationChunk(message=piece)

    async def _raw(
        self, messages: list[BaseMessage], stop: list[str] | None, kwargs: dict[str, Any]
    ) -> AsyncGenerator[AIMessageChunk]:
        """Yield the pieces as the inner model gives them, the whole at once where it cannot stream.

        Its callbacks are left out: those of this model hear the same.
        """
        inner = self.inner
        if not inner._should_stream(async_api=True, stream=True):  # noqa: SLF001
            result = await inner._agenerate(messages, stop=stop, **kwargs)  # noqa: SLF001
            message = result.generations[0].message
            yield AIMessageChunk(**message.model_dump(exclude={"type"}))
            return
        chunks = inner._astream(messages, stop=stop, **kwargs)  # noqa: SLF001
        async with aclosing(cast("AsyncGenerator[ChatGenerationChunk]", chunks)) as stream:
            async for chunk in stream:
                message = chunk.message
                if isinstance(message, AIMessageChunk):
                    metadata = {**(chunk.generation_info or {}), **message.response_metadata}
                    message.response_metadata = metadata
                    yield message
