"""What an answer gets from outside of it, as a trace writes it down and gives it back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from citeseek import trace
from citeseek.assistant import choices
from citeseek.language_model.model import Model
from citeseek.searching.recorded_search import RecordedClock

if TYPE_CHECKING:
    from citeseek.assistant.program import Program
    from citeseek.assistant.responder import Responder
    from citeseek.client import Client
    from citeseek.conversations.conversation_record import Record


class AnswerClock(RecordedClock):
    """The clock of an answer; ``day`` says which day it is where its person is."""

    def __init__(self, day: Callable[[], date]) -> None:
        self._day = day

    def today(self) -> date:
        """Return the day."""
        return trace.draw("today", self._day(), date)

    def time(self) -> float:
        """Return the time of day, as Unix seconds."""
        return trace.draw("at", super().time(), float)

    def in_ms(self, seconds: float) -> int:
        """Return how long the model thought aloud."""
        return trace.draw("thinking_ms", super().in_ms(seconds), int)


def describe(
    message: str,
    turn_id: str | None,
    responder: Responder,
    record: Record,
    *,
    instead_of: str = "",
    program: Program | None = None,
) -> dict[str, Any]:
    """Return what a trace says of an answer before it begins, all that it depends on."""
    return {
        "message": message,
        "turn_id": turn_id,
        "model": responder.model_name,
        "tools": [tool.name for tool in responder.tools],
        "record": to_builtins(record),
        **({"instead_of": instead_of} if instead_of else {}),
        **({"program": to_builtins(program)} if program else {}),
    }


def turn_id() -> str:
    """Return a new id for a turn."""
    return trace.random_id("turn_id")


def load(model: Callable[[], Model]) -> Model:
    """Return the model of one answer; one that could not be had is missed at a replay as well."""
    return trace.make("model", model)


def is_repeated() -> bool:
    """Whether an answer of then is made again from its trace."""
    track = trace.current()
    return track is not None and track.recording.plays


def cooling_engines(client: Client) -> list[str]:
    """Return the engines that are left alone at the moment, because they failed."""
    states = client.engine_states()
    cooling = [id_ for id_, state in states.items() if state.state == "open"]
    return trace.draw("cooling_engines", cooling, list[str])


async def is_there(url: str) -> bool:
    """Return whether a server listens at ``url``."""
    return await trace.ask("searxng is there", partial(choices.listens, url), bool)


async def is_judged_in_time(work: Future[Any], seconds: float) -> bool:
    """Return whether ``work``, which judges a sentence, ends within so many seconds."""
    return await trace.ask("judged in time", partial(_ends, work, seconds), bool)


async def _ends(work: Future[Any], seconds: float) -> bool:
    done, _ = await asyncio.wait({asyncio.wrap_future(work)}, timeout=seconds)
    return bool(done)


def is_repaired_in_time(in_time: bool) -> bool:  # noqa: FBT001 - what is recorded
    """Return whether a sentence was repaired ``in_time``.

    A replay hears what was said until then, and does not wait.
    """
    return trace.draw("repaired in time", in_time, bool)
