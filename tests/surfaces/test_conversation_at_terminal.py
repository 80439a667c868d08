"""``citeseek ask`` at a real terminal: what Ctrl-C ends."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.command import CITESEEK
from tests.loopback.models import HANG, ModelServer

CTRL_C = b"\x03"
PATIENCE = 60.0
# Only of the terminal that is its own does a process get Ctrl-C as a signal.
OWN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """What a person sees and types."""

    def __init__(self, file: int, process: subprocess.Popen[bytes]) -> None:
        self._file = file
        self.process = process
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self._file, text.encode())

    def interrupt(self) -> None:
        os.write(self._file, CTRL_C)

    def shows(self, text: str) -> None:
        """Read on until ``text`` stands behind what was waited for before."""
        until = time.monotonic() + PATIENCE
        while text not in self.seen:
            assert time.monotonic() < until, self.seen
            self.seen += os.read(self._file, 4096).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def ended(self) -> int:
        with suppress(OSError):
            while os.read(self._file, 4096):
                pass
        return self.process.wait(PATIENCE)


@contextmanager
def asking(home: Path, **env: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", OWN_TERMINAL, *CITESEEK, "ask", "-e", "stub"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "CITESEEK_HOME": str(home), "TERM": "xterm", **env},
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(ours, process)
        finally:
            process.kill()
            os.close(ours)


@pytest.mark.release
def test_ctrl_c_ends_the_answer_and_not_the_conversation(tmp_path: Path) -> None:
    with ModelServer() as model, asking(tmp_path, **model.env) as terminal:
        model.says("First", HANG)
        model.says("Second answer.")
        terminal.shows("citeseek> ")
        terminal.type("one\n")
        model.reach(1).wait(PATIENCE)
        terminal.shows("First")
        terminal.interrupt()
        terminal.shows("回答已停止")
        terminal.shows("citeseek> ")
        terminal.type("two\n")
        terminal.shows("Second answer.")
        terminal.shows("citeseek> ")
        terminal.interrupt()
        assert terminal.ended() == 130
