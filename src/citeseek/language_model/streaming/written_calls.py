"""Calls of tools that a model wrote as text, in the forms of several chat templates."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import msgspec
from pydantic_core import from_json

from citeseek.language_model.streaming.python_calls import python_value, read_python_calls
from citeseek.language_model.streaming.templates import MESSAGE, TRAINED_NAMES

_NAME_CHARS = 64
# More are not run in one answer, and each costs more than its characters.
_MOST_CALLS = 100
_NAMES = ("name", "tool_name", "function", "tool", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input")
# Where other calls stand in JSON.
_WITHIN = ("tool_calls", "tool_call", "function_call")
# Line ends stand in the texts of models that write by hand.
_JSON = json.JSONDecoder(strict=False)
# Whatever a model writes is read in a time that grows as its length: no run of characters is
# looked through from each of its places, and none is given back.
_BEGIN = re.compile(r"[\s;,]*+(?=[\[{])")
_NAME = r"(?<![\w.-])([A-Za-z_][\w.-]{0,127})"
# A name, and its arguments as JSON behind what its template puts between them.
_NAMED = re.compile(
    rf"""(?:function<｜tool▁sep｜>)?{_NAME}(?::\d++)?["']?\s*+"""
    rf"(?:(?:>|(?:\[CALL_ID\]\w++)?\[ARGS\]|{re.escape(MESSAGE)}|<\|tool_call_argument_begin\|>"
    r"|<｜tool▁sep｜>|```json)\s*+)?(?=\{)"
)
# A name, and its arguments one by one. Some families put a prefix before the words.
_PREFIX = r"(?:｜DSML｜|\w{1,32}:)?"
_TAGGED = re.compile(
    rf"""(?:\A\s*+|<function=|<{_PREFIX}(?:invoke|function)\s++name=)["']?{_NAME}["']?\s*+>?"""
)
_VALUE = rf"((?:(?!</?{_PREFIX}parameter|</{_PREFIX}(?:function|invoke)).)*+)(?=<)"
_PAIR = re.compile(
    rf"""<{_PREFIX}parameter(?:=|\s++name=)["']?([\w.-]{{1,128}})["']?[^<>]{{0,80}}>{_VALUE}"""
    r"|<arg_key>((?:(?!</?arg_).)*+)</arg_key>\s*+<arg_value>((?:(?!</?arg_).)*+)</arg_value>",
    re.DOTALL,
)
# FunctionGemma and Gemma 4 write names bare, and texts between marks of their own.
_GEMMA = re.compile(rf"call:{_NAME}\{{")
_GEMMA_PAIR = re.compile(
    r"""(\w{1,64})\s*+:\s*+(?:(<escape>|<\|"\|>)((?:(?!<escape>|<\|"\|>).)*+)\2|([\w.+-]++))""",
    re.DOTALL,
)
_TRACE = re.compile(
    r"""["'](?:name|tool_name|arguments|parameters|query)["']|<parameter|<arg_key>"""
    r"""|\w\((?:\w{1,64}\s*+=|["'])|<escape>"""
)
# What servers leave behind a name that they cut out of a template.
_NAME_ENDS = re.compile(r"[<:\s]")
# What may stand around the calls of an answer that is nothing else.
_AROUND = re.compile(r"\s*+(?:functools|```\w*+)?(.*?)(?:```\s*+)?\Z", re.DOTALL)


class WrittenCall(msgspec.Struct, frozen=True):
    """A call of the tool ``name`` with ``arguments``, a JSON object as text."""

    name: str
    arguments: str


def read_calls(text: str) -> tuple[WrittenCall, ...]:
    """Return the calls in ``text``, which stood between the marks of a template."""
    if _BEGIN.match(text):
        found = (_call_of(value) for value in _values(text))
        return tuple(call for call in found if call) or _in_python(text)
    if _PAIR.search(text):
        return tuple(_find_tagged(text))
    return tuple(_find_named(text)) or tuple(_gemma(text)) or _in_python(text)


def read_only_calls(text: str) -> tuple[WrittenCall, ...]:
    """Return the calls in ``text`` if it is nothing but calls."""
    around = _AROUND.match(text)
    body = around[1] if around else text
    found = [_call_of(value) for value in _values(body, whole=True)]
    if not found:
        return _in_python(body) if body.rstrip()[-1:] in (")", "]") else ()
    return tuple(call for call in found if call) if all(found) else ()


class Beginnings(NamedTuple):
    """How a text may begin: in one of the ways that are ``whole``, or ``cut`` off within one."""

    whole: tuple[str, ...]
    cut: frozenset[str]


