"""A real Valkey or Redis server of a test's own."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

SECONDS = 20


class ValkeyServer:
    """A server on loopback that keeps its data in ``folder``, with further ``options``.

    ``within`` is a command that runs it.
    """

    def __init__(self, folder: Path, *options: str, within: Sequence[str] = ()) -> None:
        self._within = within
        program = shutil.which("valkey-server") or shutil.which("redis-server")
        assert program, "tools/valkey installs a server"
        self._folder, self._options, self._program = folder, options, program
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.resume()
        self.stop()

    def start(self) -> None:
        """Start it, with the data that it kept."""
        command = [
            *self._within,
            self._program,
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
        ]
        command += ["--appendonly", "yes", "--dir", str(self._folder), *self._options]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + SECONDS
        while not self._answers():
            if time.monotonic() > until:
                self.stop()
                raise TimeoutError("the server does not answer")
            time.sleep(0.01)

    def stop(self) -> None:
        """End it; a client sees its connections closed."""
        self._process.terminate()
        self._process.wait()

    def pause(self) -> None:
        """Let it answer nothing, with its connections open."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def empty(self) -> None:
        """Let it forget everything."""
        assert self._say(b"FLUSHALL") == b"+OK\r\n"

    def _answers(self) -> bool:
        try:
            # One that wants a password answers as well.
            return self._say(b"PING").startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False

    def _say(self, command: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
            connection.sendall(command + b"\r\n")
            return connection.recv(64)
