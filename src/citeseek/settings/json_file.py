"""A JSON file of settings: what it holds, or what is wrong with it and where."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import msgspec

from citeseek.errors import InvalidInput, reason_of
from citeseek.i18n import ENGLISH, catalogue

# Of a whole number, as Python reads it.
MAX_DIGITS = 4300

# A string, a number or a bare word, and the colon behind the names of an object.
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*"|[-+.]?\w[-+.\w]*)(\s*:)?')
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_LAST_COMMA = re.compile(r",\s*([}\]])")
_WORDS = ("true", "false", "null")
# What other languages write; any other word may be a key without quotes, which nobody is shown.
_FOREIGN = frozenset("NaN nan Infinity -Infinity True False None undefined".split())


class Reason(str):  # noqa: SLOT000 - it has names of its own
    """Why a text is not JSON, in English; ``code`` and ``about`` say it in other languages."""

    code: str
    about: str

    def __new__(cls, code: str, about: str = "") -> Self:
        """Return the reason of ``code``."""
        made = super().__new__(cls, catalogue(ENGLISH)(f"doctor.word.{code}", about=about))
        made.code, made.about = code, about
        return made


def fault(text: str) -> tuple[int, Reason]:
    """Return the place from which on ``text`` is not JSON, and why."""
    end = len(text.rstrip())
    if end == 0:
        return 0, Reason("json_empty")
    places = [*_no_values(text), *_to_python(text)]
    place, reason = min(places, default=(end, Reason("json_ends")), key=lambda found: found[0])
    if place >= end:
        return end, Reason("json_ends")
    # Versions of Python name the comma or what stands behind it.
    comma = place if text[place] == "," else max(len(text[:place].rstrip()) - 1, 0)
    if match := _LAST_COMMA.match(text, comma):
        return comma, Reason("json_comma", match[1])
    return place, reason


def _no_values(text: str) -> Iterator[tuple[int, Reason]]:
    """Yield each number, word and string that JSON does not have, such as NaN or 1e400."""
    for token in _TOKEN.finditer(text):
        word = token[1]
        if word.startswith('"'):
            if _has_half_a_character(word):
                yield token.start(), Reason("json_half_character")
        elif word not in _WORDS and not token[2]:
            if word in _FOREIGN:
                yield token.start(), Reason("json_no_value", word)
            elif not _NUMBER.fullmatch(word):
                yield token.start(), Reason("json_bare_word")
            elif _is_out_of_range(word):
                yield token.start(), Reason("json_out_of_range")


def _is_out_of_range(number: str) -> bool:
    if number.lstrip("-").isdecimal():
        return len(number) > MAX_DIGITS
    return math.isinf(float(number))


def _has_half_a_character(string: str) -> bool:
    try:
        return any("\ud800" <= char <= "\udfff" for char in json.loads(string))
    except ValueError:
        return False


def _to_python(text: str) -> Iterator[tuple[int, Reason]]:
    """Yield what the reader of Python's own, which knows its places well, does not understand."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" at").removesuffix(" starting")
        yield error.pos, Reason("json_syntax", reason[:1].lower() + reason[1:])
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
    errno: str = ""

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


def read_json(path: Path, *, required: bool, mending: str) -> dict[str, Any]:
    """Return the JSON object in the file at ``path``; {} when it may be, and is, missing.

    Raise InvalidInput that names the file, the line and the column, and ``mending``, the command
    that says what mends it.
    """
    found = read_object(path, required=required)
    if isinstance(found, Flaw):
        raise InvalidInput(
            str(found),
            hint=f"What mends it: {mending}",
            values={
                "hint_case": "mend_settings",
                "command": mending,
                "case": f"json_{found.kind}",
                "path": str(found.path),
                **_words(found.reason),
                "line": str(found.line),
                "column": str(found.column),
                "errno": found.errno,
            },
        )
    return found


def _words(reason: str) -> dict[str, str]:
    if isinstance(reason, Reason):
        return {"why": reason.code, "about": reason.about}
    return {"reason": reason}


def read_object(path: Path, *, required: bool) -> dict[str, Any] | Flaw:
    """Return the JSON object in the file at ``path``, or what is wrong with the file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        return Flaw(path, "missing", str(error.strerror)) if required else {}
    except OSError as error:
        return Flaw(path, "unreadable", str(error.strerror), errno=reason_of(error)["errno"])
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
            return _at(path, before, 0, Reason("json_utf_16"))
        return _at(path, before, len(before), Reason("json_no_utf_8"))
    except RecursionError:
        return Flaw(path, "too_deep", "is nested too deeply")
    except msgspec.DecodeError:
        return _at(path, text, *fault(text))


def _at(path: Path, text: str, place: int, reason: str) -> Flaw:
    line = text.count("\n", 0, place) + 1
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    return Flaw(path, "not_json", reason, line, column)
