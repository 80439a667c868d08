"""Where a text ends to be JSON, and why, in words that repeat nothing which may be a secret."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

import msgspec

# Of a whole number, as Python reads it.
MAX_DIGITS = 4300

# A string, a number or a bare word, and the colon behind the names of an object.
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*"|[-+.]?\w[-+.\w]*)(\s*:)?')
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_LAST_COMMA = re.compile(r",\s*([}\]])")
_WORDS = ("true", "false", "null")
# What other languages write; any other word may be a key without quotes, which nobody is shown.
_FOREIGN = frozenset("NaN nan Infinity -Infinity True False None undefined".split())


def fault(text: str, error: msgspec.DecodeError) -> tuple[int, str]:
    """Return the place from which on ``text`` is not JSON, and why; ``error`` is msgspec's."""
    end = len(text.rstrip())
    if end == 0:
        return 0, "it is empty"
    places = [*_no_values(text), *_to_python(text), *_to_msgspec(text, error)]
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


def _to_msgspec(text: str, error: msgspec.DecodeError) -> Iterator[tuple[int, str]]:
    # It tells the place in its message alone.
    if match := re.fullmatch(r"(?:JSON is malformed: )?(.*) \(byte (\d+)\)", str(error)):
        yield len(text.encode()[: int(match[2])].decode(errors="ignore")), match[1]
