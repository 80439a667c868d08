"""A disk that can be full: a few megabytes of memory, in a mount namespace of their own."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Self

_MADE = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && echo ready && exec cat'


class SmallDisk:
    """A file system of ``size`` (such as ``16m``) at ``folder``, seen by who runs in it alone.

    Nobody needs rights of an administrator for it: the namespace belongs to its user.
    """

    def __init__(self, folder: Path, size: str) -> None:
        self.folder = folder
        folder.mkdir()
        options = ["--user", "--map-root-user", "--mount"]
        self._holder = subprocess.Popen(
            ["unshare", *options, "sh", "-c", _MADE, "sh", size, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        # As it is seen from here.
        self.outside = Path(f"/proc/{self._holder.pid}/root{folder}")

    def __enter__(self) -> Self:
        assert self._holder.stdout
        assert self._holder.stdout.readline() == b"ready\n", "no disk of one's own can be made"
        return self

    def __exit__(self, *_: object) -> None:
        self._holder.communicate()

    def within(self) -> list[str]:
        """Return what makes of a command one that runs where the disk is."""
        target = ["--target", str(self._holder.pid)]
        return ["nsenter", *target, "--user", "--mount", "--preserve-credentials"]

    def within_as_user(self) -> list[str]:
        """Return what runs a command there that refuses root."""
        return [*self.within(), "unshare", "--user", "--map-user=1000", "--map-group=1000"]

    def fill(self) -> None:
        """Leave no room."""
        with suppress(OSError), self._filler.open("wb", buffering=0) as filler:
            while filler.write(bytes(4_096)):
                pass

    def make_room(self) -> None:
        """Take away what fills it."""
        self._filler.unlink()

    @property
    def _filler(self) -> Path:
        return self.outside / "filler"
