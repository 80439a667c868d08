"""LangChain's model for Ollama, which tells as well when nobody said that an answer is over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_ollama import ChatOllama


class EndingChatOllama(ChatOllama):
    """Ends a stream that breaks off before its last line with the reason ``connection``."""

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        is_over = False
        async for chunk in super()._astream(messages, stop, run_manager, **kwargs):
            is_over |= bool((chunk.generation_info or {}).get("done"))
            yield chunk
        if not is_over:
            yield ChatGenerationChunk(
                message=AIMessageChunk(content=""),
                generation_info={"finish_reason": "connection"},
            )
