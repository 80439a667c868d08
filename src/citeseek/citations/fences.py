"""Code fences of Markdown: how a line opens one, and which line closes it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENING = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
# What is indented by more is code of another kind.
_MAX_INDENT = 3


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence, closed by a line of at least ``length`` of the same character."""

    character: str
    length: int

    def may_be_closed_by(self, line: str) -> bool:
        """Whether ``line``, which may go on and has no indentation, is all of one closing run."""
        run = line.rstrip(" \t")
        return bool(run) and not run.strip(self.character)

    def is_closed_by(self, line: str) -> bool:
        """Whether ``line``, without its indentation, closes the fence."""
        return self.may_be_closed_by(line) and len(line.rstrip(" \t")) >= self.length


def fence(line: str) -> Fence | None:
    """Return the fence that ``line``, without its indentation, opens, None when it opens none."""
    opening = _OPENING.match(line)
    if opening is None:
        return None
    run = opening[1] or opening[2]
    return Fence(run[0], len(run))


def fence_after(line: str, opened: Fence | None) -> Fence | None:
    """Return the fence that is open behind a whole ``line`` before which ``opened`` was."""
    text = line.lstrip(" ")
    if len(line) - len(text) > _MAX_INDENT:
        return opened
    if opened is None:
        return fence(text)
    return None if opened.is_closed_by(text) else opened
