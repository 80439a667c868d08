"""How results are said: a Markdown table, and goals that are met or not met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Goal:
    """A number to stay under or to reach."""

    text: str
    bound: Literal["at most", "at least"]
    limit: float

    def row(self, value: float) -> tuple[str, ...]:
        """Return the goal, what was measured and whether that meets it, for :func:`table`."""
        met = value <= self.limit if self.bound == "at most" else value >= self.limit
        return self.text, f"{self.bound} {self.limit:.3g}", f"{value:.3g}", _verdict(met=met)


GOAL_HEADER = ("goal", "wanted", "measured", "verdict")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with aligned columns."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def _verdict(*, met: bool) -> str:
    return "met" if met else "**not met**"
