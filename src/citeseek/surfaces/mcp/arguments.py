"""What a host sent, held to the schema that it was shown.

A model is to learn that it asked for something else than it got, so nothing is left out or bent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from citeseek.errors import InvalidInput
from citeseek.query import whole_number
from citeseek.tools.arguments import is_blank
from citeseek.tools.definitions import Definition


def fitting(arguments: Mapping[str, Any], tool: Definition) -> dict[str, Any]:
    """Return ``arguments`` with each whole number as one, also if it came as 5.0 or "5".

    Raise InvalidInput for a name that ``tool`` does not take, and for a number out of its range.
    """
    takes = tool.parameters["properties"]
    for name in arguments:
        if name not in takes:
            raise InvalidInput(
                f"{tool.name} takes no {name!r:.40}.", hint=f"It takes {', '.join(takes)}."
            )
    read = dict(arguments)
    for name, about in takes.items():
        if about["type"] == "integer" and not is_blank(arguments.get(name)):
            low, high = about["minimum"], about["maximum"]
            read[name] = whole_number(name, _number(arguments[name]), low, high)
    return read


def _number(raw: Any) -> Any:
    """Return the whole number that a model meant, what it sent where that is none."""
    if isinstance(raw, str) and re.fullmatch(r"\s*[+-]?\d{1,9}\s*", raw):
        return int(raw)
    return int(raw) if isinstance(raw, float) and raw.is_integer() else raw
