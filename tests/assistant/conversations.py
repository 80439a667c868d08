"""Turns and results for tests of conversations."""

from __future__ import annotations

from typing import Any

from citeseek.conversations.conversation_record import Turn
from citeseek.models import SearchItem


def turn(number: int, **other: Any) -> Turn:
    """Return the turn said at ``number`` seconds since 1970."""
    text = f"answer {number}"
    values: dict[str, Any] = {
        "id": f"turn-{number}",
        "mode": "chat",
        "message": f"question {number}",
        "written": text,
        "answer": text,
        "at": float(number),
    }
    return Turn(**{**values, **other})


def items(*numbers: int) -> tuple[SearchItem, ...]:
    """Return a result for each of ``numbers``, each from a page of its own."""
    return tuple(
        SearchItem(
            title=f"Page {number}",
            url=f"https://e.example/{number}",
            snippet="A leaf.",
            provider="stub",
            rank=rank,
        )
        for rank, number in enumerate(numbers, 1)
    )
