"""A command that a server of forks runs, seen from who asks for it; see ``tests/fork_server.py``.

Run as a program, it is that command for who starts it: it hands on its streams, its environment,
its folder and the signals that it gets, and ends as the command does.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Self


class Command:
    """A command that has begun; to leave the block before it has ended kills it."""

    def __init__(
        self,
        server: str,
        args: Sequence[str],
        env: Mapping[str, str],
        cwd: str,
        streams: Sequence[int],
    ) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(server)
        job = json.dumps({"args": [*args], "env": dict(env), "cwd": cwd}).encode() + b"\n"
        sent = socket.send_fds(self._connection, [job], list(streams))
        # To send nothing fails where the command has already ended.
        if rest := job[sent:]:
            self._connection.sendall(rest)
        self._replies = self._connection.makefile()
        self.pid = int(self._replies.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._replies.close()
        self._connection.close()

    def code(self, seconds: float | None = None) -> int | None:
        """Wait for the end and return the exit code, None when it takes longer."""
        self._connection.settimeout(seconds)
        try:
            return int(self._replies.readline())
        except TimeoutError:
            return None


def main(server: str, *args: str) -> int:
    with Command(server, args, os.environ, os.getcwd(), [0, 1, 2]) as command:  # noqa: PTH109 - starts faster without pathlib
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda received, _: os.kill(command.pid, received))
        code = command.code()
    assert code is not None
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
