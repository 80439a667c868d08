"""What a model says, piece by piece, within its time, and with errors of one kind."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from citeseek import observing
from citeseek.assistant.model_failures import failure, renamed
from citeseek.assistant.taped import taped

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from langchain_core.messages import AIMessageChunk, BaseMessage

    from citeseek.assistant.model import Model

__all__ = ["pieces", "renamed"]


async def pieces(model: Model, messages: Sequence[BaseMessage]) -> AsyncGenerator[AIMessageChunk]:
    """Stream the answer of ``model`` to ``messages``.

    Raise ModelFailed when no piece comes for ``model.seconds``, when the model cannot be reached,
    refuses or breaks off, and after an answer in which nothing was said. Whoever stops listening
    closes the connection.
    """
    with observing.leaf("model", model.name) as told:
        if told:
            told.host = model.host
        async with aclosing(taped(model.name, messages, _pieces(model, messages))) as spoken:
            async for piece in spoken:
                if told:
                    told.count_tokens(piece.usage_metadata)
                yield piece


async def _pieces(model: Model, messages: Sequence[BaseMessage]) -> AsyncGenerator[AIMessageChunk]:
    said = False
    stream = cast("AsyncGenerator[AIMessageChunk]", model.chat.astream(list(messages)))
    async with aclosing(stream):
        while True:
            try:
                async with asyncio.timeout(model.seconds):
                    piece = await anext(stream)
            except StopAsyncIteration:
                break
            except Exception as error:  # noqa: BLE001 - the table names them all
                raise renamed(error, seconds=model.seconds) from None
            said = said or bool(piece.text.strip() or piece.tool_call_chunks)
            yield piece
    if not said:
        raise failure("empty")
