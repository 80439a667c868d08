"""The ratios that are committed, and what is worse than they are.

A ratio may be a little worse in one run than in another; more than 15 % is a regression.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = Path(__file__).with_suffix(".toml")
TOLERANCE = 0.15
_HEAD = """\
# The ratios that `python -m benchmarks.throughput --accept` measured last. A run fails when one of
# its own is more than 15 % worse.
"""


class Expected(NamedTuple):
    """A ratio, and whether it is to be ``at most`` or ``at least`` so much."""

    ratio: float
    bound: Literal["at most", "at least"]

    def is_worse(self, than: float) -> bool:
        """Whether this ratio is more than 15 % worse ``than`` another of its kind."""
        if self.bound == "at most":
            return self.ratio > than * (1 + TOLERANCE)
        return self.ratio < than * (1 - TOLERANCE)


def read(file: Path = FILE) -> dict[str, float]:
    """Return the committed ratios by name."""
    return tomllib.loads(file.read_text(encoding="utf-8"))["ratios"]


def write(ratios: Mapping[str, Expected], file: Path = FILE) -> None:
    """Commit ``ratios``."""
    lines = "".join(f'"{name}" = {one.ratio:.3g}\n' for name, one in ratios.items())
    file.write_text(f"{_HEAD}[ratios]\n{lines}", encoding="utf-8")


def regressions(measured: Mapping[str, Expected], committed: Mapping[str, float]) -> list[str]:
    """Return a line for each ratio that is worse than the committed one, or has none."""
    lines = []
    for name, one in measured.items():
        before = committed.get(name)
        if before is None:
            lines.append(f"{name}: no ratio is committed; see --accept.")
        elif one.is_worse(before):
            lines.append(f"{name}: {one.ratio:.3g}, and it was {before:.3g}.")
    return lines
