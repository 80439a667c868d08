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

from citeseek.deployment import address, command, files, orphan, process, settings_file
from citeseek.deployment.failures import DeploymentFailed
from citeseek.deployment.installation import Installation
from citeseek.deployment.record import Record, Running
from citeseek.errors import InvalidInput

START_SECONDS = 20.0
# What is shown of the log when it does not start.
SHOWN_LINES = 20
_STEP_SECONDS = 0.05
_MOST_LOG_BYTES = 1_000_000
_LEFT_ALONE = "What runs was left running."
# As SearXNG does when it starts.
_READ_SETTINGS = """
import sys, searx
setting = getattr(searx, "get_setting", lambda name: "")
if setting("server.secret_key") == "ultrasecretkey" and not searx.sxng_debug:
    sys.exit("server.secret_key is not changed; `openssl rand -hex 32` prints one.")
"""

Ask = Callable[[str], bool]
Tell = Callable[[str], None]


class Native:
    """The one SearXNG that this user runs without Docker; everything of it lies in ``folder``."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self._env = _without_python_and_searxng(env)
        self.installation = Installation(folder / "env", self._env)
        self.log = folder / "searxng.log"
        self.record = Record(folder / "process.json")

    def running(self) -> Running | None:
        """Return what runs, None when nothing does, whatever the file of the process says."""
        noted = self.record.read()
        if noted and noted.is_alive:
            return noted
        return orphan.find(self.installation.python)

    def died(self) -> Running | None:
        """Return what was started, was never stopped, and does not run any more."""
        noted = self.record.read()
        return noted if noted and not self.running() else None

    def up(
        self, settings: Path, port: int | None, *, named: bool = True, ask: Ask, tell: Tell
    ) -> tuple[Running, bool]:
        """Return what runs and whether it was started by this call.

        ``port`` is None for the usual one, or that of what runs; unless ``settings`` were
        ``named`` or exist, any that runs will do. ``ask`` is asked before anything is installed,
        ``tell`` is told what takes long. Raise InvalidInput for a port in use, without settings or
        with such that are no YAML, when another one runs, and when ``ask`` says no;
        DeploymentFailed when SearXNG could not be installed or is not well in time.
        """
        with self._alone(tell):
            if running := self.running():
                wanted = settings if named or settings.exists() else None
                _require_same(running, wanted, port)
                self.record.keep(running)
                return running, False
            port = port or files.PORT
            files.require(settings)
            self._check(settings)
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
            self.record.forget()
            return running

    def restart(self, settings: Path | None, *, tell: Tell) -> Running | None:
        """Stop what runs and start it again, with other ``settings`` if given; None: nothing ran.

        One that has died is started again as it was. Raise InvalidInput for settings that are no
        YAML, DeploymentFailed for others that SearXNG does not take, with what runs left alone;
        DeploymentFailed when it is not well in time.
        """
        with self._alone(tell):
            if not (before := self.running() or self.died()):
                return None
            settings = settings or Path(before.settings)
            files.require(settings)
            was_alive = before.is_alive
            self._check(settings, hint=_LEFT_ALONE if was_alive else "")
            self._try_out(settings)
            if was_alive:
                self._stop(before, tell)
            else:
                self._require_free(before.port)
            # Should it not start, a restart still knows folder and port.
            return self._start(settings, before.port, remembered=True)

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

    def _check(self, settings: Path, *, hint: str = "") -> None:
        """Raise InvalidInput for settings that are no YAML."""
        others = [str(self.installation.python)] if self.installation.is_there else []
        settings_file.check(settings, map(settings_file.with_python, others), hint=hint)

    def _try_out(self, settings: Path) -> None:
        """Let SearXNG read ``settings`` without starting. Raise DeploymentFailed with its words."""
        if not self.installation.is_there:
            raise DeploymentFailed(
                f"What it ran with is gone from {self.installation.folder}; nothing was stopped.",
                hint="`citeseek searxng down`, then `citeseek searxng up --native` installs it.",
            )
        try:
            done = subprocess.run(  # noqa: S603 - our own command
                [str(self.installation.python), "-I", "-c", _READ_SETTINGS],
                env=self._its_env(settings),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=START_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return
        if done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise DeploymentFailed(
                f"SearXNG does not take {settings}.",
                hint=_LEFT_ALONE,
                log="\n".join(lines[-SHOWN_LINES:]),
            )

    def _its_env(self, settings: Path, port: int = files.PORT) -> dict[str, str]:
        """Return the environment that SearXNG is run with."""
        scratch = self.folder / "tmp"
        scratch.mkdir(mode=0o700, exist_ok=True)
        # What Docker's settings say of addresses and of Valkey does not hold here.
        return {
            **self._env,
            "SEARXNG_SETTINGS_PATH": str(settings.absolute()),
            "SEARXNG_BIND_ADDRESS": address.HOST,
            "SEARXNG_PORT": str(port),
            "SEARXNG_LIMITER": "false",
            "SEARXNG_VALKEY_URL": "",
            # SearXNG's caches have fixed names in it.
            "TMPDIR": str(scratch),
        }

    def _start(self, settings: Path, port: int, *, remembered: bool = False) -> Running:
        """Start it; one that does not come up is ``remembered`` or forgotten."""
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        env = self._its_env(settings, port)
        arguments = [str(self.installation.python), "-I", "-m", orphan.MODULE]
        child = process.start(arguments, env=env, folder=self.folder, log=self.log)
        running = Running(
            pid=child.pid,
            mark=process.mark(child.pid) or "",
            port=port,
            settings=env["SEARXNG_SETTINGS_PATH"],
            since=datetime.now().astimezone().isoformat(timespec="seconds"),
        )
        try:
            self.record.keep(running)
            self._wait_until_well(child, port)
        except BaseException:
            process.stop(running.pid, running.mark)
            child.wait()
            if not remembered:
                self.record.forget()
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


def _require_same(running: Running, settings: Path | None, port: int | None) -> None:
    """Raise InvalidInput when what runs has another port or other settings than asked for."""
    other = []
    if port and port != running.port:
        other.append(f"not on port {port}")
    if settings and not _same_file(settings, Path(running.settings)):
        other.append(f"not with {settings}")
    if other:
        raise InvalidInput(
            f"A SearXNG runs already at {address.url(running.port)} (native, pid {running.pid}) "
            f"with {running.settings}, {' and '.join(other)}; it was left as it is.",
            hint=f"Stop it first: {command.line('down', command.FOLDER)}.",
        )


def _same_file(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _without_python_and_searxng(env: Mapping[str, str]) -> dict[str, str]:
    """Leave out what is meant for other interpreters, and our own names for SearXNG's address.

    SearXNG would take SEARXNG_BASE_URL for the address under which others know it.
    """
    foreign = ("PYTHON", "SEARXNG_", "VIRTUAL_ENV")
    return {name: value for name, value in env.items() if not name.startswith(foreign)}
