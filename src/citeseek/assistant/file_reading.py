"""The files of a conversation in an answer: numbered as pages that were read, and quoted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Unpack

from citeseek.assistant.answer_draft import Draft
from citeseek.assistant.events import Event
from citeseek.assistant.page_reading import nearest, with_page
from citeseek.citations import Source
from citeseek.client import Client
from citeseek.fetching import FetchFields, FetchResponse
from citeseek.fetching.own_file import OwnFile
from citeseek.tools import search_formats
from citeseek.tools.web_fetch import FetchCall


def open_files(draft: Draft, files: Sequence[OwnFile]) -> Iterator[Event]:
    """Give each of ``files`` its number in ``draft``, and tell that it was read."""
    for call, file in enumerate(files, len(draft.reads) + 1):
        yield draft.begin_read(call, file.url)
        (source,) = draft.registry.add([file.item])
        source = draft.registry.mark_read(source.number, published_at=file.published_at)
        yield draft.end_read(
            FetchCall(number=call, url=file.url, text="", source=source, response=file.page)
        )


async def quote_files(draft: Draft, files: Sequence[OwnFile], limit: int) -> str:
    """Return the passages of ``files`` that fit the message, as they stand in a prompt.

    They take about ``limit`` tokens together; ``draft`` keeps them. Empty without files.
    """
    if not files:
        return ""
    texts = [file.text for file in files]
    found = await asyncio.to_thread(nearest, draft.message, texts, limit)
    sources = sources_of(draft, files)
    numbers = [source.number for source in sources]
    draft.quote(dict(zip(numbers, found, strict=True)))
    passages = {
        number: [with_page(excerpt, file.pages, draft.say) for excerpt in excerpts]
        for number, file, excerpts in zip(numbers, files, found, strict=True)
    }
    items = [file.item for file in files]
    return search_formats.prompt_block(items, numbers, draft.say, passages=passages)


def sources_of(draft: Draft, files: Sequence[OwnFile]) -> tuple[Source, ...]:
    """Return the sources that ``files`` are in ``draft``."""
    numbers = (draft.registry.number_of(file.url) for file in files)
    return tuple(source for number in numbers if number and (source := draft.registry.get(number)))


class FilesAndWeb:
    """Reads the pages of the web, and ``files`` by what stands in place of their addresses."""

    def __init__(self, client: Client, files: Sequence[OwnFile]) -> None:
        self._client = client
        self._files = {file.url: file for file in files}

    async def fetch(self, url: str, **asked: Unpack[FetchFields]) -> FetchResponse:
        """Return a file, or what :meth:`citeseek.client.Client.fetch` does."""
        file = self._files.get(url)
        if file is None:
            return await self._client.fetch(url, **asked)
        most = asked.get("max_chars")
        return file.page if most is None else file.page.cut(most)
