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


def exit_code_of(command: str, buffered: str = "1", **env: str) -> int:
    """Return the exit code of ``command``, which is a line of bash with a pipe or a redirection."""
    line = f"{sys.executable} -m citeseek {command}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": buffered, **env},
    )
    assert b"Traceback" not in done.stderr
    return done.returncode


@pytest.mark.sample(4)
@pytest.mark.parametrize("buffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "command",
    [
        "search tea -e nope 2>&1 | true",
        "search tea -e nope -f json | true",
        "search tea -e nope 2>/dev/full",
        "search --nonsense 2>&1 | true",
        "search --nonsense 2>/dev/full",
        "nonsense 2>/dev/full",
    ],
)
def test_bad_input_is_that_also_where_nobody_reads_of_it(command: str, buffered: str) -> None:
    assert exit_code_of(command, buffered) == 2


@pytest.mark.sample(1)
@pytest.mark.parametrize("lost", ["2>/dev/null | true", "2>&1 | true", "2>/dev/full >/dev/null"])
def test_an_answer_that_failed_has_failed_also_where_nobody_reads_it(lost: str) -> None:
    dead = {"CITESEEK_MODEL": "ollama:m", "CITESEEK_MODEL_BASE_URL": "http://127.0.0.1:9/v1"}
    assert exit_code_of(f"ask tea --no-search {lost}", **dead) == 3


def test_notes_that_are_lost_take_nothing_from_a_success() -> None:
    assert exit_code_of("search tea -e stub 2>/dev/full >/dev/null") == 0
    assert exit_code_of("search tea -e stub 2>&1 | true") == 0
