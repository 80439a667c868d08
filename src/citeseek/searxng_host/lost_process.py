"""A SearXNG whose note is lost or damaged, found among the processes of this user."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from citeseek.searxng_host import process
from citeseek.searxng_host.state import Running

MODULE = "searx.webapp"
# What a person looks with where processes cannot be looked through.
BY_HAND = f"ps -axo pid,command | grep {MODULE}"
_PROC = Path("/proc")


def find(python: Path) -> Running | None:
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
            if mark := process.mark(int(folder.name)):
                return Running(
                    pid=int(folder.name),
                    mark=mark,
                    port=int(env["SEARXNG_PORT"]),
                    settings=env["SEARXNG_SETTINGS_PATH"],
                    since=_since(folder),
                )
    return None


def _since(folder: Path) -> str:
    began = datetime.fromtimestamp(folder.stat().st_ctime).astimezone()
    return began.isoformat(timespec="seconds")
