"""The extractive model as LangChain knows models: it calls tools and streams.

It reads no prompt: the results come beside the text of the messages that any model would get, as
:mod:`citeseek.assistant.shown_results`.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ToolMessage,
)
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from citeseek.assistant.extractive import Extract, Phrases, extract, phrases_for
from citeseek.assistant.model_options import EXTRACTIVE
from citeseek.assistant.prompts import place_of_question
from citeseek.assistant.shown_results import Shown, of_artifacts, of_message
from citeseek.citations import escaped
from citeseek.tools.definitions import WEB_SEARCH

TOOL = WEB_SEARCH.name
# Characters of a streamed piece.
PIECE = 12


class ExtractiveModel(BaseChatModel):
    """Answers with sentences of the results, each with its [n], and says so every time.

    With ``web_search`` among its tools it searches once for each message, for the message itself.
    """

    @property
    def _llm_type(self) -> str:
        return EXTRACTIVE

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,  # noqa: ARG002 - it chooses by itself
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return the model with ``tools`` at hand; ``web_search`` is the one that it can use."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        query, text = _decide(messages, kwargs.get("tools") or ())
        calls = [{"name": TOOL, "args": {"query": query}, "id": _call_id()}] if query else []
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage(content=text, tool_calls=calls))]
        )

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(*_decide(messages, kwargs.get("tools") or ())):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        # Ranking takes milliseconds, and loading what ranks a fifth of a second.
        decided = await asyncio.to_thread(_decide, messages, kwargs.get("tools") or ())
        for chunk in _chunks(*decided):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def _decide(messages: list[BaseMessage], tools: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """Return the query to search for, or else the answer; the other one is empty."""
    asked = place_of_question(messages)
    message = messages[asked].text if asked >= 0 else ""
    since = messages[asked + 1 :]
    results = [
        answer.artifact
        for answer in since
        if isinstance(answer, ToolMessage) and answer.name in (TOOL, None)
    ]
    offered = any(tool.get("function", {}).get("name") == TOOL for tool in tools)
    query = " ".join(message.split())
    if offered and not since and query:
        return query, ""
    # Only Chat mode, which has no tools, puts results into the message.
    if not tools and not since:
        beside = messages[asked].additional_kwargs if asked >= 0 else {}
        shown = of_message(message, beside)
        return "", _answer(shown.question, shown)
    return "", _answer(message, of_artifacts(results))


def _answer(question: str, shown: Shown) -> str:
    phrases = phrases_for(question)
    extracts = extract(question, shown.sources)
    lines = [f"- {escaped(extract.text)} [{extract.number}]" for extract in extracts]
    return "\n\n".join(
        filter(None, (_lead(phrases, shown, extracts), "\n".join(lines), phrases.label))
    )


def _lead(phrases: Phrases, shown: Shown, extracts: Sequence[Extract]) -> str:
    if shown.state == "found":
        return phrases.lead if extracts else phrases.no_answer
    return {
        "nothing": phrases.nothing_found,
        "failed": phrases.search_failed,
        "fruitless": phrases.no_results,
        "none": phrases.not_searched,
    }[shown.state]


def _chunks(query: str, text: str) -> Iterator[ChatGenerationChunk]:
    if query:
        arguments = json.dumps({"query": query}, ensure_ascii=False)
        call = tool_call_chunk(name=TOOL, args=arguments, id=_call_id(), index=0)
        yield _chunk("", [call])
    for start in range(0, len(text), PIECE):
        yield _chunk(text[start : start + PIECE])


def _chunk(text: str, calls: Sequence[Any] = ()) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=text, tool_call_chunks=list(calls)))


def _call_id() -> str:
    return f"call_{secrets.token_hex(6)}"
