"""LangChain's model for OpenAI-compatible servers, which tells what a model thought as well."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI

from citeseek.language_model.streaming.pieces import THINKING


class ThinkingChatOpenAI(ChatOpenAI):
    """Keeps ``reasoning_content``, which the library leaves to classes for each provider."""

    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type[BaseMessageChunk],
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        choices = chunk.get("choices") or [{}]
        thinking = (choices[0].get("delta") or {}).get(THINKING)
        if made and thinking and isinstance(made.message, AIMessageChunk):
            made.message.additional_kwargs[THINKING] = thinking
        return made
