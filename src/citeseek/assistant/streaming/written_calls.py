"""Calls of tools that a model wrote as text, in the forms of several chat templates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from pydantic_core import from_json

from citeseek.assistant.streaming.templates import MESSAGE

_NAME_CHARS = 64
_NAMES = ("name", "tool_name", "function", "tool")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
# Line ends stand in the texts of models that write by hand.
_JSON = json.JSONDecoder(strict=False)
_BEGIN = re.compile(r"[\s;,]*(?=[\[{])")
_NAME = r"([A-Za-z_][\w.-]*)"
# A name, and its arguments as JSON behind what its template puts between them.
_NAMED = re.compile(
    rf"(?:function<｜tool▁sep｜>)?{_NAME}(?::\d+)?\s*"
    rf"(?:>|\[ARGS\]|{re.escape(MESSAGE)}|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|```json)?"
    r"\s*(?=\{)"
)
# A name, and its arguments one by one.
_TAGGED = re.compile(rf'(?:\A\s*|<function=|<invoke\s+name=)"?{_NAME}"?\s*>?')
_PAIR = re.compile(
    r'<parameter(?:=|\s+name=)"?([\w.-]+)"?\s*>(.*?)</parameter>'
    r"|<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>",
    re.DOTALL,
)
_TRACE = re.compile(
    r"""["'](?:name|tool_name|arguments|parameters|query)["']|<parameter|<arg_key>"""
)


class WrittenCall(msgspec.Struct, frozen=True):
    """A call of the tool ``name`` with ``arguments``, a JSON object as text."""

    name: str
    arguments: str


def read_calls(text: str) -> tuple[WrittenCall, ...]:
    """Return the calls in ``text``, which stood between the marks of a template."""
    if _BEGIN.match(text):
        found = (_call_of(value) for value in _values(text))
        return tuple(call for call in found if call)
    return tuple(_tagged(text) if _PAIR.search(text) else _named(text))


def read_only_calls(text: str) -> tuple[WrittenCall, ...]:
    """Return the calls in ``text`` if it is JSON and nothing but calls."""
    found = [_call_of(value) for value in _values(text, whole=True)]
    return tuple(call for call in found if call) if all(found) else ()


def is_like_call(text: str) -> bool:
    """Whether ``text`` was to be a call, though it cannot be read."""
    return _TRACE.search(text) is not None


def _values(text: str, *, whole: bool = False) -> Iterator[Any]:
    """Yield the JSON values in ``text``, those of a list one by one; ``whole``: or none at all."""
    found: list[Any] = []
    at = 0
    while begun := _BEGIN.match(text, at):
        try:
            value, at = _JSON.raw_decode(text, begun.end())
        except (ValueError, RecursionError):
            if whole:
                return
            # Its end is missing, or never came.
            value, at = _begun(text[begun.end() :]), len(text)
        found += value if isinstance(value, list) else [value]
    if not whole or not text[at:].strip():
        yield from found


def _begun(text: str) -> Any:
    try:
        return from_json(text, allow_partial=True)
    except ValueError:
        return None


def _call_of(value: Any) -> WrittenCall | None:
    """Return the call that a JSON value is; the definition of a tool is none."""
    if not isinstance(value, dict) or "description" in value:
        return None
    inner = value.get("function")
    value = inner if isinstance(inner, dict) else value
    names = (value[key] for key in _NAMES if isinstance(value.get(key), str) and value[key])
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    name = next(names, "")
    return (
        _made(name, given if isinstance(given, str) else json.dumps(given or {})) if name else None
    )


def _named(text: str) -> Iterator[WrittenCall]:
    at = 0
    while named := _NAMED.search(text, at):
        try:
            value, at = _JSON.raw_decode(text, named.end())
        except (ValueError, RecursionError):
            value, at = _begun(text[named.end() :]), len(text)
        if isinstance(value, dict):
            yield _made(named[1], json.dumps(value))


def _tagged(text: str) -> Iterator[WrittenCall]:
    names = list(_TAGGED.finditer(text))
    ends = [each.start() for each in names[1:]] + [len(text)]
    for named, end in zip(names, ends, strict=True):
        pairs = _PAIR.finditer(text, named.end(), end)
        given = {(pair[1] or pair[3]).strip(): (pair[2] or pair[4] or "").strip() for pair in pairs}
        if given:
            yield _made(named[1], json.dumps(given))


def _made(name: str, arguments: str) -> WrittenCall:
    """Return the call; servers that are told of it take no other characters in a name."""
    plain = re.sub(r"[^\w-]", "_", name.removeprefix("functions."), flags=re.ASCII)
    return WrittenCall(plain[:_NAME_CHARS], arguments)
