"""The memory of a process and of all below it, as Linux tells it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

_PROC = Path("/proc")


def tree_megabytes(pid: int) -> float:
    """Return the memory of the tree in MB, what its processes share counted once; 0 if unknown."""
    below: dict[int, list[int]] = defaultdict(list)
    for stat in _PROC.glob("[0-9]*/stat"):
        if text := _read(stat):
            below[int(text.rpartition(")")[2].split()[1])].append(int(stat.parent.name))
    found, rest = 0, [pid]
    while rest:
        one = rest.pop()
        found += _proportional_kilobytes(one)
        rest += below[one]
    return found / 1_024


def _proportional_kilobytes(pid: int) -> int:
    lines = _read(_PROC / str(pid) / "smaps_rollup").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        # It has ended, is another's, or this system has no such file.
        return ""
