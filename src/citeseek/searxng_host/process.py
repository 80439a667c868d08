"""A process that outlives this one: started, told apart from a later one of its number, stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

STOP_SECONDS = 10.0
# The kernel's part, once nothing can refuse any more.
_KILL_SECONDS = 5.0
_STEP_SECONDS = 0.05
_PROC = Path("/proc")
_BOOT = _PROC / "sys" / "kernel" / "random" / "boot_id"


def start(
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


def mark(pid: int) -> str | None:
    """Return what tells the process ``pid`` from a later one of this number: when it began.

    None when it does not run; one that has ended and waits for its parent does not.
    """
    return _mark_of_proc(pid) if _BOOT.exists() else _mark_of_ps(pid)


def stop(pid: int, mark_of_it: str, *, seconds: float = STOP_SECONDS) -> bool:
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
    while mark(pid) == mark_of_it:
        if time.monotonic() > end:
            return False
        time.sleep(_STEP_SECONDS)
    return True


def _send(pid: int, mark_of_it: str, number: signal.Signals) -> None:
    if mark(pid) != mark_of_it:
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
