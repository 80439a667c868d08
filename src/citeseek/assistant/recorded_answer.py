"""What an answer gets from outside of it, as a trace writes it down and gives it back."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from citeseek import trace
from citeseek.assistant import choices
from citeseek.language_model.model import Model
from citeseek.searching.recorded_search import RecordedClock

if TYPE_CHECKING:
    from citeseek.assistant.responder import Responder
    from citeseek.conversations.conversation_record import Record


class AnswerClock(RecordedClock):
    """The clock of an answer; ``day`` says which day it is where its person is."""

    def __init__(self, day: Callable[[], date]) -> None:
        self._day = day

    def today(self) -> date:
        """Return the day."""
        return trace.drawn("today", self._day(), date)

    def time(self) -> float:
        """Return the time of day, as Unix seconds."""
        return trace.drawn("at", super().time(), float)

    def in_ms(self, seconds: float) -> int:
        """Return how long the model thought aloud."""
        return trace.drawn("thinking_ms", super().in_ms(seconds), int)


def describe(
    message: str, turn_id: str | None, responder: Responder, record: Record
) -> dict[str, Any]:
    """Return what a trace says of an answer before it begins, all that it depends on."""
    return {
        "message": message,
        "turn_id": turn_id,
        "model": responder.model_name,
        "tools": [tool.name for tool in responder.tools],
        "record": to_builtins(record),
    }


def turn_id() -> str:
    """Return a new id for a turn."""
    return trace.drawn("turn_id", secrets.token_hex(8), str)


def load(model: Callable[[], Model]) -> Model:
    """Return the model of one answer; one that could not be had is missed at a replay as well."""
    return trace.made("model", model)


async def is_there(url: str) -> bool:
    """Return whether a server listens at ``url``."""
    return await trace.answered("searxng is there", partial(choices.listens, url), bool)
