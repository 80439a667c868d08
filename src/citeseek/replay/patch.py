"""Two values side by side: line by line as a patch shows them, or member by member."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import groupby, islice
from typing import Any

from citeseek.text import shorten
from citeseek.trace.file import encoded

MAX_LINES = 200
MAX_MEMBERS = 20
_LINE_CHARS = 240
_VALUE_CHARS = 80
# So much of a long line is shown before the place where it differs.
_BEFORE_CHARS = 60
_MISSING = object()


def lines(about: str, before: Any, after: Any) -> list[str]:
    """Return the lines that differ; of long ones the part where they do."""
    if encoded(before) == encoded(after):
        return []
    patch = difflib.unified_diff(
        encoded(before).decode().splitlines(),
        encoded(after).decode().splitlines(),
        lineterm="",
        n=1,
    )
    shown = list(islice(patch, 2, 2 + MAX_LINES))
    return [f"{about}:", *(f"    {line}" for line in _cut(shown))]


def members(about: str, before: Any, after: Any) -> list[str]:
    """Return one line for each member that differs, by its path, with a value for each side."""
    differing = list(_differing("", before, after))
    told = [
        f"{about}: {path}: {_value(one)} → {_value(other)}"
        for path, one, other in differing[:MAX_MEMBERS]
    ]
    more = len(differing) - MAX_MEMBERS
    return [*told, f"{about}: {more} more"] if more > 0 else told


def _cut(patch: list[str]) -> Iterator[str]:
    """Yield the lines, long ones from where they leave the one that they are most like."""
    removed: list[str] = []
    for sign, group in groupby(patch, key=lambda line: line[:1]):
        block = list(group)
        if sign == "-":
            removed = block
            continue
        others = block if sign == "+" else []
        yield from (_part(line, _start(line, others)) for line in removed)
        yield from (_part(line, _start(line, removed)) for line in block)
        removed = []
    yield from (_part(line, 0) for line in removed)


def _start(line: str, others: list[str]) -> int:
    if len(line) <= _LINE_CHARS or not others:
        return 0
    return max(0, max(_common(line[1:], other[1:]) for other in others) - _BEFORE_CHARS)


def _common(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _part(line: str, start: int) -> str:
    if len(line) <= _LINE_CHARS:
        return line
    part = line[1 + start : 1 + start + _LINE_CHARS]
    end = "…" if 1 + start + _LINE_CHARS < len(line) else ""
    return f"{line[0]}{'…' if start else ''}{part}{end}"


def _differing(path: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    if {type(one), type(other)} <= {dict, object} and one is not other:
        one, other = ({} if side is _MISSING else side for side in (one, other))
        for name in sorted({*one, *other}):
            inner = f"{path}.{name}" if path else name
            yield from _differing(inner, one.get(name, _MISSING), other.get(name, _MISSING))
    elif (one is _MISSING) != (other is _MISSING) or encoded(one) != encoded(other):
        yield path, one, other


def _value(value: Any) -> str:
    if value is _MISSING:
        return "–"
    return shorten(" ".join(encoded(value).decode().split()), _VALUE_CHARS)
