"""Chat mode: the message is the query, its results stand in the prompt, one answer follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import date
from typing import Any

import msgspec
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from msgspec import structs

from citeseek.assistant import prompts
from citeseek.assistant.answer_draft import Draft, Made
from citeseek.assistant.choices import search_fields
from citeseek.assistant.events import Event, Notice, SearchBroken, SearchDone
from citeseek.assistant.file_reading import open_files, quote_files, sources_of
from citeseek.assistant.memory import alternating, recall
from citeseek.assistant.page_reading import PageReading, nearest, with_page
from citeseek.client import Client
from citeseek.concurrency.clock import Clock
from citeseek.conversations.conversation_record import Choices, Search, Turn
from citeseek.errors import CiteseekError
from citeseek.fetching import FetchResponse
from citeseek.fetching.own_file import OwnFile
from citeseek.language_model import shown_results
from citeseek.language_model.model import Model
from citeseek.language_model.model_failures import failure
from citeseek.language_model.shown_results import Shown
from citeseek.language_model.streaming.answer import pieces
from citeseek.models import Failure, SearchItem, SearchResponse
from citeseek.searching.planning import SearchFields
from citeseek.settings import Settings
from citeseek.tools import fence, search_formats
from citeseek.tools.budget import fit, tokens, total
from citeseek.tools.web_fetch import FetchCall
from citeseek.urls import without_user

# What a page that was read is given at least, though the summaries of others take all there is.
LEAST_TOKENS = 40


class ChatLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What Chat mode keeps to: see the settings of the same names."""

    read_seconds: float
    language: str
    summary_chars: int
    call_tokens: int
    conversation_tokens: int

    @classmethod
    def of(cls, settings: Settings) -> ChatLimits:
        """Return what ``settings`` say."""
        return cls(
            read_seconds=settings.chat.read_seconds,
            language=settings.chat.language,
            summary_chars=settings.chat.summary_chars,
            call_tokens=settings.assistant.call_tokens,
            conversation_tokens=settings.assistant.conversation_tokens,
        )


