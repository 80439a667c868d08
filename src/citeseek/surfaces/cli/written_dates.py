"""Days and moments as people write them, in the language of the terminal and its time zone."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime

from citeseek.i18n import Catalogue


def write_day(text: str, say: Catalogue) -> str:
    """Return the day of an ISO 8601 date or moment in words; any other text as it is."""
    with suppress(ValueError):
        return _day(date.fromisoformat(text), say)
    with suppress(ValueError):
        return _day(_here(text), say)
    return text


def write_moment(text: str, say: Catalogue) -> str:
    """Return an ISO 8601 moment in words, at the time of this machine; a day, and others likewise.

    A moment that names no time zone is of this machine already.
    """
    with suppress(ValueError):
        return _day(date.fromisoformat(text), say)
    with suppress(ValueError):
        at = _here(text)
        return say("date.moment", day=_day(at, say), time=f"{at:%H:%M}")
    return text


def _here(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.astimezone() if at.tzinfo else at


def _day(at: date, say: Catalogue) -> str:
    month = say("date.months").split()[at.month - 1]
    return say("date.day", year=at.year, month=month, day=at.day)
