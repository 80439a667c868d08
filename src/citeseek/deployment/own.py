"""One's own SearXNG, whichever way it was started."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citeseek.deployment import files
from citeseek.deployment.docker import Docker
from citeseek.deployment.files import COMPOSE_FILE, PORT, SETTINGS_FILE
from citeseek.deployment.status import Status, of_docker, of_native
from citeseek.errors import InvalidInput

if TYPE_CHECKING:
    from citeseek.deployment.native import Ask, Native, Tell


class OwnSearxng:
    """The SearXNG with its files in ``folder``; ``home`` has what runs without Docker.

    ``env`` is the environment that its programs are started with.
    """

    def __init__(self, folder: Path, home: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self.docker = Docker(folder, env)
        self._native = _native(home.absolute() / "searxng", env)

    def status(self) -> Status | None:
        """Return what runs, None when nothing does that was started here."""
        if self._native and (found := of_native(self._native)):
            return found
        return of_docker(self.docker) if self._has_docker() else None

    def up_native(self, port: int = PORT, *, ask: Ask, tell: Tell) -> bool:
        """Start it without Docker; return whether that was still to be done.

        Another program that starts it at this moment is waited for. Raise as ``Native.up``.
        """
        if self._native is None:
            raise InvalidInput("--native needs Linux or macOS; Docker runs SearXNG anywhere.")
        _, is_new = self._native.up(self.folder / SETTINGS_FILE, port, ask=ask, tell=tell)
        return is_new

    def up_docker(self) -> None:
        """Start it with Docker, or bring what runs up to its files. Raise as ``Docker.up``."""
        files.require(self.folder / COMPOSE_FILE)
        self.docker.up()

    def down(self, *, tell: Tell) -> Literal["native", "docker"] | None:
        """Stop what runs and return which it was, None when nothing did."""
        if self._native and self._native.down(tell=tell):
            return "native"
        if self._has_docker() and self.docker.state():
            self.docker.down()
            return "docker"
        return None

    def restart(self, *, with_folder: bool, tell: Tell) -> bool:
        """Restart what runs; return whether anything did.

        What runs without Docker keeps its settings.yml, unless ``with_folder``: then this folder's.
        """
        settings = self.folder / SETTINGS_FILE if with_folder else None
        if settings:
            files.require(settings)
        if self._native and self._native.restart(settings, tell=tell):
            return True
        if self._has_docker() and self.docker.state():
            self.docker.restart()
            return True
        return False

    def last_lines(self, count: int) -> str:
        """Return the last ``count`` lines of the log of what runs, or of what ran last."""
        runs_natively = self._native is not None and self._native.running() is not None
        if not runs_natively and self._has_docker() and (text := self.docker.last_lines(count)):
            return text
        return self._native.last_lines(count) if self._native else ""

    def _has_docker(self) -> bool:
        return (self.folder / COMPOSE_FILE).is_file() and not self.docker.missing()


def _native(folder: Path, env: Mapping[str, str]) -> Native | None:
    """Return the SearXNG without Docker, None where there can be none."""
    if sys.platform == "win32":
        return None
    from citeseek.deployment.native import Native  # noqa: PLC0415 - fcntl is not on Windows

    return Native(folder, env)
