"""Server-sent events, read from bytes however they are cut."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class EventTooLong(Exception):
    """An event has more bytes than were allowed; ``data`` is its beginning."""

    def __init__(self, data: bytes) -> None:
        super().__init__("an event is too long")
        self.data = data


class EventReader:
    """Gives the data of each event; an event without data is none.

    ``max_bytes`` is the most that one event may have.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._line = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self._skips_line_feed = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what ``chunk`` completes; raise EventTooLong."""
        if self._skips_line_feed and chunk:
            chunk = chunk.removeprefix(b"\n")
        if chunk:
            self._skips_line_feed = chunk.endswith(b"\r")
        *ended, rest = _LINE_END.split(chunk)
        for part in ended:
            if self._line:
                part = bytes(self._line) + part  # noqa: PLW2901 - the rest of that line
                self._line.clear()
            yield from self._take(part)
        self._line += rest
        if self._size + len(self._line) > self._max_bytes:
            data = _value(bytes(self._line), b"data") or b""
            raise EventTooLong(b"\n".join([*self._data, data]))

    def finish(self) -> Iterator[bytes]:
        """Yield the last event, whose empty line did not come any more."""
        yield from self._take(bytes(self._line))
        self._line.clear()
        yield from self._take(b"")

    def _take(self, line: bytes) -> Iterator[bytes]:
        value = _value(line.removeprefix(_BOM), b"data")
        if value is not None:
            self._data.append(value)
            self._size += len(value)
        elif not line:
            data = b"\n".join(self._data)
            self._data, self._size = [], 0
            if data.strip():
                yield data


def _value(line: bytes, field: bytes) -> bytes | None:
    name, _, value = line.partition(b":")
    return value.removeprefix(b" ") if name == field else None
