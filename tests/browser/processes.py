"""The process table, for tests that look at what is running and what was left behind."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

# A right answer does not depend on it, and a machine that has other work may be slow.
PATIENCE = 60.0
# What other tests of this process have started and go on using.
_earlier: set[int] = set()


def leave_out_earlier() -> None:
    """Count from now on only the processes that are started from now on."""
    _earlier.clear()
    _earlier.update(children())


def children() -> set[int]:
    """Return every living process below this one that was not left out."""
    parents = dict(_parents())
    found: set[int] = set()
    below = {os.getpid()}
    while below:
        below = {pid for pid, parent in parents.items() if parent in below}
        found |= below
    return {pid for pid in found - _earlier if not _is_reader(pid)}


def _is_reader(pid: int) -> bool:
    """Whether it is a worker of the sandbox, which all tests of a process share."""
    return b"citeseek.sandbox.worker_main" in _read(pid, "cmdline")


def browsers() -> set[int]:
    """Return the main processes of the browsers below this process."""
    return {pid for pid in children() if _is_browser(_read(pid, "cmdline"))}


def renderers() -> set[int]:
    """Return the processes below this one that hold pages."""
    return {pid for pid in children() if b"--type=renderer" in _read(pid, "cmdline")}


def traces(folder: Path) -> set[object]:
    """Return what is there of a browser: processes below this one, and files in ``folder``."""
    return {*children(), *folder.iterdir()}


def parent(pid: int) -> int:
    """Return the parent of ``pid``."""
    return dict(_parents())[pid]


def started_with(folder: Path) -> set[int]:
    """Return every living process that was started with ``folder`` as its ``TMPDIR``."""
    mark = f"TMPDIR={folder}".encode()
    return {pid for pid, _ in _parents() if mark in _read(pid, "environ").split(b"\0")}


def wait_until(fact: Callable[[], bool]) -> None:
    """Look again and again until ``fact`` holds; fail when it never does."""
    end = time.monotonic() + PATIENCE
    while not fact():
        assert time.monotonic() < end, "what was waited for never came"
        time.sleep(0.01)


async def until(fact: Callable[[], bool]) -> None:
    """Let the event loop run until ``fact`` holds; fail when it never does."""
    async with asyncio.timeout(PATIENCE):
        while not fact():  # noqa: ASYNC110 - other processes set no event
            await asyncio.sleep(0.01)


def _parents() -> Iterator[tuple[int, int]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and (stat := _read(int(entry.name), "stat")):
            state, parent_pid = stat.rpartition(b")")[2].split()[:2]
            # A zombie waits for its parent to take note and is no process any more.
            if state != b"Z":
                yield int(entry.name), int(parent_pid)


def _is_browser(command_line: bytes) -> bool:
    return b"--user-data-dir=" in command_line and b"--type=" not in command_line


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
