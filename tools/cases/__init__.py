"""Runs cases (``{id, level, input: {op, …}, expect}``) on the real code, an adapter for each op.

An adapter returns the differences between what is expected and what was got, a sentence each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Case = dict[str, Any]
Check = Callable[[Case], list[str]]


class NotBuilt(Exception):
    """A case asks for something that the checker does not know, which is named."""
