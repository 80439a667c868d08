"""Places in the list of conversations as text: where the next page begins."""

from __future__ import annotations

from citeseek.conversations.conversation_record import SessionSummary
from citeseek.errors import InvalidInput


def cursor_of(summary: SessionSummary) -> str:
    """Return the place of a conversation, before which the next page begins."""
    updated_at, id_ = summary.place
    return f"{updated_at!r}~{id_}"


def place_of(cursor: str) -> tuple[float, str] | None:
    """Return the place that ``cursor`` names, None for an empty one; raise InvalidInput."""
    if not cursor:
        return None
    updated_at, _, id_ = cursor.partition("~")
    try:
        return float(updated_at), id_
    except ValueError:
        raise InvalidInput(
            "before is no place in the list.", hint="Use the value of next of the page before."
        ) from None
