"""The command line as a user runs it, each time in a process of its own.

Importing it takes longer than most commands do, so the processes are forked off one that has
imported everything. Where an interpreter must start with settings of its own, a new one does.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

CITESEEK = (
    sys.executable,
    "-c",
    "import sys; from citeseek.surfaces.cli import main; sys.exit(main())",
)
# What commands import when they run, and what takes a fifth of a second or more.
IMPORTED = """bm25s citeseek.assistant.conversation citeseek.health citeseek.http citeseek.replay
citeseek.research citeseek.surfaces.server.app langchain langchain.agents langchain_openai
mcp.server trafilatura uvicorn""".split()


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
    return _forks().run(args, env, stdin, cwd or Path.cwd(), timeout)


def _of_python(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith("PYTHON")}


class _Forks:
    """The process that has imported everything. It runs one command after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # A session of its own, and a parent that is gone: tests look for processes left below them.
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUTF8": "1"},
            start_new_session=True,
        )
        self._process.wait()

    def run(
        self, args: tuple[str, ...], env: Mapping[str, str], stdin: str, cwd: Path, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        with self._lock, tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("in", "out", "err")]
            files[0].write_text(stdin, encoding="utf-8", errors="surrogateescape")
            job = {"args": args, "env": dict(env), "cwd": str(cwd), "timeout": timeout}
            code = self._ask({**job, "files": list(map(str, files))})
            out, err = (file.read_text(encoding="utf-8") for file in files[1:])
        if code is None:
            raise subprocess.TimeoutExpired(args, timeout, out, err)
        return subprocess.CompletedProcess(args, code, out, err)

    def _ask(self, job: Mapping[str, Any]) -> int | None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        code: int | None = json.loads(self._process.stdout.readline())
        return code

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            assert stream
            stream.close()


@cache
def _forks() -> _Forks:
    forks = _Forks()
    atexit.register(forks.close)
    return forks


def _serve() -> None:
    """Fork for each job that is read; return in the process that has become its command."""
    replies = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        job = json.loads(line)
        if not (pid := os.fork()):
            _become(job)
            return
        replies.write(f"{json.dumps(_code_of(pid, job['timeout']))}\n")
        replies.flush()
    os._exit(0)


def _code_of(pid: int, seconds: float) -> int | None:
    """Wait for the end of a process and return its exit code, None where it had to be killed."""
    late = threading.Event()
    watch = threading.Timer(seconds, lambda: (late.set(), os.kill(pid, 9)))
    watch.start()
    _, status = os.waitpid(pid, 0)
    watch.cancel()
    watch.join()
    return None if late.is_set() else os.waitstatus_to_exitcode(status)


def _become(job: Mapping[str, Any]) -> None:
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    given, *written = job["files"]
    opened = [os.open(given, os.O_RDONLY)]
    opened += [os.open(path, os.O_WRONLY | os.O_CREAT, 0o600) for path in written]
    for place, descriptor in enumerate(opened):
        os.dup2(descriptor, place)
        os.close(descriptor)
    sys.argv = ["citeseek", *job["args"]]


if __name__ == "__main__":
    if os.fork():
        os._exit(0)
    # Beside this file lie modules that are named as those of libraries are.
    sys.path.pop(0)
    from importlib import import_module

    from citeseek.surfaces import cli

    for name in (*IMPORTED, *(f"{cli.__name__}.{command}" for command in cli.COMMANDS)):
        import_module(name)
    gc.freeze()
    _serve()
    sys.exit(cli.main())
