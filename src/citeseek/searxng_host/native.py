"""SearXNG without Docker: one process on this machine, in an environment of its own."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import structs

from citeseek.errors import InvalidInput
from citeseek.searxng_host import BrokenOff, Tell, address, files
from citeseek.searxng_host.files import FOLDER, command_line
from citeseek.searxng_host.searxng_process import (
    STOP_SECONDS,
    Running,
    StateFile,
    find_without_note,
    mark_process,
    stop_process,
)
from citeseek.searxng_host.searxng_program import SearxngProgram

# Takes what would be installed: ``folder``, ``package``, ``version``.
Ask = Callable[[Mapping[str, str]], bool]


class Native:
    """The one SearXNG that this user runs without Docker; everything of it lies in ``folder``."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self._program = SearxngProgram(folder, env)
        self.installation = self._program.installation
        self.log = self._program.log
        self.record = StateFile(folder / "process.json")

    def running(self) -> Running | None:
        """Return what runs, None when nothing does, whatever the file of the process says."""
        noted = self.record.read()
        if noted and noted.is_alive:
            return noted
        return find_without_note(self.installation.python)

    def find_dead(self) -> Running | None:
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
            self._program.check(settings)
            self._require_free(port)
            if not self.installation.is_there:
                if not ask(self.installation.terms):
                    raise InvalidInput(
                        "Nothing was installed and nothing was started.",
                        values={"case": "not_installed"},
                    )
                tell("installing")
                self.installation.make()
                # What this Python could not read, that of SearXNG can.
                self._program.check(settings)
                self._require_free(port)
            try:
                return self._start(settings, port), True
            except KeyboardInterrupt:
                raise BrokenOff("broken_off_starting") from None

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
            if not (before := self.running() or self.find_dead()):
                return None
            was_alive = before.is_alive
            if settings is None:
                settings = Path(before.settings)
                _require_unmoved(settings)
            files.require(settings)
            self._program.check(settings, runs=was_alive)
            self._program.try_out(settings)
            if not was_alive:
                self._require_free(before.port)
            try:
                if was_alive:
                    self.record.keep(structs.replace(before, stopped=True))
                    self._stop(before, tell)
                # Should it not start, a restart still knows folder and port.
                return self._start(settings, before.port, remembered=True)
            except KeyboardInterrupt:
                code = "broken_off_stopping" if before.is_alive else "broken_off_stopped"
                raise BrokenOff(code, command=command_line("restart", FOLDER)) from None

    def last_lines(self, count: int) -> str:
        """Return the last ``count`` lines of the log."""
        return self._program.last_lines(count)

    def _start(self, settings: Path, port: int, *, remembered: bool = False) -> Running:
        """Start it; one that does not come up is ``remembered`` or forgotten."""
        child = self._program.start(settings, port)
        running = Running(
            pid=child.pid,
            mark=mark_process(child.pid) or "",
            port=port,
            settings=str(settings.absolute()),
            since=datetime.now().astimezone().isoformat(timespec="seconds"),
        )
        try:
            self.record.keep(running)
            self._program.wait_until_well(child, settings, port)
        except BaseException:
            stop_process(running.pid, running.mark)
            child.wait()
            if remembered:
                self.record.keep(structs.replace(running, stopped=True))
            else:
                self.record.forget()
            raise
        # It outlives this program on purpose; nobody has to wait for it.
        child.returncode = 0
        return running

    def _stop(self, running: Running, tell: Tell) -> None:
        if not stop_process(running.pid, running.mark):
            tell("killed", seconds=f"{STOP_SECONDS:g}")

    def _require_free(self, port: int) -> None:
        if not address.is_free(port):
            raise address.taken_error(
                port, hint="--port takes another one.", hint_case="another_port"
            )

    @contextmanager
    def _alone(self, tell: Tell) -> Iterator[None]:
        """Keep other processes of this user from starting or stopping it meanwhile."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                tell("waiting")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _require_same(running: Running, settings: Path | None, port: int | None) -> None:
    """Raise InvalidInput when what runs has another port or other settings than asked for."""
    other = {}
    if port and port != running.port:
        other["port"] = f"not on port {port}"
    if settings and not _same_file(settings, Path(running.settings)):
        other["settings"] = f"not with {settings}"
    if other:
        url, down = address.url(running.port), command_line("down", FOLDER)
        raise InvalidInput(
            f"A SearXNG runs already at {url} (native, pid {running.pid}) "
            f"with {running.settings}, {' and '.join(other.values())}; it was left as it is.",
            hint=f"Stop it first: {down}.",
            values={
                "case": "_".join(["runs_not_with", *other]),
                "url": url,
                "pid": str(running.pid),
                "running": running.settings,
                "port": str(port),
                "settings": str(settings),
                "hint_case": "stop_first",
                "command": down,
            },
        )


def _require_unmoved(settings: Path) -> None:
    """Raise InvalidInput when the folder that it was started with is gone; nothing was done yet."""
    if not settings.parent.exists():
        raise InvalidInput(
            f"{settings} is gone, with which it was started; nothing was stopped.",
            hint="Was its folder moved? `citeseek searxng restart DIR` takes the new one.",
            values={"case": "searxng_settings_gone", "path": str(settings)},
        )


def _same_file(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
