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


def dicts(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; [] for anything else. Other entries are logged and dropped."""
    if not isinstance(value, list):
        return []
    for position, entry in enumerate(value, start=1):
        if not isinstance(entry, dict):
            log.warning("entry %d dropped: %s is no object", position, type(entry).__name__)
    return [entry for entry in value if isinstance(entry, dict)]


def string(value: Any) -> str:
    """Return text or a number as text, everything else as an empty text."""
    if isinstance(value, str):
        return value if value.isascii() else re.sub(_SURROGATE, "\ufffd", value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    return str(value)


def plain(value: Any) -> str:
    """Return the visible text of a value that may hold markup and entities, white space folded."""
    fragment = string(value)
    if "<" not in fragment:
        fragment = html.unescape(fragment)
    else:
        body = LexborHTMLParser(fragment.replace("<br", " <br")).body
        fragment = body.text() if body is not None else ""
    return " ".join(fragment.split())
