"""Where in a JSON text each name stands, for people who look for it in their editor."""

from __future__ import annotations

import json
import re

# A string, or one of the characters that give a text its shape.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')


def places(text: str) -> dict[str, int]:
    """Return the line (from 1) of each name in a valid JSON ``text``, by its dotted path.

    Entries of a list are named by their number, from 0.
    """
    found: dict[str, int] = {}
    # For each open object its current name, for each open list its current number.
    path: list[str | int] = []
    word = ""
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "{":
                path.append("")
            case "[":
                path.append(0)
            case "}" | "]":
                path.pop()
            case ",":
                if path and isinstance(path[-1], int):
                    path[-1] += 1
            case ":":
                path[-1] = word
                line = text.count("\n", 0, token.start()) + 1
                found.setdefault(".".join(map(str, path)), line)
            case string:
                word = _read(string)
    return found


def _read(string: str) -> str:
    try:
        return str(json.loads(string, strict=False))
    except ValueError:
        return ""
