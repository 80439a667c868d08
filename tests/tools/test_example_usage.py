"""examples: every program explains itself, and says what it is called with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.release

FOLDER = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(path for name in ("loops", "clients") for path in (FOLDER / name).glob("*.py"))

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 6


@each_program
@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("--nowhere", 2)])
def test_a_program_says_how_it_is_called(program: Path, argument: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, program, argument],
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == code
    said = done.stderr if code else done.stdout
    assert said.startswith(f"usage: {program.name}")
    assert "Traceback" not in said
