"""Places in lists of conversations, reports and batches as text: where the next page begins."""

from __future__ import annotations

from typing import Protocol

from citeseek.errors import InvalidInput


class Listed(Protocol):
    """What stands in a list, at a time and by its id."""

    @property
    def place(self) -> tuple[float, str]:
        """Its time, and its id."""
        ...


def cursor_of(row: Listed) -> str:
    """Return the place of ``row``, before which the next page begins."""
    at, id_ = row.place
    return f"{at!r}~{id_}"


def place_of(cursor: str) -> tuple[float, str] | None:
    """Return the place that ``cursor`` names, None for an empty one; raise InvalidInput."""
    if not cursor:
        return None
    at, _, id_ = cursor.partition("~")
    try:
        return float(at), id_
    except ValueError:
        raise InvalidInput(
            "before is no place in the list.",
            hint="Use the value of next of the page before.",
            values={"case": "no_cursor"},
        ) from None
