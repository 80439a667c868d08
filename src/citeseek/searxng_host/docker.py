"""SearXNG through Docker Compose, in the folder that has its files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from citeseek.searxng_host import DeploymentFailed, address, compose_output, files, settings_file
from citeseek.searxng_host.compose_output import ComposeContainer
from citeseek.searxng_host.files import (
    COMPOSE_FILE,
    LIMITER_FILE,
    PORT,
    SETTINGS_FILE,
    command_line,
)

SERVICE = "searxng"
# The first start of a container takes longer than that of a process.
START_SECONDS = 60.0
SHOWN_LINES = 20
_ANSWER_SECONDS = 15
_STEP_SECONDS = 0.2
# How often Docker is asked whether the container still runs, while SearXNG is waited for.
_LOOK_SECONDS = 2.0
# Where images of SearXNG have the Python that it runs with.
_PATH_INSIDE = "/usr/local/searxng/.venv/bin:/usr/local/searxng/venv/bin"


class Docker:
    """The SearXNG whose docker-compose_output.yml lies in ``folder``."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self._env = dict(env)

    def missing(self) -> DeploymentFailed | None:
        """Return what is missing for Docker Compose, None when nothing is."""
        if not shutil.which("docker", path=self._env.get("PATH")):
            return DeploymentFailed("Docker is not installed.", values={"case": "no_docker"})
        engine = self._ask("version", "--format", "{{.Server.Version}}")
        if engine is None or engine.returncode:
            return _failed(
                "Docker is installed, but its engine does not answer", engine, "no_engine"
            )
        compose = self._ask("compose", "version")
        if compose is None or compose.returncode:
            return DeploymentFailed(
                "Docker is installed, but without Compose (package docker-compose-plugin).",
                values={"case": "no_compose"},
            )
        return None

    @property
    def is_there(self) -> bool:
        """Whether there is a Docker at all, with an engine that answers or without."""
        return shutil.which("docker", path=self._env.get("PATH")) is not None

    def up(self) -> None:
        """Start the services and wait until SearXNG is well.

        Raise InvalidInput for a port in use and for a settings.yml that is no YAML,
        DeploymentFailed when Docker or SearXNG fails.
        """
        port = self._wanted_port()
        container = self.container()
        self._check_settings()
        if port and (container is None or container.has_ended) and not address.is_free(port):
            file = self.folder / COMPOSE_FILE
            raise address.taken_error(
                port,
                hint=f"The port stands under ports in {file}.",
                hint_case="port_in_compose",
                path=str(file),
            )
        self._wake()
        self._do("up", "-d")
        if container and container.state == "restarting":
            # Its next attempt may be a minute away.
            self._do("restart", SERVICE)
        self._wait_until_well(port)

    def down(self) -> None:
        """Stop and remove the containers; what they keep stays."""
        self._wake()
        self._do("down")

    def restart(self) -> None:
        """Restart SearXNG, so that it reads its settings again, and wait until it is well.

        Raise InvalidInput for a settings.yml that is no YAML, with what runs left alone,
        DeploymentFailed when Docker or SearXNG fails.
        """
        container = self.container()
        self._check_settings(runs=True)
        if container is None or container.has_ended:
            self._do("up", "-d")
        else:
            self._wake()
            self._do("restart", SERVICE)
        self._wait_until_well(self.port())

    def containers(self) -> list[ComposeContainer]:
        """Return all containers of the files, in whatever state. Raise DeploymentFailed."""
        asked = self._ask("compose", "ps", "--all", "--format", "json")
        if asked is None or asked.returncode:
            raise _failed(
                f"docker compose ps failed in {self.folder}",
                asked,
                "compose_ps",
                folder=str(self.folder),
            )
        return compose_output.containers(asked.stdout)

    def container(self) -> ComposeContainer | None:
        """Return SearXNG's container, None when there is none. Raise DeploymentFailed."""
        found = [each for each in self.containers() if each.service == SERVICE]
        return next((each for each in found if each.runs), found[0] if found else None)

    def port(self) -> int:
        """Return the port of this machine that leads to the running SearXNG, 0 when none does."""
        asked = self._ask("compose", "port", SERVICE, str(PORT))
        return compose_output.number(asked.stdout.strip().rpartition(":")[2]) if asked else 0

    def last_lines(self, count: int) -> str:
        """Return the last ``count`` lines of the service's log."""
        asked = self._ask("compose", "logs", "--no-color", "--tail", str(count), SERVICE)
        return asked.stdout.rstrip() if asked else ""

    def _wake(self) -> None:
        """Let paused containers go on: some versions of Docker do not stop or start them."""
        for each in self.containers():
            if each.state == "paused":
                self._do("unpause", each.service)

    def _wait_until_well(self, port: int) -> None:
        """Wait for SearXNG's word, unless no ``port`` of this machine leads to it."""
        end = time.monotonic() + START_SECONDS
        look = time.monotonic() + _LOOK_SECONDS
        while port and not address.is_well(port):
            if time.monotonic() > end:
                raise self._not_well(
                    f"did not say that it is well within {START_SECONDS:g} s",
                    "container_late",
                    seconds=f"{START_SECONDS:g}",
                )
            if time.monotonic() > look:
                container = self.container()
                if container is None or not container.runs:
                    if container is None:
                        what = "ended while it started (its container is gone)"
                        raise self._not_well(what, "container_gone")
                    what = f"ended while it started ({container.status})"
                    raise self._not_well(what, "container_ended", state=container.status)
                look = time.monotonic() + _LOOK_SECONDS
            time.sleep(_STEP_SECONDS)

    def _not_well(self, what: str, case: str, **values: str) -> DeploymentFailed:
        down = command_line("down", self.folder)
        return DeploymentFailed(
            f"SearXNG {what}.",
            hint=f"The containers were left as they are: {down}",
            log=self.last_lines(SHOWN_LINES),
            values={"case": case, "hint_case": "containers_left", "command": down, **values},
        )

    def _wanted_port(self) -> int:
        """Return the port that the files ask for, 0 when they ask for none."""
        asked = self._ask("compose", "config", "--format", "json")
        if asked is None or asked.returncode:
            file = self.folder / COMPOSE_FILE
            raise _failed(f"{file} is not accepted", asked, "compose_config", path=str(file))
        return compose_output.published_port(asked.stdout, SERVICE, PORT)

    def _check_settings(self, *, runs: bool = False) -> None:
        """Raise InvalidInput for a settings.yml that is no YAML, and for what is no file at all.

        With ``runs`` it says that what runs was left alone.

        Where a file that is mounted is missing, Docker would make a folder.
        """
        lines = (self.folder / COMPOSE_FILE).read_text(errors="replace").splitlines()
        for name in (SETTINGS_FILE, LIMITER_FILE):
            mount = re.compile(rf"[^#]*(?<!\.)\./{re.escape(name)}:")
            if os.path.lexists(self.folder / name) or any(map(mount.match, lines)):
                files.require(self.folder / name)
        settings = self.folder / SETTINGS_FILE
        if settings.is_file():
            settings_file.check(settings, [self._read_inside], runs=runs)

    def _read_inside(self, data: bytes) -> subprocess.CompletedProcess[bytes] | None:
        """Run the check over ``data`` with the Python of the container."""
        program = settings_file.PROGRAM.read_text(encoding="utf-8")
        inside = f'PATH={_PATH_INSIDE}:$PATH exec python3 -X utf8 -c "$0"'
        try:
            return subprocess.run(  # noqa: S603 - our own command
                ["docker", "compose", "exec", "-T", SERVICE, "sh", "-c", inside, program],  # noqa: S607 - found on the PATH
                cwd=self.folder,
                env=self._env,
                input=data,
                capture_output=True,
                timeout=_ANSWER_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None

    def _do(self, *arguments: str) -> None:
        """Run a command of Compose whose progress the person at the terminal sees."""
        done = subprocess.run(  # noqa: S603 - our own command
            ["docker", "compose", *arguments],  # noqa: S607 - found on the PATH
            cwd=self.folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            check=False,
        )
        if done.returncode:
            command = f"docker compose {' '.join(arguments)}"
            raise DeploymentFailed(
                f"{command} failed (exit code {done.returncode}).",
                values={"case": "command", "command": command, "code": str(done.returncode)},
            )

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess[str] | None:
        """Return what ``docker`` answers, None when it does not in time."""
        return _run(("docker", *arguments), self.folder, self._env)


def _run(
    command: Sequence[str], folder: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(  # noqa: S603 - our own command
            command,
            cwd=folder if folder.is_dir() else None,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_ANSWER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None


def _failed(
    sentence: str, asked: subprocess.CompletedProcess[str] | None, case: str, **values: str
) -> DeploymentFailed:
    """Return ``sentence`` with Docker's own words behind it, or why there are none."""
    if asked is None:
        case, said = f"{case}_late", "no answer in time"
    else:
        lines = [line.strip() for line in asked.stderr.splitlines() if line.strip()]
        said = lines[-1] if lines else f"exit {asked.returncode}"
    return DeploymentFailed(f"{sentence} ({said}).", values={"case": case, "said": said, **values})
