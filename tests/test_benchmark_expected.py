"""A benchmark fails when a ratio is more than 15 % worse than the committed one."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.expected import Expected, read, regressions, write


@pytest.mark.parametrize(
    ("bound", "ratio", "told"),
    [
        ("at most", 1.14, []),
        ("at most", 1.16, ["CPU: a / b: 1.16, and it was 1."]),
        ("at most", 0.2, []),
        ("at least", 0.86, []),
        ("at least", 0.84, ["CPU: a / b: 0.84, and it was 1."]),
        ("at least", 5.0, []),
    ],
)
def test_a_ratio_is_worse_beyond_15_percent(bound: str, ratio: float, told: list[str]) -> None:
    assert regressions({"CPU: a / b": Expected(ratio, bound)}, {"CPU: a / b": 1.0}) == told


def test_a_ratio_that_nobody_committed_is_told() -> None:
    assert regressions({"new": Expected(1.0, "at most")}, {"old": 1.0}) == [
        "new: no ratio is committed; see --accept."
    ]


def test_what_is_accepted_is_what_is_expected(tmp_path: Path) -> None:
    file = tmp_path / "expected.toml"
    write({"searches/s at 64: a / b": Expected(0.9712, "at least")}, file)
    assert read(file) == {"searches/s at 64: a / b": 0.971}
    assert len(read()) > 5
