"""What answers the questions of a batch: a search, a page, an answer or a report for each line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import structs

from citeseek import observing
from citeseek.client import Client
from citeseek.conversations.conversation_record import new_record
from citeseek.errors import InvalidInput
from citeseek.fetching.response import describe_page
from citeseek.jobs.batch import Answer
from citeseek.jobs.batch_files import Asked
from citeseek.models import Failure
from citeseek.observing.account import CallAccount
from citeseek.query import FILTERS
from citeseek.research import Inquiry, research
from citeseek.tools import search_formats

if TYPE_CHECKING:
    from citeseek.assistant.assistant import Assistant

Command: TypeAlias = Literal["search", "ask", "fetch", "research"]
# Under which name a line has its text.
TEXTS: Mapping[Command, str] = {
    "search": "query",
    "ask": "question",
    "fetch": "url",
    "research": "question",
}
# What a line may say beside it.
FIELDS: Mapping[Command, tuple[str, ...]] = {
    "search": ("engines", "quorum", "seconds", "count", *FILTERS),
    "ask": (),
    "fetch": ("form", "max_chars", "seconds", "fresh"),
    "research": ("max_sources", "depth", "seconds"),
}


def fields_of(asked: Asked, known: Iterable[str]) -> dict[str, Any]:
    """Return what a line says beside its text; raise InvalidInput for what nobody knows."""
    names = sorted({*known, "id"})
    if unknown := sorted(asked.more.keys() - names):
        raise InvalidInput(f"Unknown: {', '.join(unknown)}.", hint=f"Known: {', '.join(names)}.")
    return {name: value for name, value in asked.more.items() if name != "id"}


@asynccontextmanager
async def answering(
    command: Command, usual: Mapping[str, Any], assistant: Assistant
) -> AsyncIterator[Answer]:
    """Give what answers the lines of ``command`` with the client that is current.

    ``usual`` holds for lines that do not say otherwise. Nothing of an answer is kept in the store
    of ``assistant``.
    """
    client = assistant.clients.current()
    match command:
        case "search":
            yield searching(client, usual)
        case "fetch":
            yield fetching(client, usual)
        case "ask":
            yield _asking(assistant, usual)
        case "research":
            async with researching(client, usual) as answer:
                yield answer


def searching(client: Client, usual: Mapping[str, Any]) -> Answer:
    """Return what searches for each line."""

    async def answer(asked: Asked) -> Any:
        fields = {**usual, **fields_of(asked, FIELDS["search"])}
        with observing.watching(CallAccount(client.account)):
            return search_formats.full(await client.search(asked.text, **fields))

    return answer


def fetching(client: Client, usual: Mapping[str, Any]) -> Answer:
    """Return what reads the page of each line."""

    async def answer(asked: Asked) -> Any:
        fields = {**usual, **fields_of(asked, FIELDS["fetch"])}
        with observing.watching(CallAccount(client.account)):
            observing.name_pages((asked.text,))
            return describe_page(await client.fetch(asked.text, **fields))

    return answer


@asynccontextmanager
async def researching(client: Client, usual: Mapping[str, Any]) -> AsyncIterator[Answer]:
    """Give what writes a report for each line; ``model`` of ``usual`` writes all of them."""
    from citeseek.assistant.report_writer import writer_of  # noqa: PLC0415 - for reports alone

    rest = {name: value for name, value in usual.items() if name not in ("model", "engines")}
    # With a model the libraries take a moment to be loaded.
    writer = await asyncio.to_thread(writer_of, client.settings, usual.get("model"))

    async def answer(asked: Asked) -> Any:
        inquiry = Inquiry.of(asked.text, **{**rest, **fields_of(asked, FIELDS["research"])})
        engines = tuple(usual.get("engines", ()))
        result = await research(inquiry, client, engines=engines, writer=writer)
        if (error := result.error) is None:
            return result.as_json()
        return Failure(
            type=error.code,
            message=error.message,
            retryable=error.retryable,
            engine=error.engine,
            detail_code=error.detail_code,
            hint=error.hint,
            values=error.values,
        )

    try:
        yield answer
    finally:
        if writer:
            await writer.close()


def _asking(assistant: Assistant, usual: Mapping[str, Any]) -> Answer:
    """Return what answers each line in a conversation of its own, which searches.

    Of ``usual`` it knows ``mode``, ``engines``, ``model``, ``results``, ``seconds``, ``read`` and
    ``check``.
    """
    from citeseek.assistant.answer_as_json import answer_as_json  # noqa: PLC0415 - with the extra

    async def answer(asked: Asked) -> Any:
        fields_of(asked, FIELDS["ask"])
        record = new_record(mode=usual.get("mode") or "chat")
        record.switch = True
        chosen = {name: usual[name] for name in ("results", "seconds", "model") if usual.get(name)}
        engines = tuple(usual.get("engines", ()))
        record.choices = structs.replace(record.choices, engines=engines, **chosen)
        conversation = assistant.unkept(record)
        try:
            await conversation.look_for_engine()
            if usual.get("read"):
                await conversation.set_reading(on=True)
            return await answer_as_json(
                conversation, asked.text, check=bool(usual.get("check", False))
            )
        finally:
            conversation.session.end()

    return answer
