"""Which SearXNG runs without Docker: by the note of its process, or found without one."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec

from citeseek.searxng_host import process
from citeseek.searxng_host.address import MAX_PORT
from citeseek.searxng_host.files import COMPOSE_FILE

NAME = "docker-folder"
MODULE = "searx.webapp"
# What a person looks with where processes cannot be looked through.
BY_HAND = f"ps -axo pid,command | grep {MODULE}"
_PROC = Path("/proc")


def read(state: Path) -> Path | None:
    """Return the folder that is noted in ``state``, None when none is or its files are gone."""
    try:
        folder = Path((state / NAME).read_text(encoding="utf-8").removesuffix("\n"))
        return folder if folder.is_absolute() and (folder / COMPOSE_FILE).is_file() else None
    except (OSError, ValueError):
        return None


def keep(state: Path, folder: Path) -> None:
    """Note ``folder`` in ``state``."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = state / f"{NAME}.new"
    new.write_text(f"{folder.absolute()}\n", encoding="utf-8")
    new.replace(state / NAME)


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
        return process.mark(self.pid) == self.mark


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
            if mark := process.mark(int(folder.name)):
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