@lru_cache(maxsize=64)
def bare_beginnings(tools: frozenset[str]) -> Beginnings:
    """Return how an answer begins, without its blanks, that may be nothing but calls of ``tools``.

    The fence around it, and what is written before a list, belong to some models.
    """
    named = [
        f'{{{type_}"{key}":"{tool}"'
        for type_, key, tool in product(
            ("", '"type":"function",'), ("name", "function", "tool", "tool_name", "action"), tools
        )
    ]
    called = [f"{name}(" for name in tools]
    others = [
        *('{"arguments":{"', '{"parameters":{"', '{"action_input":{"', '{"id":"call'),
        *('{"type":"function","function":{"', '{"tool_calls":[{"', '{"tool_call":{"'),
        '{"function_call":{"',
    ]
    around = ("", "functools", "```", "```json", "```tool_call", "```python", "```py")
    begun = [*named, *called, *others]
    whole = tuple(f"{one}{list_}{each}" for one in around for list_ in ("", "[") for each in begun)
    return Beginnings(whole, frozenset(each[:at] for each in whole for at in range(1, len(each))))


def read_arguments(text: str) -> dict[str, Any] | None:
    """Return the arguments that ``text`` was to be: twice JSON, a list of one, Python, in a fence.

    None for a text that is none of these.
    """
    around = _AROUND.match(text)
    value = python_value(around[1].strip() if around else text)
    if isinstance(value, str):
        value = python_value(value)
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    return value if isinstance(value, dict) else None


def known_name(name: str, tools: Collection[str]) -> str:
    """Return which of ``tools`` a model means by ``name``; ``name`` itself where it is none."""
    if name in tools:
        return name
    word = _NAME_ENDS.split(name.strip(), maxsplit=1)[0]
    short = word.rpartition(".")[2]
    meant = (word, short, TRAINED_NAMES.get(word.replace(".", "_"), ""))
    by_case = {tool.casefold(): tool for tool in tools}
    return next((by_case[one.casefold()] for one in meant if one.casefold() in by_case), name)


def is_like_call(text: str) -> bool:
    """Whether ``text`` was to be a call, though it cannot be read."""
    return _TRACE.search(text) is not None


def _values(text: str, *, whole: bool = False) -> Iterator[Any]:
    """Yield the JSON values in ``text``, those of a list one by one; ``whole``: or none at all."""
    found: list[Any] = []
    at = 0
    while len(found) < _MOST_CALLS and (begun := _BEGIN.match(text, at)):
        try:
            value, at = _JSON.raw_decode(text, begun.end())
        except (ValueError, RecursionError):
            rest, at = text[begun.end() :], len(text)
            value = python_value(rest.strip())
            if value is None and whole:
                return
            # Its end is missing, or never came.
            value = _read_beginning(rest) if value is None else value
        found += _unpack(value)
    if not whole or not text[at:].strip():
        yield from found[:_MOST_CALLS]


def _unpack(value: Any) -> list[Any]:
    if isinstance(value, dict) and len(value) == 1:
        value = next((value[key] for key in _WITHIN if key in value), value)
    return value if isinstance(value, list) else [value]


def _read_beginning(text: str) -> Any:
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
    if len(value) == 1 and not value.keys() & {*_ARGUMENTS}:
        # The tool is the name of its arguments.
        ((name, only),) = value.items()
        value = {"name": name, "arguments": only} if isinstance(only, dict) else value
    names = (value[key] for key in _NAMES if isinstance(value.get(key), str) and value[key])
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    name = next(names, "")
    return (
        _make_call(name, given if isinstance(given, str) else json.dumps(given or {}))
        if name
        else None
    )


def _find_named(text: str) -> Iterator[WrittenCall]:
    at = 0
    while named := _NAMED.search(text, at):
        try:
            value, at = _JSON.raw_decode(text, named.end())
        except (ValueError, RecursionError):
            value, at = _read_beginning(text[named.end() :]), len(text)
        if isinstance(value, dict):
            yield _make_call(named[1], json.dumps(value))


def _find_tagged(text: str) -> Iterator[WrittenCall]:
    for named, end in _find_bounded(_TAGGED, text):
        pairs = _PAIR.finditer(text, named.end(), end)
        given = {(pair[1] or pair[3]).strip(): (pair[2] or pair[4] or "").strip() for pair in pairs}
        if given:
            yield _make_call(named[1], json.dumps(given))


def _gemma(text: str) -> Iterator[WrittenCall]:
    for named, end in _find_bounded(_GEMMA, text):
        pairs = _GEMMA_PAIR.finditer(text, named.end(), end)
        given = {pair[1]: pair[3] or pair[4] or "" for pair in pairs}
        if given and text[named.end() : end].rstrip().endswith("}"):
            yield _make_call(named[1], json.dumps(given))


def _find_bounded(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each match in ``text`` with the place where the next one begins."""
    matches = list(pattern.finditer(text))
    ends = (*(each.start() for each in matches[1:]), len(text))
    return zip(matches, ends, strict=False)


def _in_python(text: str) -> tuple[WrittenCall, ...]:
    return tuple(_make_call(name, json.dumps(given)) for name, given in read_python_calls(text))


def _make_call(name: str, arguments: str) -> WrittenCall:
    """Return the call; servers that are told of it take no other characters in a name."""
    plain = re.sub(r"[^\w-]", "_", name.removeprefix("functions."), flags=re.ASCII)
    return WrittenCall(plain[:_NAME_CHARS], arguments)
