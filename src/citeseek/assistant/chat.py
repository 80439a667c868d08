"""Chat mode: the message is the query, its results stand in the prompt, one answer follows."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import date
from typing import Any

import msgspec
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from citeseek.assistant import notices, prompts, shown_results
from citeseek.assistant.answer_draft import Draft
from citeseek.assistant.choices import search_fields
from citeseek.assistant.conversation_record import Choices, Search, Turn
from citeseek.assistant.events import Event, SearchBroken, SearchDone
from citeseek.assistant.memory import alternating, recalled
from citeseek.assistant.model import Model
from citeseek.assistant.model_failures import failure
from citeseek.assistant.shown_results import Shown
from citeseek.assistant.streaming.answer import pieces
from citeseek.client import Client
from citeseek.errors import CiteseekError
from citeseek.faces import CHAT
from citeseek.models import Failure, SearchResponse
from citeseek.searching.planning import SearchFields
from citeseek.settings import Settings
from citeseek.tools import fence, search_formats
from citeseek.tools.budget import fit, tokens


class ChatLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What Chat mode keeps to: see the settings of the same names."""

    seconds: float
    language: str
    summary_chars: int
    call_tokens: int
    conversation_tokens: int

    @classmethod
    def of(cls, settings: Settings) -> ChatLimits:
        """Return what ``settings`` say."""
        return cls(
            seconds=settings.face(CHAT).seconds.value,
            language=settings.chat.language,
            summary_chars=settings.chat.summary_chars,
            call_tokens=settings.assistant.call_tokens,
            conversation_tokens=settings.assistant.conversation_tokens,
        )


class Chat:
    """Answers messages in Chat mode; nothing of Agent mode's numbers and cache is known here."""

    def __init__(self, client: Client, model: Model, limits: ChatLimits) -> None:
        self._client = client
        self._model = model
        self._limits = limits

    async def answer(
        self,
        draft: Draft,
        earlier: Sequence[Turn],
        choices: Choices,
        *,
        search: bool,
        today: date,
        instructions: str = "",
        retry: bool = False,
    ) -> AsyncGenerator[Event]:
        """Search for the draft's message if ``search`` says so, and answer it.

        A search that fails is told and costs nothing but itself. ``instructions`` are a program's
        own for the model. With ``retry`` an engine that is cooling down is asked all the same.
        Raise ModelFailed.
        """
        message = prompt = draft.message
        beside: dict[str, Any] = {}
        if search:
            asked = search_fields(choices, self._limits.language)
            if retry:
                asked["retry"] = True
            async for event in self._search(draft, message, choices, asked):
                yield event
            prompt = _prompt(draft, message)
            beside = {shown_results.KEY: _shown(draft, message)}
        system = prompts.instructed(prompts.chat_system(today), instructions)
        left = self._limits.conversation_tokens - tokens(system) - tokens(prompt)
        said = [
            *recalled(earlier, "chat", left, fence.new_id()),
            HumanMessage(prompt, additional_kwargs=beside),
        ]
        messages: list[BaseMessage] = [SystemMessage(system), *alternating(said)]
        async with aclosing(pieces(self._model, messages)) as spoken:
            async for piece in spoken:
                for event in draft.hear(piece):
                    yield event
        if draft.is_empty:
            raise failure("empty")
        for event in draft.finish():
            yield event

    async def _search(
        self, draft: Draft, message: str, choices: Choices, asked: SearchFields
    ) -> AsyncGenerator[Event]:
        yield draft.begin_search(1, message)
        try:
            response = await self._client.search(message, **asked)
        except CiteseekError as error:
            failure = Failure.of(error)
            draft.end_search(1, Search(query=message, failure=failure))
            yield SearchBroken(call=1, query=message, failure=failure)
            seconds = choices.seconds or self._limits.seconds
            yield draft.note(notices.of_search(error, self._client, seconds))
            return
        yield self._found(draft, response)

    def _found(self, draft: Draft, response: SearchResponse) -> Event:
        items = fit(
            response.items, self._limits.call_tokens, summary_chars=self._limits.summary_chars
        )
        sources = draft.registry.add(items)
        numbers = tuple(source.number for source in sources)
        text = search_formats.prompt_block(items, numbers, summary_chars=self._limits.summary_chars)
        query = response.query.text
        search = Search(
            query=query,
            text=text,
            numbers=numbers,
            provider=response.provider,
            took_ms=response.took_ms,
            ignored=response.ignored,
        )
        draft.end_search(1, search)
        return SearchDone(
            call=1,
            query=query,
            sources=sources,
            provider=response.provider,
            took_ms=response.took_ms,
            ignored=response.ignored,
        )


def _prompt(draft: Draft, message: str) -> str:
    """Return what the model is asked, with the results of the search if it worked."""
    search = draft.searches[-1]
    if search.failure:
        # To a language model a failed search is none.
        return message
    if not search.numbers:
        return prompts.nothing_found(message)
    return prompts.with_results(fence.fenced(search.text, fence.new_id()), message)


def _shown(draft: Draft, message: str) -> Shown:
    """Return the same as values, for the built-in model."""
    search = draft.searches[-1]
    if search.failure:
        return Shown("fruitless", question=message)
    sources = tuple(filter(None, map(draft.registry.get, search.numbers)))
    return Shown("found" if sources else "nothing", sources, message)
