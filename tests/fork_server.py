"""A process that has imported what commands need, and forks one off for each that is asked for.

Who asks connects to a Unix socket and sends a line of JSON (``args``, ``env``, ``cwd``) with the
three streams; the process id comes back, and later the exit code. Who hangs up before that ends the
command, and the end of this process's own input ends them all.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import selectors
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import Any

# What commands import when they run, and what takes a fifth of a second or more.
IMPORTED = """bm25s citeseek.assistant.conversation citeseek.health citeseek.http citeseek.replay
citeseek.research citeseek.surfaces.mcp citeseek.surfaces.server.app langchain langchain.agents
langchain_openai mcp.server trafilatura uvicorn""".split()


class Server:
    """What is open in the process that forks, all of which its forks close."""

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(64)
        self._selector = selectors.DefaultSelector()
        self._running: dict[int, tuple[int, socket.socket]] = {}

    def serve(self) -> None:
        """Fork for each command; return in the process that has become one."""
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(0, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._listener:
                    if self._fork():
                        return
                elif key.fd == 0:
                    for pid, _ in self._running.values():
                        os.kill(pid, signal.SIGKILL)
                    os._exit(0)
                elif key.fd in self._running:
                    self._tell_end(key.fd)
                else:
                    # Who asked is gone; the end of the command comes next.
                    self._selector.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)

    def _fork(self) -> bool:
        """Take a command on and return whether this is now the process that runs it."""
        connection, _ = self._listener.accept()
        read, streams, _, _ = socket.recv_fds(connection, 65_536, 3)
        while not read.endswith(b"\n"):
            if not (more := connection.recv(65_536)):
                # Who asked was killed in the middle of it.
                for stream in streams:
                    os.close(stream)
                connection.close()
                return False
            read += more
        if not (pid := os.fork()):
            connection.close()
            self._close()
            _become(json.loads(read), streams)
            return True
        for stream in streams:
            os.close(stream)
        process = os.pidfd_open(pid)
        self._running[process] = pid, connection
        self._selector.register(process, selectors.EVENT_READ)
        self._selector.register(connection, selectors.EVENT_READ, pid)
        # Who was killed meanwhile hangs up, which ends the command.
        with suppress(OSError):
            connection.sendall(f"{pid}\n".encode())
        return False

    def _tell_end(self, process: int) -> None:
        pid, connection = self._running.pop(process)
        self._selector.unregister(process)
        os.close(process)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(KeyError):
            self._selector.unregister(connection)
        with connection, suppress(OSError):
            connection.sendall(f"{code}\n".encode())

    def _close(self) -> None:
        self._listener.close()
        self._selector.close()
        for process, (_, connection) in self._running.items():
            os.close(process)
            connection.close()


def _become(job: dict[str, Any], streams: list[int]) -> None:
    os.setsid()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    sys.argv = ["citeseek", *job["args"]]


def _end(code: int) -> None:
    """End as an interpreter does, but for taking apart all that was imported."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    # A command whose reader is gone has put None in its place.
    if sys.stdout:
        sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    # A parent that is gone: tests look for processes that are left below them.
    if os.fork():
        os._exit(0)
    # Beside this file lie modules that are named as those of libraries are.
    sys.path.pop(0)
    from citeseek.__main__ import main
    from citeseek.surfaces import cli

    for name in (*IMPORTED, *(f"{cli.__name__}.{command}" for command in cli.COMMANDS)):
        import_module(name)
    gc.freeze()
    Server(sys.argv[1]).serve()
    _end(main())
