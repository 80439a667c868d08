"""What a program that asks over an API wants beside the answer to its message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from citeseek.conversations.conversation_record import FunctionResult, Turn


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """The wishes of a program for one answer.

    ``instructions`` are for this answer, behind those of the conversation.
    ``functions`` are offered to the model in Agent mode, each as ``tools`` of OpenAI's chat
    completions has it; the program runs them itself, so that the answer ends with their calls.
    ``must_call`` are the names of functions and tools of which one has to be called; with
    ``one_call`` the answer ends with at most one call. The answer goes on with the ``results`` of
    those with which the one before it ended. ``sampling`` holds the model's ``temperature`` and
    ``top_p`` where the settings do not decide.
    """

    instructions: str = ""
    functions: tuple[Mapping[str, Any], ...] = ()
    must_call: frozenset[str] = frozenset()
    one_call: bool = False
    results: tuple[FunctionResult, ...] = ()
    sampling: Mapping[str, float] = {}

    @property
    def names(self) -> frozenset[str]:
        """The names of its functions."""
        return frozenset(each["function"]["name"] for each in self.functions)

    def missing(self, called: frozenset[str]) -> bool:
        """Whether none of what had to be called is among what was ``called``."""
        return bool(self.must_call) and not self.must_call & called


NO_PROGRAM = Program()


def question_of(turns: Sequence[Turn]) -> int:
    """Return how many of ``turns`` stand before the question of the last one.

    Turns that go on with results of a program's functions belong to the question before them.
    """
    place = len(turns) - 1
    while place > 0 and turns[place].results:
        place -= 1
    return max(place, 0)
