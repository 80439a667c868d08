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

from citeseek.errors import InvalidInput
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

    def missing(self) -> str:
        """Return what is missing for Docker Compose, in a sentence; empty when nothing is."""
        if not shutil.which("docker", path=self._env.get("PATH")):
            return "Docker is not installed."
        engine = self._ask("version", "--format", "{{.Server.Version}}")
        if engine is None or engine.returncode:
            said = _last_line(engine.stderr) if engine else "no answer in time"
            return f"Docker is installed, but its engine does not answer ({said})."
        compose = self._ask("compose", "version")
        if compose is None or compose.returncode:
            return "Docker is installed, but without Compose (package docker-compose-plugin)."
        return ""

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
            raise InvalidInput(
                address.explain_taken(port),
                hint=f"The port stands under ports in {self.folder / COMPOSE_FILE}.",
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
        self._check_settings(hint="What runs was left running.")
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
            said = _last_line(asked.stderr) if asked else "no answer in time"
            raise DeploymentFailed(f"docker compose ps failed in {self.folder} ({said}).")
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
                raise self._not_well(f"did not say that it is well within {START_SECONDS:g} s")
            if time.monotonic() > look:
                container = self.container()
                if container is None or not container.runs:
                    state = container.status if container else "its container is gone"
                    raise self._not_well(f"ended while it started ({state})")
                look = time.monotonic() + _LOOK_SECONDS
            time.sleep(_STEP_SECONDS)

    def _not_well(self, what: str) -> DeploymentFailed:
        return DeploymentFailed(
            f"SearXNG {what}.",
            hint=f"The containers were left as they are: {command_line('down', self.folder)}",
            log=self.last_lines(SHOWN_LINES),
        )

    def _wanted_port(self) -> int:
        """Return the port that the files ask for, 0 when they ask for none."""
        asked = self._ask("compose", "config", "--format", "json")
        if asked is None or asked.returncode:
            said = _last_line(asked.stderr) if asked else "no answer in time"
            raise DeploymentFailed(f"{self.folder / COMPOSE_FILE} is not accepted ({said}).")
        return compose_output.published_port(asked.stdout, SERVICE, PORT)

    def _check_settings(self, *, hint: str = "") -> None:
        """Raise InvalidInput for a settings.yml that is no YAML, and for what is no file at all.

        Where a file that is mounted is missing, Docker would make a folder.
        """
        lines = (self.folder / COMPOSE_FILE).read_text(errors="replace").splitlines()
        for name in (SETTINGS_FILE, LIMITER_FILE):
            mount = re.compile(rf"[^#]*(?<!\.)\./{re.escape(name)}:")
            if os.path.lexists(self.folder / name) or any(map(mount.match, lines)):
                files.require(self.folder / name)
        settings = self.folder / SETTINGS_FILE
        if settings.is_file():
            settings_file.check(settings, [self._read_inside], hint=hint)

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
            raise DeploymentFailed(
                f"docker compose {' '.join(arguments)} failed (exit code {done.returncode})."
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


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"
