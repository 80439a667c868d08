"""The model of last resort: answers with the sentences of the results that fit a question best.

It invents nothing and knows nothing: every sentence is a result's own and carries that result's
number. It stands in where no language model is configured, and says so in every answer. To
LangChain it is a model that calls tools and streams. It reads no prompt: the results come beside
the text of the messages that any model would get, as :mod:`citeseek.language_model.shown_results`.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import msgspec
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

from citeseek.answering import Assessment
from citeseek.citations import Source, escape_line
from citeseek.fetching.own_file import SCHEME
from citeseek.i18n import Catalogue, catalogue, language_of
from citeseek.language_model.extracts import Extract, extract_and_assess
from citeseek.language_model.model_options import EXTRACTIVE
from citeseek.language_model.shown_results import (
    Shown,
    add_files,
    of_artifacts,
    of_message,
    place_of_question,
)
from citeseek.tools.tool_definitions import WEB_SEARCH

TOOL = WEB_SEARCH.name
# Characters of a streamed piece.
PIECE = 12
# From which confidence on it is called sure.
SURE = 0.95
# From which share of its letters on a text is in Chinese: names in it may be in Latin ones.
HAN_SHARE = 0.2


class Phrases(msgspec.Struct, frozen=True):
    """The fixed words of an answer in one language.

    Files of one's own are no results of a search, which some of the words are about.
    """

    say: Catalogue
    has_files: bool = False

    def __call__(self, name: str, **values: Any) -> str:
        """Return the words ``name`` with what stands for the names in braces."""
        of_files = f"extract.files.{name}"
        is_own = self.has_files and of_files in self.say
        return self.say(of_files if is_own else f"extract.{name}", **values)


def phrases_for(question: str, sources: Sequence[Source]) -> Phrases:
    """Return the fixed words in the language of ``question``, for an answer from ``sources``."""
    has_files = any(source.url.startswith(SCHEME) for source in sources)
    return Phrases(catalogue(language_of(question)), has_files)


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
    beside = messages[asked].additional_kwargs if asked >= 0 else {}
    shown = of_message(messages[asked].text if asked >= 0 else "", beside)
    message = shown.question
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
        return "", _answer(message, shown)
    return "", _answer(message, add_files(of_artifacts(results), shown))


def _answer(question: str, shown: Shown) -> str:
    phrases = phrases_for(question, shown.sources)
    extracts, assessed = extract_and_assess(question, shown.sources)
    lines = [f"- {escape_line(extract.text)} [{extract.number}]" for extract in extracts]
    return "\n\n".join(
        filter(
            None, (_lead(question, shown, extracts, assessed), "\n".join(lines), phrases("label"))
        )
    )


def _lead(question: str, shown: Shown, extracts: Sequence[Extract], assessed: Assessment) -> str:
    phrases = phrases_for(question, shown.sources)
    if shown.state == "found":
        if not (extracts and assessed.is_answer) and _in_another_language(question, shown.sources):
            return phrases("other_language")
        return _lead_of_found(phrases, extracts, assessed) if extracts else phrases("no_answer")
    return {
        "nothing": phrases("nothing_found"),
        "failed": phrases("search_failed"),
        "fruitless": phrases("no_results"),
        "none": phrases("not_searched"),
    }[shown.state]


def _lead_of_found(phrases: Phrases, extracts: Sequence[Extract], assessed: Assessment) -> str:
    if assessed.differs:
        return phrases("differing_lead")
    if assessed.has_none:
        return phrases("not_in_sources")
    if assessed.confidence is None or assessed.is_near:
        return phrases("lead")
    if not assessed.is_answer:
        key = "perhaps_lead" if len(extracts) > 1 else "perhaps_one_lead"
        return phrases(key, tenths=round(10 * assessed.confidence))
    how = phrases("sure") if assessed.confidence >= SURE else phrases("fairly_sure")
    return phrases("sure_lead", sure=how, share=round(100 * assessed.confidence))


def _in_another_language(question: str, sources: Sequence[Source]) -> bool:
    """Whether all pages are in Chinese and the question is not, or the other way round."""
    pages = [f"{source.title} {source.snippet}" for source in sources]
    is_chinese = _is_chinese(question)
    return bool(pages) and all(_is_chinese(page) != is_chinese for page in pages)


def _is_chinese(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    return len(re.findall("[\u4e00-\u9fff]", text)) > HAN_SHARE * len(letters)


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
