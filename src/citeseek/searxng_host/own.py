"""One's own SearXNG, whichever way it was started."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citeseek.errors import InvalidInput
from citeseek.searxng_host import DeploymentFailed, failures_of_files, files
from citeseek.searxng_host.docker import Docker
from citeseek.searxng_host.files import COMPOSE_FILE, SETTINGS_FILE
from citeseek.searxng_host.searxng_process import BY_HAND
from citeseek.searxng_host.status import Status, of_docker, of_native

if TYPE_CHECKING:
    from citeseek.searxng_host import Tell
    from citeseek.searxng_host.native import Ask, Native

# The file that holds the folder which Docker was last started with.
_NOTE = "docker-folder"


class OwnSearxng:
    """The SearXNG with its files in ``folder``; ``home`` has what runs without Docker.

    Unless ``folder`` was ``named`` and where it has no files, it is the one that Docker was last
    started with. ``env`` is the environment that its programs are started with. A file of it that
    cannot be read or written is a DeploymentFailed everywhere.
    """

    @failures_of_files()
    def __init__(
        self, folder: Path, home: Path, env: Mapping[str, str], *, named: bool = False
    ) -> None:
        self.folder = folder
        self.home = home
        self.env = env
        self._named = named
        self._state = home.absolute() / "searxng"
        if not named and not (folder / COMPOSE_FILE).is_file():
            folder = _read_docker_folder(self._state) or folder
        self.docker = Docker(folder, env)
        self._native = _native(self._state, env)

    @failures_of_files()
    def status(self) -> Status | None:
        """Return what was started here and not stopped, None when nothing was.

        What runs goes before what has died. Raise DeploymentFailed when Docker does not tell.
        """
        if not self._is_docker() and self._native and (running := self._native.running()):
            return of_native(self._native, running)
        in_docker = of_docker(self.docker) if self._has_docker() else None
        if in_docker and not in_docker.has_ended:
            return in_docker
        if self._native and (dead := self._native.find_dead()):
            return of_native(self._native, dead)
        return in_docker

    @failures_of_files()
    def untold(self) -> DeploymentFailed | None:
        """Return why something may run that ``status`` does not know of; None: nothing may."""
        if self._native and self._native.record.is_damaged and not self._native.running():
            path = self._native.record.path
            return DeploymentFailed(
                f"{path} is damaged; should one run, this shows it: {BY_HAND}",
                values={"case": "record_damaged", "path": str(path), "command": BY_HAND},
            )
        docker = self.docker
        if (docker.folder / COMPOSE_FILE).is_file() and docker.is_there:
            return docker.missing()
        return None

    @failures_of_files()
    def up_native(self, port: int | None, *, ask: Ask, tell: Tell) -> bool:
        """Start it without Docker; return whether that was still to be done.

        Another program that starts it at this moment is waited for. Raise as ``Native.up``.
        """
        if self._native is None:
            raise InvalidInput(
                "--native needs Linux or macOS; Docker runs SearXNG anywhere.",
                values={"case": "no_native_here"},
            )
        settings = self.folder / SETTINGS_FILE
        _, is_new = self._native.up(settings, port, named=self._named, ask=ask, tell=tell)
        return is_new

    @failures_of_files()
    def missing_for_docker(self) -> DeploymentFailed | None:
        """Return what this machine lacks for Docker, None: nothing. Raise without the files."""
        files.require(self.docker.folder / COMPOSE_FILE)
        return self.docker.missing()

    @failures_of_files()
    def up_docker(self) -> None:
        """Start it with Docker, or bring what runs up to its files. Raise as ``Docker.up``."""
        files.require(self.docker.folder / COMPOSE_FILE)
        _keep_docker_folder(self._state, self.docker.folder)
        self.docker.up()

    @failures_of_files()
    def down(self, *, tell: Tell) -> Literal["native", "docker"] | None:
        """Stop what runs and return which it was, None when nothing did."""
        if not self._is_docker() and self._native and self._native.down(tell=tell):
            return "native"
        if self._has_docker() and self.docker.containers():
            self.docker.down()
            return "docker"
        return None

    @failures_of_files()
    def restart(self, *, tell: Tell) -> bool:
        """Restart what runs, or what has died; return whether there was anything.

        What runs without Docker keeps its settings.yml, unless a folder was named: then the one of
        that folder.
        """
        in_docker = self._is_docker()
        if not in_docker and self._native and self._native.running():
            return self._restart_native(tell)
        if self._has_docker() and (in_docker or self.docker.containers()):
            self.docker.restart()
            return True
        return self._restart_native(tell)

    @failures_of_files()
    def last_lines(self, count: int) -> str:
        """Return the last ``count`` lines of the log of what runs, or of what ran last."""
        in_docker = self._is_docker()
        runs_natively = self._native is not None and self._native.running() is not None
        ask_docker = in_docker or (not runs_natively and self._has_docker())
        if ask_docker and (text := self.docker.last_lines(count)):
            return text
        return self._native.last_lines(count) if self._native else ""

    def _restart_native(self, tell: Tell) -> bool:
        settings = self.folder / SETTINGS_FILE if self._named else None
        return self._native is not None and self._native.restart(settings, tell=tell) is not None

    def _is_docker(self) -> bool:
        """Whether the folder that was named is run by Docker while another runs without."""
        if not self._named or not self._native or not (running := self._native.running()):
            return False
        if Path(running.settings) == (self.folder / SETTINGS_FILE).absolute():
            return False
        return self._has_docker() and bool(self.docker.containers())

    def _has_docker(self) -> bool:
        return (self.docker.folder / COMPOSE_FILE).is_file() and not self.docker.missing()


def _native(folder: Path, env: Mapping[str, str]) -> Native | None:
    """Return the SearXNG without Docker, None where there can be none."""
    if sys.platform == "win32":
        return None
    from citeseek.searxng_host.native import Native  # noqa: PLC0415 - fcntl is not on Windows

    return Native(folder, env)


def _read_docker_folder(state: Path) -> Path | None:
    """Return the folder that is noted in ``state``, None when none is or its files are gone."""
    try:
        folder = Path((state / _NOTE).read_text(encoding="utf-8").removesuffix("\n"))
        return folder if folder.is_absolute() and (folder / COMPOSE_FILE).is_file() else None
    except (OSError, ValueError):
        return None


def _keep_docker_folder(state: Path, folder: Path) -> None:
    """Note ``folder`` in ``state``."""
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = state / f"{_NOTE}.new"
    new.write_text(f"{folder.absolute()}\n", encoding="utf-8")
    new.replace(state / _NOTE)
