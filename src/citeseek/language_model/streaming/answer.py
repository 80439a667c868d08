"""What a model says, piece by piece, within its limits, and with errors of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from citeseek import observing
from citeseek.language_model.model_failures import translate_failure
from citeseek.language_model.model_recording import describe_request, record_stream
from citeseek.tools.budget import tokens

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from langchain_core.messages import AIMessageChunk, BaseMessage

    from citeseek.language_model.model import Model


__all__ = ["complete", "pieces", "translate_failure"]


async def pieces(model: Model, messages: Sequence[BaseMessage]) -> AsyncGenerator[AIMessageChunk]:
    """Stream the answer of ``model`` to ``messages``.

    What a piece may hold says :func:`citeseek.language_model.streaming.pieces.plain`. Raise
    ModelFailed when a budget does not allow it, when no word comes for ``model.seconds``, when the
    model cannot be reached, refuses or breaks off, and after an answer in which nothing was said.
    Whoever stops listening closes the connection.
    """
    with observing.leaf(
        "model", model.name, asked=lambda: describe_request(model.name, messages)
    ) as operation:
        if operation:
            operation.host = model.host
            observing.admit(operation)
        counted = operation if observing.counts_tokens() else None
        if counted:
            counted.estimated_tokens = (sum(tokens(str(each.content)) for each in messages), 0)
        async with aclosing(record_stream(operation, _plain(model, messages))) as spoken:
            async for piece in spoken:
                if operation:
                    operation.count_tokens(piece.usage_metadata)
                if counted:
                    read, written = counted.estimated_tokens
                    counted.estimated_tokens = (read, written + tokens(piece.text))
                yield piece


async def complete(model: Model, messages: Sequence[BaseMessage], most: int) -> str:
    """Return what ``model`` answers to ``messages``, its thinking apart; raise as :func:`pieces`.

    A model that goes on beyond ``most`` characters is not listened to any further.
    """
    from citeseek.language_model.streaming.pieces import WAS_THINKING  # noqa: PLC0415 - with LangChain

    said = ""
    async with aclosing(pieces(model, messages)) as coming:
        async for piece in coming:
            if piece.additional_kwargs.get(WAS_THINKING):
                said = ""
            said += piece.text
            if len(said) > most:
                break
    return said


def _plain(model: Model, messages: Sequence[BaseMessage]) -> AsyncGenerator[AIMessageChunk]:
    from citeseek.language_model.streaming.pieces import plain  # noqa: PLC0415 - with LangChain

    stream = cast("AsyncGenerator[AIMessageChunk]", model.chat.astream(list(messages)))
    return plain(stream, model.limits)
