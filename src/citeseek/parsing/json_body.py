"""Reading the JSON of an API without trusting it: every key may be missing or of another type."""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec
from msgspec import structs
from selectolax.lexbor import LexborHTMLParser

from citeseek.errors import WebParseError
from citeseek.models import MAX_HITS, Page
from citeseek.text import repair_surrogates

log = logging.getLogger(__name__)

# Of a whole number; Python reads no more by itself.
MAX_DIGITS = 4_300
# The worst markup of this length takes a parser 3 ms, and twice as much of it eight times as long.
MAX_MARKUP = 4_000
MAX_COUNT_DIGITS, MAX_COUNT_CHARS = 12, 40
_COUNT = re.compile(r"((?P<digits>\d+)(?:\.\d{1,3})?)\s?(?P<times>[kmb万萬亿億])?", re.IGNORECASE)
_TIMES = {
    "K": 10**3, "M": 10**6, "B": 10**9, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8,
}  # fmt: skip
# Of a paper's authors, of a question's tags.
MAX_NAMES = 50
# An object begins with it.
_BRACE = ord("{")


def json_object(page: Page) -> dict[str, Any]:
    """Return the JSON object that the page holds; raise WebParseError when it holds none."""
    return _object(page.body)


def _object(body: bytes | msgspec.Raw) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = _lenient(bytes(body))
    if not isinstance(value, dict):
        raise WebParseError(
            "The answer is not a JSON object.", detail_code="not_json", values={"case": "answer"}
        )
    return value


def json_fields(page: Page, *names: str) -> dict[str, Any]:
    """Return those fields of the JSON object that the page holds, without reading the others.

    Raise WebParseError when it holds none.
    """
    try:
        fields = msgspec.json.decode(page.body, type=dict[str, msgspec.Raw])
        return {name: msgspec.json.decode(fields[name]) for name in names if name in fields}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        answer = json_object(page)
        return {name: answer[name] for name in names if name in answer}


def each_entry(page: Page, name: str, whose: str) -> Iterator[dict[str, Any]]:
    """Yield the entries that :func:`read_list` returns of the answer that the page holds.

    Those that nobody asks for are not decoded, which of a long list is most of the work.
    """
    try:
        (entries,) = structs.astuple(_finder(name).decode(page.body))
        is_plain = len(entries) <= MAX_HITS and all(memoryview(raw)[0] == _BRACE for raw in entries)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        is_plain = False
    yield from map(_object, entries) if is_plain else read_list(json_object(page), name, whose)


@cache
def _finder(name: str) -> msgspec.json.Decoder[Any]:
    """Return what finds the list ``name`` in an answer and decodes none of its entries."""
    return msgspec.json.Decoder(msgspec.defstruct("Holder", [(name, list[msgspec.Raw])]))


def _lenient(body: bytes) -> Any:
    """Read JSON with a damaged character, half an emoji or a number that is none.

    Such a number is null; None for what is no JSON.
    """
    try:
        return json.loads(
            body.decode("utf-8", "replace"), parse_constant=lambda _: None, parse_int=_whole
        )
    except (ValueError, RecursionError):
        return None


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= MAX_DIGITS else None


def read_list(holder: dict[str, Any], name: str, whose: str) -> list[dict[str, Any]]:
    """Return the objects of the list ``name`` in an answer; [] for null, which is "none found".

    Raise WebParseError, in the name of ``whose`` answer it is, when there is no such list, or none
    of its entries is an object.
    """
    value = holder.get(name)
    if value is None and name in holder:
        return []
    found = dicts(value)
    if not isinstance(value, list) or (value and not found):
        raise WebParseError(
            f"{whose} answer holds no list of {name}.",
            detail_code="drift",
            values={"case": "no_list", "name": str(name)},
        )
    return found


def dicts(value: Any) -> list[dict[str, Any]]:
    """Return the objects among the first ``MAX_HITS`` of a list; [] for anything else.

    What is dropped is one line of the log, which names the first of them.
    """
    if not isinstance(value, list):
        return []
    found = [entry for entry in value[:MAX_HITS] if isinstance(entry, dict)]
    if dropped := len(value) - len(found):
        at, first = next(
            ((at, entry) for at, entry in enumerate(value, 1) if not isinstance(entry, dict)),
            (MAX_HITS + 1, None),
        )
        reason = f"{type(first).__name__} is no object" if at <= MAX_HITS else "too many"
        log.warning("%d of %d entries dropped, first entry %d: %s", dropped, len(value), at, reason)
    return found


def string(value: Any) -> str:
    """Return text or a number as text, everything else as an empty text."""
    if isinstance(value, str):
        return repair_surrogates(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    return str(value)


def count(value: Any) -> int | None:
    """Return a number that counts something, as a number or text ("1,234", "1.2M"); else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        match = _COUNT.fullmatch(value.replace(",", "").strip()[:MAX_COUNT_CHARS])
        if match is None or len(match["digits"]) > MAX_COUNT_DIGITS:
            return None
        return (
            round(float(match[1]) * _TIMES[match["times"].upper()])
            if match["times"]
            else (None if "." in match[1] else int(match[1]))
        )
    if isinstance(value, int | float) and math.isfinite(value) and value >= 0:
        return int(value)
    return None


def moment(value: Any) -> str | None:
    """Return the moment of so many seconds since 1970 as ISO 8601, None for what is none."""
    seconds = count(value)
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else None
    except (ValueError, OverflowError, OSError):
        return None


def attribute_object(value: str) -> dict[str, Any]:
    """Return the JSON object in an attribute of a page; {} where there is none."""
    found = _lenient(value.encode())
    return found if isinstance(found, dict) else {}


def strings(value: Any) -> tuple[str, ...]:
    """Return the texts among the first ``MAX_NAMES`` of a list; () for anything else."""
    listed = value[:MAX_NAMES] if isinstance(value, list) else []
    return tuple(filter(None, map(string, listed)))


def inner(holder: Any, *names: str) -> Any:
    """Return what lies under ``names``, one object within the other; None where one is missing."""
    for name in names:
        holder = holder.get(name) if isinstance(holder, dict) else None
    return holder


def plain(value: Any) -> str:
    """Return the visible text of a value that may hold markup and entities, white space folded.

    Markup is cut after ``MAX_MARKUP`` characters.
    """
    fragment = string(value)
    if "<" in fragment:
        body = LexborHTMLParser(_cut(fragment).replace("<br", " <br")).body
        fragment = body.text() if body is not None else ""
    elif "&" in fragment:
        import html  # noqa: PLC0415 - 1 ms, which most searches do without

        # The number of a character may have more digits than Python reads; then it stays as it is.
        with suppress(ValueError):
            fragment = html.unescape(fragment)
    return " ".join(fragment.split())


def _cut(fragment: str) -> str:
    """Return the first part of long markup, which ends with no half of a tag."""
    part = fragment[:MAX_MARKUP]
    is_in_tag = part.rfind("<") > part.rfind(">")
    return part[: part.rfind("<")] if is_in_tag and part != fragment else part
