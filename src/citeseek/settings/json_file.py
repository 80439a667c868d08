"""A JSON file of settings: what it holds, or what is wrong with it and where."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from citeseek.errors import InvalidInput
from citeseek.settings.json_fault import fault

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
    found = examined(path, required=required)
    if isinstance(found, Flaw):
        raise InvalidInput(str(found), hint=hint)
    return found


def examined(path: Path, *, required: bool) -> dict[str, Any] | Flaw:
    """Return the JSON object in the file at ``path``, or what is wrong with the file."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        return Flaw(path, "missing", str(error.strerror)) if required else {}
    except OSError as error:
        return Flaw(path, "unreadable", str(error.strerror))
    # Some editors begin a file with a byte-order mark.
    value = _decoded(path, content.removeprefix(codecs.BOM_UTF8))
    if isinstance(value, dict | Flaw):
        return value
    return Flaw(path, "not_an_object", f"must hold a JSON object, not {_KINDS[type(value)]}")


def _decoded(path: Path, content: bytes) -> Any:
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
    except msgspec.DecodeError as error:
        return _at(path, text, *fault(text, error))


def _at(path: Path, text: str, place: int, reason: str) -> Flaw:
    line = text.count("\n", 0, place) + 1
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    return Flaw(path, "not_json", reason, line, column)
