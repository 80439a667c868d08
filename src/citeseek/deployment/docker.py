"""SearXNG through Docker Compose, in the folder that has its files."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from citeseek.deployment import address
from citeseek.deployment.failures import DeploymentFailed
from citeseek.deployment.files import COMPOSE_FILE, PORT
from citeseek.errors import InvalidInput

SERVICE = "searxng"
# The first start of a container takes longer than that of a process.
START_SECONDS = 60.0
SHOWN_LINES = 20
_ANSWER_SECONDS = 15
_STEP_SECONDS = 0.2


class Docker:
    """The SearXNG whose docker-compose.yml lies in ``folder``."""

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

    def up(self) -> None:
        """Start the services and wait until SearXNG is well.

        Raise InvalidInput for a port in use, DeploymentFailed when Docker or SearXNG fails.
        """
        port = self._wanted_port()
        if port and not self.state() and not address.is_free(port):
            raise InvalidInput(
                address.taken(port),
                hint=f"The port stands under ports in {self.folder / COMPOSE_FILE}.",
            )
        self._do("up", "-d")
        self._wait_until_well(port)

    def down(self) -> None:
        """Stop and remove the containers; what they keep stays."""
        self._do("down")

    def restart(self) -> None:
        """Restart SearXNG, so that it reads its settings again, and wait until it is well."""
        self._do("restart", SERVICE)
        self._wait_until_well(self.port())

    def state(self) -> dict[str, Any]:
        """Return what Docker says of the service's container, {} when there is none running."""
        asked = self._ask("compose", "ps", "--format", "json", SERVICE)
        if asked is None or asked.returncode:
            return {}
        for line in asked.stdout.splitlines():
            # Older versions print one list, newer ones a line for each container.
            value = msgspec.json.decode(line)
            for each in value if isinstance(value, list) else [value]:
                if each.get("State") == "running":
                    return dict(each)
        return {}

    def port(self) -> int:
        """Return the port of this machine that leads to the running SearXNG, 0 when none does."""
        asked = self._ask("compose", "port", SERVICE, str(PORT))
        return _number(asked.stdout.strip().rpartition(":")[2]) if asked else 0

    def last_lines(self, count: int) -> str:
        """Return the last ``count`` lines of the service's log."""
        asked = self._ask("compose", "logs", "--no-color", "--tail", str(count), SERVICE)
        return asked.stdout.rstrip() if asked else ""

    def _wait_until_well(self, port: int) -> None:
        """Wait for SearXNG's word, unless no ``port`` of this machine leads to it."""
        end = time.monotonic() + START_SECONDS
        while port and not address.is_well(port):
            if time.monotonic() > end:
                raise DeploymentFailed(
                    f"SearXNG did not say that it is well within {START_SECONDS:g} s.",
                    hint="The containers were left as they are: docker compose ps",
                    log=self.last_lines(SHOWN_LINES),
                )
            time.sleep(_STEP_SECONDS)

    def _wanted_port(self) -> int:
        """Return the port that the files ask for, 0 when they ask for none."""
        asked = self._ask("compose", "config", "--format", "json")
        if asked is None or asked.returncode:
            said = _last_line(asked.stderr) if asked else "no answer in time"
            raise DeploymentFailed(f"{self.folder / COMPOSE_FILE} is not accepted ({said}).")
        services = msgspec.json.decode(asked.stdout).get("services", {})
        for each in services.get(SERVICE, {}).get("ports", []):
            if each.get("target") == PORT:
                return _number(str(each.get("published", "")))
        return 0

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


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0
