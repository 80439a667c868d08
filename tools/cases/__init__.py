"""Runs cases (``{id, level, input: {op, …}, expect}``) on the real code, an adapter for each op.

An adapter returns the differences between what is expected and what was got, a sentence each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Case = dict[str, Any]
Check = Callable[[Case], list[str]]


class NotBuilt(Exception):
    """A case asks for a part that does not exist yet."""


def unknown_keys(expect: dict[str, Any], known: set[str]) -> list[str]:
    """Return a difference for each expectation that the adapter does not look at."""
    return [f"the checker does not know {key!r}" for key in sorted(set(expect) - known)]


def unequal(name: str, expected: object, got: object) -> list[str]:
    """Return the difference, if any, between two values."""
    return [] if expected == got else [f"expected {name} {expected!r}, got {got!r}"]
