"""``citeseek serve`` as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.command import forked_citeseek
from tests.serving.running import Caller

CITESEEK = [sys.executable, "-m", "citeseek"]
LINE = re.compile(r"Citeseek: (http://127(?:\.\d+){3}:\d+)\n")
# What uvicorn writes when it waited for connections that did not end.
WAITED = "graceful shutdown exceeded"


class Process:
    """A server that is ready."""

    def __init__(self, process: subprocess.Popen[str], base_url: str) -> None:
        self.base_url = base_url
        self.call = Caller(base_url)
        self._process = process

    @property
    def pid(self) -> int:
        """The number of its process, where it runs alone."""
        return self._process.pid

    def children(self) -> set[int]:
        """Return the numbers of the processes that it has, where it runs alone."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        return set(map(int, children.split()))

    def kill(self, how: signal.Signals) -> None:
        """Send a signal and wait for the end, however it comes."""
        self._process.send_signal(how)
        self._process.wait(60)

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """Send a signal; return the exit code and what was written to standard error."""
        self._process.send_signal(how)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and what was written to standard error."""
        written, told = self._process.communicate(timeout=60)
        assert WAITED not in told
        assert written == ""
        assert "Traceback" not in told
        return self._process.returncode, told


@contextmanager
def serving(
    tmp_path: Path,
    *args: str,
    max_files: int | None = None,
    alone: bool = False,
    within: Sequence[str] = (),
    log: Path | None = None,
    **env: str,
) -> Iterator[Process]:
    """Start a server and wait for its line; in the end it is gone.

    It may open ``max_files``, by default as many as the test; ``alone`` it is a child of the test,
    as it is when a command runs it that comes before it: ``within``. One that writes more than a
    pipe holds writes to ``log``.
    """
    limited = ["sh", "-c", f'ulimit -n {max_files}; exec "$@"', "sh"] if max_files else []
    command = CITESEEK if alone or max_files or within else forked_citeseek()
    kept = {"CITESEEK_SESSIONS": str(tmp_path / "sessions.sqlite3"), "CITESEEK_CHAT_ENGINE": "stub"}
    with (
        ExitStack() as stack,
        subprocess.Popen(
            [*within, *limited, *command, "serve", "--port", "0", *args],
            stdout=subprocess.PIPE,
            stderr=stack.enter_context(log.open("w")) if log else subprocess.PIPE,
            text=True,
            env={**os.environ, **kept, **env},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = LINE.fullmatch(process.stdout.readline())
            assert line is not None
            yield Process(process, line[1])
        finally:
            process.kill()
