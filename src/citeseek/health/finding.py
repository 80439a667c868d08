"""What was found out about one part, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

import msgspec

Part: TypeAlias = Literal["searxng", "chrome", "engines", "model", "libraries", "config", "network"]
PARTS: tuple[Part, ...] = get_args(Part)

Status: TypeAlias = Literal["error", "warning", "skipped", "ok"]
_WORST_FIRST: tuple[Status, ...] = get_args(Status)


class Finding(msgspec.Struct, frozen=True):
    """One finding about one part.

    ``code`` tells it apart from all others of its part and is stable. ``seen`` is what was observed
    and ``why`` what follows from it, Chinese first. ``repair`` are commands, each on one line, or
    the lines of a file below a comment that names it, to be copied as they are. ``docs`` is a path
    with an anchor. None of them holds a secret or what an upstream wrote.
    """

    part: Part
    code: str
    status: Status
    seen: str
    why: str = ""
    repair: tuple[str, ...] = ()
    docs: str = ""

    @property
    def blocks(self) -> tuple[str, ...]:
        """The repair as it can be copied at once: commands in a row, or the lines of one file."""
        found: list[list[str]] = [[]]
        for text in self.repair:
            is_file = "\n" in text
            if is_file or (found[-1] and "\n" in found[-1][-1]):
                found.append([])
            found[-1].append(text)
        return tuple("\n".join(block) for block in found if block)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings, errors first; those of one status keep their order."""
    return sorted(findings, key=lambda finding: _WORST_FIRST.index(finding.status))


def is_well(findings: Iterable[Finding]) -> bool:
    """Whether none of the findings is an error."""
    return all(finding.status != "error" for finding in findings)
