"""A command ends its process with its exit code, after all was written and done."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import atexit
from citeseek import __main__ as program

class Taken:
    def __del__(self):
        print("taken apart")

def command():
    atexit.register(print, "done at the end")
    program.kept = Taken()
    print("x" * 300_000)
    {how}

program.main = command
program.run()
"""


@pytest.mark.parametrize(("how", "exit_code"), [("return 3", 3), ("return 0", 0), ("1 / 0", 1)])
def test_all_is_written_and_done_and_nothing_is_taken_apart(how: str, exit_code: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CODE.format(how=how)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.stdout == f"{'x' * 300_000}\ndone at the end\n"
    assert ("ZeroDivisionError" in ended.stderr) == ("/ 0" in how)
    assert ended.returncode == exit_code
