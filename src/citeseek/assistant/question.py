"""Where the question stands in the messages that a model is given."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage


def place_of_question(messages: Sequence[BaseMessage]) -> int:
    """Return the index of the person's last message, -1 when there is none."""
    return max(
        (place for place, message in enumerate(messages) if isinstance(message, HumanMessage)),
        default=-1,
    )
