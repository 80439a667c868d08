"""Output that cannot be written is told, with exit code 4, whatever was to be printed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LOST = [
    ("--help", ">/dev/full"),
    ("search --help", ">&-"),
    ("search tea -e stub", ">&-"),
    ("engines --json", ">&-"),
]


@pytest.mark.sample(4)
@pytest.mark.parametrize("buffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(("command", "where"), LOST)
def test_what_cannot_be_written_is_one_line_and_exit_code_4(
    command: str, where: str, buffered: str
) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m citeseek {command} {where}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": buffered},
    )
    *notes, last = done.stderr.splitlines()
    assert done.returncode == 4, done.stderr
    assert last.startswith("citeseek: 输出写不出去：")
    assert not any("Traceback" in note or "Exception" in note for note in notes)


def test_a_wrong_option_is_bad_input_also_without_an_output() -> None:
    line = f"{sys.executable} -m citeseek search tea --nonsense >&-"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--nonsense" in done.stderr
