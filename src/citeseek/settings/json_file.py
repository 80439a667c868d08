"""A JSON file of settings: what it holds, or what is wrong with it and where."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from citeseek.errors import InvalidInput

# Of a whole number, as Python reads it.
MAX_DIGITS = 4300

# A string, a number or a bare word, and the colon behind the names of an object.
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*"|[-+.]?\w[-+.\w]*)(\s*:)?')
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_LAST_COMMA = re.compile(r",\s*([}\]])")
_WORDS = ("true", "false", "null")
# What other languages write; any other word may be a key without quotes, which nobody is shown.
_FOREIGN = frozenset("NaN nan Infinity -Infinity True False None undefined".split())


def fault(text: str) -> tuple[int, str]:
    """Return the place from which on ``text`` is not JSON, and why."""
    end = len(text.rstrip())
    if end == 0:
        return 0, "it is empty"
    places = [*_no_values(text), *_to_python(text)]
    place, reason = min(places, default=(end, ""), key=lambda found: found[0])
    if place >= end:
        return end, "it ends too early"
    # Versions of Python name the comma or what stands behind it.
    comma = place if text[place] == "," else max(len(text[:place].rstrip()) - 1, 0)
    if match := _LAST_COMMA.match(text, comma):
        return comma, f"a comma stands before {match[1]}"
    return place, reason


def _no_values(text: str) -> Iterator[tuple[int, str]]:
    """Yield each number, word and string that JSON does not have, such as NaN or 1e400."""
    for token in _TOKEN.finditer(text):
        word = token[1]
        if word.startswith('"'):
            if _has_half_a_character(word):
                yield token.start(), "the text holds half of a character"
        elif word not in _WORDS and not token[2]:
            if word in _FOREIGN:
                yield token.start(), f"{word} is no value that JSON has"
            elif not _NUMBER.fullmatch(word):
                yield token.start(), "neither a number nor a text in double quotes"
            elif _is_out_of_range(word):
                yield token.start(), "the number is out of range"


def _is_out_of_range(number: str) -> bool:
    if number.lstrip("-").isdecimal():
        return len(number) > MAX_DIGITS
    return math.isinf(float(number))


def _has_half_a_character(string: str) -> bool:
    try:
        return any("\ud800" <= char <= "\udfff" for char in json.loads(string))
    except ValueError:
        return False


def _to_python(text: str) -> Iterator[tuple[int, str]]:
    """Yield what the reader of Python's own, which knows its places well, does not understand."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at").removesuffix(" starting")
        yield error.pos, reason[:1].lower() + reason[1:]
    except (RecursionError, ValueError):
        # A number of more digits than it reads, which msgspec does.
        return


Kind: TypeAlias = Literal["missing", "unreadable", "not_json", "too_deep", "not_an_object"]

# What else a file may hold, in the words of JSON.
_KINDS = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Flaw(msgspec.Struct, frozen=True):
    """What is wrong with the file at ``path``.

    ``line`` and ``column``, in characters and from 1, are where it ends to be JSON; 0 when the
    place does not matter or is not known.
    """

    path: Path
    kind: Kind
    reason: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """Tell it in a sentence."""
        match self.kind:
            case "missing":
                return f"There is no settings file {self.path}."
            case "unreadable":
                return f"{self.path} cannot be read: {self.reason}."
            case "not_json":
                return f"{self.path}, line {self.line}, column {self.column}: {self.reason}."
            case _:
                return f"{self.path} {self.reason}."


def read_json(path: Path, *, required: bool, hint: str = "") -> dict[str, Any]:
    """Return the JSON object in the file at ``path``; {} when it may be, and is, missing.

    Raise InvalidInput, with ``hint``, that names the file, the line and the column.
    """
    found = read_object(path, required=required)
    if isinstance(found, Flaw):
        raise InvalidInput(str(found), hint=hint)
    return found


def read_object(path: Path, *, required: bool) -> dict[str, Any] | Flaw:
    """Return the JSON object in the file at ``path``, or what is wrong with the file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        return Flaw(path, "missing", str(error.strerror)) if required else {}
    except OSError as error:
        return Flaw(path, "unreadable", str(error.strerror))
    # Some editors begin a file with a byte-order mark.
    value = _decode(path, content.removeprefix(codecs.BOM_UTF8))
    if isinstance(value, dict | Flaw):
        return value
    return Flaw(path, "not_an_object", f"must hold a JSON object, not {_KINDS[type(value)]}")


def _decode(path: Path, content: bytes) -> Any:
    """Return the JSON value in ``content``, or the flaw of what is none."""
    try:
        text = content.decode()
        return msgspec.json.decode(text)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode()
        if content.startswith(_UTF_16):
            return _at(path, before, 0, "it is UTF-16 and has to be saved as UTF-8")
        return _at(path, before, len(before), "it is not UTF-8 text")
    except RecursionError:
        return Flaw(path, "too_deep", "is nested too deeply")
    except msgspec.DecodeError:
        return _at(path, text, *fault(text))


def _at(path: Path, text: str, place: int, reason: str) -> Flaw:
    line = text.count("\n", 0, place) + 1
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    return Flaw(path, "not_json", reason, line, column)
