"""How much of a model is listened to, and where its messages say what is no answer."""

from __future__ import annotations

import msgspec

THINKING = "reasoning_content"
"""Where a message says what the model thought, in LangChain's words."""
WAS_THINKING = "was_thinking"
"""Where a message says that its first so many characters turned out to be thinking."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one answer of a model may take.

    ``seconds`` is the longest silence, ``total_seconds`` the longest answer, ``max_chars`` the most
    characters of text, thinking and arguments of calls.
    """

    seconds: float
    total_seconds: float
    max_chars: int
