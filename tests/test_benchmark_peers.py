"""A benchmark without the programs that it measures beside says what installs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# As in an environment that lacks the second argument, whatever this one has.
WITHOUT = """
import runpy, sys
sys.modules[sys.argv[2]] = None
sys.argv = [sys.argv[1]]
runpy.run_module(f"benchmarks.{sys.argv[0]}", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("benchmark", "peer"),
    [
        ("browser", "psutil"),
        ("cold_start", "ddgs"),
        ("extraction", "readability"),
        ("render", "playwright"),
        ("throughput", "langchain_community"),
        ("together", "ddgs"),
    ],
)
def test_a_missing_peer_is_one_line_that_names_what_installs_it(benchmark: str, peer: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT, benchmark, peer],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    assert peer in line
    assert "make .venv/bench.stamp" in line
    assert ended.stdout == ""
