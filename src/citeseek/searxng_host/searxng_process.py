"""The process of a SearXNG without Docker: started, noted, found again, told apart, stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec

from citeseek.searxng_host.address import MAX_PORT

MODULE = "searx.webapp"
# What a person looks with where processes cannot be looked through.
BY_HAND = f"ps -axo pid,command | grep {MODULE}"
_PROC = Path("/proc")
STOP_SECONDS = 10.0
# The kernel's part, once nothing can refuse any more.
_KILL_SECONDS = 5.0
_STEP_SECONDS = 0.05
_BOOT = _PROC / "sys" / "kernel" / "random" / "boot_id"


class Running(msgspec.Struct, frozen=True):
    """A SearXNG that was started here; ``mark`` tells its process from a later one of its number.

    ``settings`` is the settings.yml that it reads, ``since`` the time of its start. ``stopped``
    says that it was ended for a restart, which did not come to its end when it still is noted so.
    """

    pid: Annotated[int, msgspec.Meta(ge=2)]
    mark: str
    port: Annotated[int, msgspec.Meta(ge=1, le=MAX_PORT)]
    settings: str
    since: str
    stopped: bool = False

    @property
    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return mark_process(self.pid) == self.mark


class StateFile:
    """The file ``path`` that holds one :class:`Running`, or nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Running | None:
        """Return what was noted, alive or not; None for no file, and for one that is damaged."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Running)
        except (OSError, msgspec.DecodeError):
            return None

    @property
    def is_damaged(self) -> bool:
        """Whether there is a file that cannot be read."""
        return self.path.exists() and self.read() is None

    def keep(self, running: Running) -> None:
        """Note ``running``, at once and whole."""
        new = self.path.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(running))
        new.replace(self.path)

    def forget(self) -> None:
        """Remove the note, if there is any."""
        self.path.unlink(missing_ok=True)


def find_without_note(python: Path) -> Running | None:
    """Return the SearXNG that the interpreter ``python`` runs, None when none is found.

    Its own environment tells its port and settings. Only Linux shows it.
    """
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError, KeyError, ValueError):
            command = (folder / "cmdline").read_bytes().split(b"\0")
            if command[0] != os.fsencode(python) or MODULE.encode() not in command:
                continue
            lines = (folder / "environ").read_bytes().split(b"\0")
            env = dict(os.fsdecode(line).split("=", 1) for line in lines if b"=" in line)
            if mark := mark_process(int(folder.name)):
                return Running(
                    pid=int(folder.name),
                    mark=mark,
                    port=int(env["SEARXNG_PORT"]),
                    settings=env["SEARXNG_SETTINGS_PATH"],
                    since=_read_start_time(folder),
                )
    return None


def _read_start_time(folder: Path) -> str:
    began = datetime.fromtimestamp(folder.stat().st_ctime).astimezone()
    return began.isoformat(timespec="seconds")


def start_process(
    command: Sequence[str], *, env: Mapping[str, str], folder: Path, log: Path
) -> subprocess.Popen[bytes]:
    """Start ``command`` in ``folder`` with its output in ``log``, apart from this terminal."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        return subprocess.Popen(  # noqa: S603 - our own command
            command,
            env=dict(env),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            # Ctrl-C at the terminal is not meant for it.
            start_new_session=True,
        )
    finally:
        os.close(descriptor)


def mark_process(pid: int) -> str | None:
    """Return what tells the process ``pid`` from a later one of this number: when it began.

    None when it does not run; one that has ended and waits for its parent does not.
    """
    return _mark_of_proc(pid) if _BOOT.exists() else _mark_of_ps(pid)


def stop_process(pid: int, mark_of_it: str, *, seconds: float = STOP_SECONDS) -> bool:
    """End the process if it still is the one of ``mark_of_it``; return whether it went by itself.

    After ``seconds`` it is killed, together with what it started.
    """
    _send(pid, mark_of_it, signal.SIGTERM)
    if _is_gone(pid, mark_of_it, seconds):
        return True
    _send(pid, mark_of_it, signal.SIGKILL)
    _is_gone(pid, mark_of_it, _KILL_SECONDS)
    return False


def _is_gone(pid: int, mark_of_it: str, seconds: float) -> bool:
    """Wait for the process to end, at most ``seconds``; return whether it did."""
    end = time.monotonic() + seconds
    while mark_process(pid) == mark_of_it:
        if time.monotonic() > end:
            return False
        time.sleep(_STEP_SECONDS)
    return True


def _send(pid: int, mark_of_it: str, number: signal.Signals) -> None:
    if mark_process(pid) != mark_of_it:
        return
    # It was started as the leader of a group.
    with suppress(ProcessLookupError):
        os.killpg(pid, number)


def _mark_of_proc(pid: int) -> str | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_text()
        boot = _BOOT.read_text().strip()
    except OSError:
        return None
    # The name of the program comes in brackets and may hold anything.
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in "ZX" else f"{boot} {fields[18]}"


def _mark_of_ps(pid: int) -> str | None:
    done = subprocess.run(  # noqa: S603 - our own command
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)],  # noqa: S607 - found on the PATH
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.defpath, "LC_ALL": "C"},
    )
    state, _, began = done.stdout.strip().partition(" ")
    return None if not began or state.startswith("Z") else began.strip()
