"""Reading the JSON of an API without trusting it: every key may be missing or of another type."""

from __future__ import annotations

import html
import json
import logging
import math
import re
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from citeseek.errors import WebParseError
from citeseek.models import Page

log = logging.getLogger(__name__)

# No engine gives as many.
MAX_ENTRIES = 1_000
# So many are named in the log; a broken answer may hold any number.
LOGGED = 3
# The worst markup of this length takes a parser 3 ms, and twice as much of it eight times as long.
MAX_MARKUP = 4_000

_SURROGATE = "[\ud800-\udfff]"


def json_object(page: Page) -> dict[str, Any]:
    """Return the JSON object that the page holds; raise WebParseError when it holds none."""
    try:
        value = msgspec.json.decode(page.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = _lenient(page.body)
    if not isinstance(value, dict):
        raise WebParseError("The answer is not a JSON object.", detail_code="not_json")
    return value


def _lenient(body: bytes) -> Any:
    """Read JSON with a damaged character or half an emoji; None for what is no JSON."""
    try:
        return json.loads(body.decode("utf-8", "replace"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def entries(value: Any) -> list[dict[str, Any]]:
    """Return the objects of an answer's list of results, as :func:`dicts` does.

    Raise WebParseError (``drift``) for a list that holds none: that is not "nothing found".
    """
    found = dicts(value)
    if value and not found:
        raise WebParseError("The answer's results are no objects.", detail_code="drift")
    return found


def dicts(value: Any) -> list[dict[str, Any]]:
    """Return the objects among the first ``MAX_ENTRIES`` of a list; [] for anything else.

    What is dropped is logged: the first ones each, the others by their number.
    """
    if not isinstance(value, list):
        return []
    found, strange = [], []
    for position, entry in enumerate(value[:MAX_ENTRIES], start=1):
        if isinstance(entry, dict):
            found.append(entry)
        else:
            strange.append((position, type(entry).__name__))
    for position, kind in strange[:LOGGED]:
        log.warning("entry %d dropped: %s is no object", position, kind)
    if more := len(strange[LOGGED:]) + len(value[MAX_ENTRIES:]):
        log.warning("%d more entries dropped", more)
    return found


def string(value: Any) -> str:
    """Return text or a number as text, everything else as an empty text."""
    if isinstance(value, str):
        return value if value.isascii() else re.sub(_SURROGATE, "\ufffd", value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    return str(value)


def plain(value: Any) -> str:
    """Return the visible text of a value that may hold markup and entities, white space folded.

    Markup is cut after ``MAX_MARKUP`` characters.
    """
    fragment = string(value)
    if "<" not in fragment:
        fragment = html.unescape(fragment)
    else:
        body = LexborHTMLParser(fragment[:MAX_MARKUP].replace("<br", " <br")).body
        fragment = body.text() if body is not None else ""
    return " ".join(fragment.split())