class Chat:
    """Answers messages in Chat mode; nothing of Agent mode's numbers and cache is known here.

    ``failed`` makes the notice for a search that failed.
    """

    def __init__(
        self,
        client: Client,
        model: Model,
        limits: ChatLimits,
        *,
        failed: Callable[[CiteseekError], Notice],
        clock: Clock | None = None,
    ) -> None:
        self._client = client
        self._model = model
        self._limits = limits
        self._failed = failed
        self._clock = clock or Clock()

    async def answer(
        self,
        draft: Draft,
        earlier: Sequence[Turn],
        choices: Choices,
        *,
        search: bool,
        read: bool = False,
        files: Sequence[OwnFile] = (),
        today: date,
        instructions: str = "",
        retry: bool = False,
    ) -> AsyncGenerator[Made]:
        """Search for the draft's message if ``search`` says so, and answer it.

        A search that fails is told and costs nothing but itself. With ``read`` the pages that it
        finds are opened, while further ones arrive, and the model is given passages of them; one
        that cannot be read is cited by its summary. Of ``files`` the passages that fit are given
        before those. ``instructions`` are a program's own for the
        model. With ``retry`` an engine that is cooling down is asked all the same. Raise
        ModelFailed.
        """
        message = prompt = draft.message
        beside: dict[str, Any] = {}
        for opened in open_files(draft, files):
            yield opened
        quoted = await quote_files(draft, files, self._limits.call_tokens)
        if search:
            asked = search_fields(choices, self._limits.language)
            if retry:
                asked["retry"] = True
            async with aclosing(self._search(draft, asked, read=read)) as events:
                async for event in events:
                    yield event
        if search or files:
            prompt = _prompt(draft, message, quoted)
            beside = {shown_results.KEY: _as_shown(draft, message, files)}
        system = prompts.add_instructions(
            prompts.chat_system(today, draft.say), instructions, draft.say
        )
        left = self._limits.conversation_tokens - tokens(system) - tokens(prompt)
        said = [
            *recall(earlier, "chat", left, fence.new_id(), say=draft.say),
            HumanMessage(prompt, additional_kwargs=beside),
        ]
        messages: list[BaseMessage] = [SystemMessage(system), *alternating(said, draft.say)]
        async with aclosing(pieces(self._model, messages)) as spoken:
            async for piece in spoken:
                for heard in draft.hear(piece):
                    yield heard
        if draft.is_empty:
            raise failure("empty")
        for ending in draft.finish():
            yield ending

    async def _search(
        self, draft: Draft, asked: SearchFields, *, read: bool
    ) -> AsyncGenerator[Event]:
        message = draft.message
        yield draft.begin_search(1, message)
        async with PageReading(self._client, self._limits.read_seconds, self._clock) as reading:
            try:
                response = await self._response(message, asked, reading if read else None)
            except CiteseekError as error:
                failure = Failure.of(error)
                draft.end_search(1, Search(query=message, failure=failure))
                yield SearchBroken(call=1, query=message, failure=failure)
                yield draft.note(self._failed(error))
                return
            items = fit(
                response.items, self._limits.call_tokens, summary_chars=self._limits.summary_chars
            )
            yield self._note_results(draft, response, items)
            if read:
                async with aclosing(self._read(draft, items, reading)) as events:
                    async for event in events:
                        yield event

    async def _response(
        self, message: str, asked: SearchFields, reading: PageReading | None
    ) -> SearchResponse:
        """Return what the search found; pages are opened as soon as an engine names them."""
        if reading is None:
            return await self._client.search(message, **asked)
        self._client.expect_pages()
        async with aclosing(self._client.stream(message, **asked)) as snapshots:
            async for response in snapshots:
                reading.begin(response.items)
        return response

    def _note_results(
        self, draft: Draft, response: SearchResponse, items: Sequence[SearchItem]
    ) -> SearchDone:
        sources = draft.registry.add(items)
        numbers = tuple(source.number for source in sources)
        text = search_formats.prompt_block(
            items, numbers, draft.say, summary_chars=self._limits.summary_chars
        )
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

    async def _read(
        self, draft: Draft, items: Sequence[SearchItem], reading: PageReading
    ) -> AsyncGenerator[Event]:
        """Wait for the pages of ``items``, and give the model passages of those that came."""
        numbers = draft.searches[-1].numbers
        first = len(draft.reads) + 1
        calls = {item.url: call for call, item in enumerate(items, first)}
        for url, call in calls.items():
            yield draft.begin_read(call, without_user(url))
        pages: dict[int, FetchResponse] = {}
        async with aclosing(reading.outcomes(tuple(calls))) as outcomes:
            async for url, opened in outcomes:
                ended = FetchCall(number=calls[url], url=without_user(url), text="")
                if isinstance(opened, CiteseekError):
                    yield draft.end_read(structs.replace(ended, error=opened))
                    continue
                number = numbers[calls[url] - first]
                pages[number] = opened
                source = draft.registry.mark_read(number, published_at=opened.published_at)
                yield draft.end_read(structs.replace(ended, response=opened, source=source))
        if pages:
            await self._quote(draft, items, pages)

    async def _quote(
        self, draft: Draft, items: Sequence[SearchItem], pages: Mapping[int, FetchResponse]
    ) -> None:
        """Put the passages of ``pages``, which are those of numbers, in place of the summaries."""
        search = draft.searches[-1]
        heads = [
            structs.replace(item, snippet="") if number in pages else item
            for number, item in zip(search.numbers, items, strict=True)
        ]
        left = max(self._limits.call_tokens - total(heads), LEAST_TOKENS * len(pages))
        texts = [page.text for page in pages.values()]
        found = await asyncio.to_thread(nearest, draft.message, texts, left)
        passages = dict(zip(pages, found, strict=True))
        text = search_formats.prompt_block(
            items,
            search.numbers,
            draft.say,
            summary_chars=self._limits.summary_chars,
            passages={
                number: [with_page(excerpt, pages[number].pages, draft.say) for excerpt in excerpts]
                for number, excerpts in passages.items()
            },
        )
        draft.searches[-1] = structs.replace(search, text=text)
        draft.quote(passages)


def _prompt(draft: Draft, message: str, quoted: str) -> str:
    """Return what the model is asked, with what it may rest on.

    That is the passages of files that are ``quoted``, and the results of a search that worked.
    """
    search = draft.searches[-1] if draft.searches else None
    found = search.text if search and search.numbers and not search.failure else ""
    if block := "\n\n".join(filter(None, (quoted, found))):
        return prompts.with_results(fence.put_in_fence(block, fence.new_id()), message, draft.say)
    # To a language model a failed search is none.
    was_empty = search is not None and not search.failure
    return prompts.nothing_found(message, draft.say) if was_empty else message


def _as_shown(draft: Draft, message: str, files: Sequence[OwnFile]) -> Shown:
    """Return the same as values, for the built-in model."""
    search = draft.searches[-1] if draft.searches else None
    numbers = search.numbers if search else ()
    known = (*sources_of(draft, files), *filter(None, map(draft.registry.get, numbers)))
    sources = draft.with_passages(known)
    if search and search.failure and not sources:
        return Shown("fruitless", question=message)
    return Shown("found" if sources else "nothing", sources, message)
