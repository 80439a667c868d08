"""LangChain's model for OpenAI-compatible servers, which tells what a model thought as well."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI

from citeseek.language_model.streaming.pieces import THINKING


class ThinkingChatOpenAI(ChatOpenAI):
    """Keeps ``reasoning_content``, which the library leaves to classes for each provider.

    A server that ``wants_thinking`` is told with each call of a tool what the model thought before
    it, nothing where that is not known: it refuses a call without. Others refuse the field, or do
    not know it.
    """

    wants_thinking: bool = False

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if self.wants_thinking:
            messages = self._convert_input(input_).to_messages()
            for message, told in zip(messages, payload["messages"], strict=True):
                if isinstance(message, AIMessage) and message.tool_calls:
                    told[THINKING] = message.additional_kwargs.get(THINKING, "")
        return payload

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
