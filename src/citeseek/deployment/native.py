"""SearXNG without Docker: one process on this machine, in an environment of its own."""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from citeseek.deployment import address, files, process
from citeseek.deployment.failures import DeploymentFailed
from citeseek.deployment.installation import Installation
from citeseek.errors import InvalidInput

START_SECONDS = 20.0
# What is shown of the log when it does not start.
SHOWN_LINES = 20
_STEP_SECONDS = 0.05
_MOST_LOG_BYTES = 1_000_000

Ask = Callable[[str], bool]
Tell = Callable[[str], None]


class Running(msgspec.Struct, frozen=True):
    """A SearXNG that was started here; ``mark`` tells its process from a later one of its number.

    ``settings`` is the settings.yml that it reads, ``since`` the time of its start.
    """

    pid: int
    mark: str
    port: int
    settings: str
    since: str

    @property
    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return process.mark(self.pid) == self.mark


class Native:
    """The one SearXNG that this user runs without Docker; everything of it lies in ``folder``."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self._env = _without_python_and_searxng(env)
        self.installation = Installation(folder / "env", self._env)
        self.log = folder / "searxng.log"
        self._record = folder / "process.json"

    def running(self) -> Running | None:
        """Return what runs, None when nothing does, whatever the file of the process says."""
        try:
            record = msgspec.json.decode(self._record.read_bytes(), type=Running)
        except (OSError, msgspec.DecodeError):
            return None
        return record if record.is_alive else None

    def up(self, settings: Path, port: int, *, ask: Ask, tell: Tell) -> tuple[Running, bool]:
        """Return what runs and whether it was started by this call.

        ``ask`` is asked before anything is installed, ``tell`` is told what takes long. Raise
        InvalidInput for a port in use, without ``settings``, and when ``ask`` says no;
        DeploymentFailed when SearXNG could not be installed or is not well in time.
        """
        with self._alone(tell):
            if running := self.running():
                return running, False
            files.require(settings)
            self._require_free(port)
            if not self.installation.is_there:
                if not ask(self.installation.terms):
                    raise InvalidInput("Nothing was installed and nothing was started.")
                tell("installing; this takes about half a minute …")
                self.installation.make()
                self._require_free(port)
            return self._start(settings, port), True

    def down(self, *, tell: Tell) -> Running | None:
        """Stop what runs and return it, None when nothing did."""
        with self._alone(tell):
            if running := self.running():
                self._stop(running, tell)
            return running

    def restart(self, settings: Path | None, *, tell: Tell) -> Running | None:
        """Stop what runs and start it again, with other ``settings`` if given; None: nothing ran.

        Raise DeploymentFailed when it is not well in time.
        """
        with self._alone(tell):
            if not (running := self.running()):
                return None
            self._stop(running, tell)
            return self._start(settings or Path(running.settings), running.port)

    def last_lines(self, count: int) -> str:
        """Return the last ``count`` lines of the log."""
        try:
            with self.log.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _MOST_LOG_BYTES))
                lines = file.read().decode(errors="replace").splitlines()
        except FileNotFoundError:
            return ""
        return "\n".join(lines[-count:]) if count > 0 else ""

    def _start(self, settings: Path, port: int) -> Running:
        scratch = self.folder / "tmp"
        scratch.mkdir(mode=0o700, exist_ok=True)
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        # What Docker's settings say of addresses and of Valkey does not hold here.
        own = {
            "SEARXNG_SETTINGS_PATH": str(settings.absolute()),
            "SEARXNG_BIND_ADDRESS": address.HOST,
            "SEARXNG_PORT": str(port),
            "SEARXNG_LIMITER": "false",
            "SEARXNG_VALKEY_URL": "",
            # SearXNG's caches have fixed names in it.
            "TMPDIR": str(scratch),
        }
        command = [str(self.installation.python), "-I", "-m", "searx.webapp"]
        child = process.start(command, env={**self._env, **own}, folder=self.folder, log=self.log)
        running = Running(
            pid=child.pid,
            mark=process.mark(child.pid) or "",
            port=port,
            settings=own["SEARXNG_SETTINGS_PATH"],
            since=datetime.now().astimezone().isoformat(timespec="seconds"),
        )
        try:
            self._keep(running)
            self._wait_until_well(child, port)
        except BaseException:
            process.stop(running.pid, running.mark)
            child.wait()
            self._record.unlink(missing_ok=True)
            raise
        # It outlives this program on purpose; nobody has to wait for it.
        child.returncode = 0
        return running

    def _wait_until_well(self, child: subprocess.Popen[bytes], port: int) -> None:
        end = time.monotonic() + START_SECONDS
        while not (address.is_well(port) and child.poll() is None):
            if child.poll() is not None:
                raise DeploymentFailed(
                    f"SearXNG ended while it started (exit code {child.returncode}).",
                    hint=f"The whole log: {self.log}",
                    log=self.last_lines(SHOWN_LINES),
                )
            if time.monotonic() > end:
                raise DeploymentFailed(
                    f"SearXNG did not say that it is well within {START_SECONDS:g} s.",
                    hint=f"It was stopped. The whole log: {self.log}",
                    log=self.last_lines(SHOWN_LINES),
                )
            time.sleep(_STEP_SECONDS)

    def _stop(self, running: Running, tell: Tell) -> None:
        if not process.stop(running.pid, running.mark):
            tell(f"it did not stop within {process.STOP_SECONDS:g} s and was killed.")
        self._record.unlink(missing_ok=True)

    def _keep(self, running: Running) -> None:
        new = self._record.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(running))
        new.replace(self._record)

    def _require_free(self, port: int) -> None:
        if not address.is_free(port):
            raise InvalidInput(address.taken(port), hint="--port takes another one.")

    @contextmanager
    def _alone(self, tell: Tell) -> Iterator[None]:
        """Keep other processes of this user from starting or stopping it meanwhile."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                tell("another program starts or stops it; waiting …")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _without_python_and_searxng(env: Mapping[str, str]) -> dict[str, str]:
    """Leave out what is meant for other interpreters, and our own names for SearXNG's address.

    SearXNG would take SEARXNG_BASE_URL for the address under which others know it.
    """
    foreign = ("PYTHON", "SEARXNG_", "VIRTUAL_ENV")
    return {name: value for name, value in env.items() if not name.startswith(foreign)}
