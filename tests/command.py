"""The command line as a user runs it, each time in a process of its own.

Importing it takes longer than most commands do, so the processes are forked off one that has
imported everything. Where an interpreter must start with settings of its own, a new one does.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests import forked
from tests.forked import Command

FORK_SERVER = Path(__file__).with_name("fork_server.py")
CITESEEK = (
    sys.executable,
    "-c",
    "import sys; from citeseek.__main__ import main; sys.exit(main())",
)


def run_citeseek(
    *args: str,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    cwd: Path | None = None,
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; ``env`` is its whole environment, by default that of the tests."""
    env = {"PYTHONUTF8": "1", **(os.environ if env is None else env)}
    if _of_python(env) != {**_of_python(os.environ), "PYTHONUTF8": "1"}:
        return subprocess.run(
            [*CITESEEK, *args],
            input=stdin,
            env=env,
            cwd=cwd,
            timeout=timeout,
            capture_output=True,
            text=True,
            check=False,
        )
    return _server().run(args, env, stdin, cwd or Path.cwd(), timeout)


def forked_citeseek() -> tuple[str, ...]:
    """Return the words of a program that is ``citeseek`` for who starts it.

    The process that does the work is no child of that program: look for it elsewhere.
    """
    return (sys.executable, "-I", "-S", forked.__file__, str(_server().socket))


def _of_python(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith("PYTHON")}


@dataclass(frozen=True, slots=True)
class _Server:
    """The process that has imported everything; ``socket`` is where it is asked."""

    socket: Path
    process: subprocess.Popen[str]

    def run(
        self, args: tuple[str, ...], env: Mapping[str, str], stdin: str, cwd: Path, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        with ExitStack() as stack:
            given, *printed = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            given.write(stdin.encode(errors="surrogateescape"))
            given.seek(0)
            streams = [stream.fileno() for stream in (given, *printed)]
            with Command(str(self.socket), args, env, str(cwd), streams) as command:
                code = command.code(timeout)
            for stream in printed:
                stream.seek(0)
            out, err = (stream.read().decode() for stream in printed)
        if code is None:
            raise subprocess.TimeoutExpired(args, timeout, out, err)
        return subprocess.CompletedProcess(args, code, out, err)


@cache
def _server() -> _Server:
    # The path of a socket is short.
    folder = Path(tempfile.mkdtemp(prefix="forks-"))
    process = subprocess.Popen(
        [sys.executable, str(FORK_SERVER), str(folder / "socket")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUTF8": "1"},
        start_new_session=True,
    )
    assert process.stdin
    assert process.stdout
    process.stdout.readline()
    process.stdout.close()
    process.wait()

    def end() -> None:
        process.stdin.close()
        shutil.rmtree(folder)

    atexit.register(end)
    return _Server(folder / "socket", process)
