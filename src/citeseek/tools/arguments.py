"""What a model sent as arguments, read leniently where it is plain what was meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from citeseek.errors import InvalidInput
from citeseek.faces import Face
from citeseek.searching.planning import SearchFields
from citeseek.tools.tool_definitions import Definition

# The words of the Brave API, which models know, for ours.
_PERIODS = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}


def read(
    arguments: Mapping[str, Any], definition: Definition, asked: SearchFields
) -> tuple[str, SearchFields]:
    """Return the query and what is asked beside it: ``asked``, and ``arguments`` over it.

    Only the parameters of ``definition`` are looked at; null and blank mean "not given". Raise
    InvalidInput that names the argument which cannot be read.
    """
    known = definition.parameters["properties"].keys() & arguments.keys()
    given = {name: arguments[name] for name in known if not is_blank(arguments[name])}
    if "query" not in given:
        how = "missing" if arguments.get("query") is None else "empty"
        raise InvalidInput(f"query is {how}: the words to search for.")
    fields: dict[str, Any] = {**asked}
    if "count" in given:
        fields["count"] = _count(given["count"], asked["face"])
    if "category" in given:
        fields["category"] = _strip(given["category"])
    if "country" in given:
        fields["country"] = _strip(given["country"])
    if "freshness" in given:
        fields["freshness"] = freshness(given["freshness"])
    return given["query"], fields  # type: ignore[return-value]


def freshness(raw: Any) -> Any:
    """Return our word for a period or a range as Brave writes it (``pd``, ``…to…``)."""
    if not isinstance(raw, str):
        return raw
    return _PERIODS.get(raw.strip().lower(), re.sub(r"(?<=\d)to(?=\d)", "..", raw.strip()))


def is_blank(raw: Any) -> bool:
    """Whether ``raw`` says nothing: None, or text of white space alone."""
    return raw is None or (isinstance(raw, str) and not raw.strip())


def _count(raw: Any, face: Face) -> Any:
    """Return the number that a model meant by 5, 5.0 or "5"; which are allowed, the face says.

    What is no number at all is refused by name, since any other number would be a guess.
    """
    if isinstance(raw, float) and raw.is_integer():
        raw = int(raw)
    if isinstance(raw, str) and re.fullmatch(r"\s*[+-]?\d{1,9}\s*", raw):
        raw = int(raw)
    if not isinstance(raw, int) or isinstance(raw, bool):
        low, high = face.counts.low, face.counts.high
        raise InvalidInput(f"count must be a whole number from {low} to {high}, not {raw!r:.40}.")
    return raw


def _strip(raw: Any) -> Any:
    return raw.strip() if isinstance(raw, str) else raw
