"""The input fields of ``web.search`` that are used where an engine can, and never an error."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from citeseek.errors import InvalidInput
from citeseek.planning import MIN_SECONDS
from citeseek.query import Query, QueryFields
from citeseek.tools.arguments import freshness, is_blank

# Each with the field of a query that it speaks of; the first that can be read is used.
_FIELDS = (
    ("locale", "language"),
    ("lang", "language"),
    ("time_range", "freshness"),
    ("site_filter", "site"),
)

log = logging.getLogger(__name__)


def asked(arguments: Mapping[str, Any]) -> QueryFields:
    """Return what ``locale``, ``lang``, ``time_range`` and ``site_filter`` ask for.

    What cannot be read is left out.
    """
    fields: dict[str, Any] = {}
    for name, field in _FIELDS:
        raw = arguments.get(name)
        if is_blank(raw) or field in fields:
            continue
        value = freshness(raw) if field == "freshness" else raw
        try:
            Query.of("x", **{field: value})  # type: ignore[arg-type]
        except InvalidInput as error:
            log.debug("%s is left out: %s", name, error.message)
        else:
            fields[field] = value
    return fields  # type: ignore[return-value]


def budget(arguments: Mapping[str, Any]) -> float | None:
    """Return ``budget_ms`` in seconds, at least the shortest deadline; None for no number."""
    raw = arguments.get("budget_ms")
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not raw > 0:
        return None
    return max(raw / 1000, MIN_SECONDS)
