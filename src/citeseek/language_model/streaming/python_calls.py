"""Calls of tools as Python writes them: ``web_search(query="tea")``, and its literals as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

# Longer ones are no calls of ours, and what is not closed is looked for in vain from each quote.
_MOST_CHARS = 8_000
_STRING = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
_CALL = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{0,127})\s*+\(")
_ARGUMENT = re.compile(
    rf"\s*+([A-Za-z_]\w{{0,63}})\s*+=\s*+({_STRING}|\[(?:{_STRING}|[^\]\"'])*+\]|[\w.+-]++)\s*+,?",
    re.DOTALL,
)
_END = re.compile(r"\s*+\)")
_LITERAL = re.compile(rf"({_STRING})|\b(True|False|None)\b|,\s*+(?=[\]}}])", re.DOTALL)
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|.)|"', re.DOTALL)
_OF_JSON = frozenset('"\\/bfnrt')
# What Llama writes behind the name of a tool.
_METHOD = ".call"

# Of a Python that writes single quotes, and of nothing else that is nearly JSON.
_JSON = json.JSONDecoder(strict=False)


def read_python_calls(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and arguments of each call in ``text`` that gives its arguments by name."""
    at = 0
    while len(text) <= _MOST_CHARS and (call := _CALL.search(text, at)):
        at = call.end()
        given: dict[str, Any] = {}
        while argument := _ARGUMENT.match(text, at):
            at = argument.end()
            given[argument[1]] = python_value(argument[2])
        if given and _END.match(text, at):
            yield call[1].removesuffix(_METHOD), given


def python_value(text: str) -> Any:
    """Return the value of a literal of Python; None for one that is not understood."""
    if len(text) > _MOST_CHARS:
        return None
    try:
        return _JSON.decode(_LITERAL.sub(_in_json, text))
    except (ValueError, RecursionError):
        return None


def _in_json(literal: re.Match[str]) -> str:
    if literal[1] is None:
        # A comma behind the last value is none in JSON.
        return _CONSTANTS.get(literal[2] or "", "")
    return f'"{_ESCAPE.sub(_escape, literal[1][1:-1])}"'


def _escape(escape: re.Match[str]) -> str:
    sign = escape[1]
    if sign is None:
        return '\\"'
    if sign == "'":
        return sign
    return f"\\{sign}" if sign in _OF_JSON or len(sign) > 1 else f"\\\\{sign}"
