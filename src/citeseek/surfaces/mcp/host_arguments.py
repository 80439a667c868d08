"""What a host sends to a tool, held to the schema that it was shown.

A model is to learn that it asked for something else than it got, so nothing of its own is left out
or bent. What a host adds beside that is no word of the model's.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any

from citeseek.errors import InvalidInput
from citeseek.query import whole_number
from citeseek.tools.arguments import is_blank
from citeseek.tools.tool_definitions import Definition

# Workflow programs hand on what started them (n8n), editors what they show of the work (Cline).
_OF_HOSTS = frozenset(
    {"action", "chatInput", "chat_input", "security_risk", "task_progress", "tool"}
)
_ID = re.compile(r"^_|[a-z0-9]I[dD]$|_id$")


def fitting(arguments: Mapping[str, Any], tool: Definition) -> dict[str, Any]:
    """Return ``arguments`` with each whole number as one, also if it came as 5.0 or "5".

    What a host adds about the call is left out, and a list may come as one text. Raise InvalidInput
    for another name that ``tool`` does not take, for something else where text belongs, and for a
    number, a text or a list out of its range.
    """
    takes = tool.parameters["properties"]
    read = {name: value for name, value in arguments.items() if not _is_of_host(name, takes)}
    for name in read:
        if name not in takes:
            raise InvalidInput(
                f"{tool.name} takes no {name!r:.40}.", hint=f"It takes {', '.join(takes)}."
            )
    for name, about in takes.items():
        if about["type"] == "string":
            _check_text(name, read.get(name), about)
        elif is_blank(arguments.get(name)):
            continue
        elif about["type"] == "array":
            read[name] = _texts(name, arguments[name], about)
        else:
            low, high = about["minimum"], about["maximum"]
            read[name] = whole_number(name, _number(arguments[name]), low, high)
    return read


def _is_of_host(name: str, takes: Container[str]) -> bool:
    """Whether ``name`` tells of the call, as ``toolCallId`` does: no tool takes an id."""
    return name not in takes and (name in _OF_HOSTS or _ID.search(name) is not None)


def _check_text(name: str, raw: Any, about: Mapping[str, Any]) -> None:
    if not isinstance(raw, str | None):
        raise InvalidInput(f"{name} must be text, not {raw!r:.40}.")
    most = about.get("maxLength")
    if raw and most and len(raw) > most:
        raise InvalidInput(f"{name} has {len(raw):,} characters; the limit is {most:,}.")


def _texts(name: str, raw: Any, about: Mapping[str, Any]) -> list[str]:
    """Return the texts of a list, and one text as a list of its words: addresses have no spaces."""
    listed = raw.split() if isinstance(raw, str) else raw
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise InvalidInput(f"{name} must be a list of texts, not {raw!r:.40}.")
    if len(listed) > about["maxItems"]:
        raise InvalidInput(f"{name} has {len(listed)} entries; the limit is {about['maxItems']}.")
    return listed


def _number(raw: Any) -> Any:
    """Return the whole number that a model meant, what it sent where that is none."""
    if isinstance(raw, str) and re.fullmatch(r"\s*[+-]?\d{1,9}\s*", raw):
        return int(raw)
    return int(raw) if isinstance(raw, float) and raw.is_integer() else raw
