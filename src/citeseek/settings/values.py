"""Reading one setting: text or JSON in, a checked value out, or a reason why not."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import msgspec

T = TypeVar("T")

# Reads a raw value (JSON or the text of a variable); ValueError says why it cannot.
Reader = Callable[[Any], T]

_NUMBER = r"[+-]?\d+(\.\d+)?"
_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


class Value(msgspec.Struct, Generic[T], frozen=True):
    """A setting's value and where it came from, such as ``config.json: web.fetch.proxy``."""

    value: T
    origin: str


def number(low: float, high: float) -> Reader[float]:
    """Return a reader of numbers from ``low`` to ``high``."""

    def read(raw: Any) -> float:
        text = str(raw).strip()
        if isinstance(raw, bool) or not re.fullmatch(_NUMBER, text):
            raise ValueError("is not a number")
        value = float(text)
        if not math.isfinite(value) or not low <= value <= high:
            raise ValueError(f"is not from {low:g} to {high:g}")
        return value

    return read


def whole(low: int, high: int) -> Reader[int]:
    """Return a reader of whole numbers from ``low`` to ``high``."""
    read_number = number(low, high)

    def read(raw: Any) -> int:
        value = read_number(raw)
        if value != int(value):
            raise ValueError("is not a whole number")
        return int(value)

    return read


def flag(raw: Any) -> bool:
    """Read true/false, 1/0, yes/no, on/off in any case."""
    text = str(raw).strip().casefold()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError("is not true or false")


def word(raw: Any) -> str:
    """Read a text that is not blank, without the space around it."""
    if not isinstance(raw, str):
        raise ValueError("is not a text")  # noqa: TRY004 - readers report by ValueError
    return raw.strip()


def secret(raw: Any) -> str:
    """Read a key: without space, line ends or a byte-order mark around it, printable within."""
    text = word(raw).strip("\ufeff").strip()
    if not text.isascii() or not text.isprintable():
        raise ValueError("holds characters that no header can carry")
    return text


def choice(*words: str) -> Reader[str]:
    """Return a reader of one of ``words``, in any case."""

    def read(raw: Any) -> str:
        text = word(raw).casefold()
        if text not in words:
            raise ValueError(f"is not one of {', '.join(words)}")
        return text

    return read


def words(raw: Any) -> tuple[str, ...]:
    """Read a list of texts, or a text with commas between them."""
    parts = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError("is not a list of texts")
    found = tuple(part.strip() for part in parts if part.strip())
    if not found:
        raise ValueError("is empty")
    return found


def web_address(raw: Any) -> str:
    """Read an http or https address, without its final slash; ``host:port`` alone means http."""
    text = word(raw)
    if "://" not in text and re.match(r"[\w.-]+(:\d+)?(/|$)", text):
        text = f"http://{text}"
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or not text.isprintable():
        raise ValueError("is not an http or https address")
    if " " in text or parts.query or parts.fragment or (parts.port or 1) < 1:
        raise ValueError("is not the address of a server")
    return text.rstrip("/")


def proxy_address(raw: Any) -> str:
    """Read the address of a proxy: http, https, socks5 or socks5h; ``host:port`` means http."""
    text = word(raw)
    if "://" not in text:
        text = f"http://{text}"
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https", "socks5", "socks5h") or not parts.hostname:
        raise ValueError("is not the address of a proxy")
    return text.rstrip("/")
