"""The program SearXNG as it is run without Docker: its environment, its log, its start."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from citeseek.searxng_host import address, command_lines, files, process, settings_file, state
from citeseek.searxng_host.deployment_failure import DeploymentFailed
from citeseek.searxng_host.installation import Installation

START_SECONDS = 20.0
# What is shown of the log when it does not start.
SHOWN_LINES = 20
# What takes away one that may run still, and what installs it anew.
_ANEW = (("down",), ("up", "--native"))
LEFT_ALONE = "What runs was left running."
_STEP_SECONDS = 0.05
_MOST_LOG_BYTES = 1_000_000
# As SearXNG does when it starts.
_READ_SETTINGS = """
import sys, searx
setting = getattr(searx, "get_setting", lambda name: "")
if setting("server.secret_key") == "ultrasecretkey" and not searx.sxng_debug:
    sys.exit("server.secret_key is not changed; `openssl rand -hex 32` prints one.")
"""


class Program:
    """SearXNG from PyPI; everything of it lies in ``folder``."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self._folder = folder
        self._env = _without_python_and_searxng(env)
        self.installation = Installation(folder / "env", self._env)
        self.log = folder / "searxng.log"

    def check(self, settings: Path, *, hint: str = "") -> None:
        """Raise InvalidInput for settings that are no YAML."""
        others = [str(self.installation.python)] if self.installation.is_there else []
        settings_file.check(settings, map(settings_file.with_python, others), hint=hint)

    def try_out(self, settings: Path) -> None:
        """Let SearXNG read ``settings`` without starting. Raise DeploymentFailed with its words."""
        if not self.installation.is_there:
            raise DeploymentFailed(
                f"What it ran with is gone from {self.installation.folder}; nothing was stopped.",
                hint="`citeseek searxng down`, then `citeseek searxng up --native` installs it.",
            )
        try:
            done = subprocess.run(  # noqa: S603 - our own command
                [str(self.installation.python), "-I", "-c", _READ_SETTINGS],
                env=self._environment(settings),
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=START_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            # What is that slow is told by the start itself.
            return
        if done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            log = "\n".join(lines[-SHOWN_LINES:])
            self._require_undamaged(settings, log=log)
            raise DeploymentFailed(f"SearXNG does not take {settings}.", hint=LEFT_ALONE, log=log)

    def start(self, settings: Path, port: int) -> subprocess.Popen[bytes]:
        """Start it with a log of its own; the one before is kept."""
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        return process.start(
            [str(self.installation.python), "-I", "-m", state.MODULE],
            env=self._environment(settings, port),
            folder=self._folder,
            log=self.log,
        )

    def wait_until_well(self, child: subprocess.Popen[bytes], settings: Path, port: int) -> None:
        """Return once it is well. Raise DeploymentFailed when it ends or takes too long."""
        end = time.monotonic() + START_SECONDS
        while not (address.is_well(port) and child.poll() is None):
            if child.poll() is not None:
                self._require_undamaged(settings, log=self.last_lines(SHOWN_LINES))
                raise DeploymentFailed(
                    f"SearXNG ended while it started (exit code {child.returncode}).",
                    hint=f"The whole log: {self.log}",
                    log=self.last_lines(SHOWN_LINES),
                )
            if time.monotonic() > end:
                raise DeploymentFailed(
                    f"SearXNG did not say that it is well within {START_SECONDS:g} s.",
                    hint=f"It was stopped. The whole log: {self.log}",
                    log=self.last_lines(SHOWN_LINES),
                )
            time.sleep(_STEP_SECONDS)

    def last_lines(self, count: int) -> str:
        """Return the last ``count`` lines of the log."""
        try:
            with self.log.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _MOST_LOG_BYTES))
                lines = file.read().decode(errors="replace").splitlines()
        except FileNotFoundError:
            return ""
        return "\n".join(lines[-count:]) if count > 0 else ""

    def _require_undamaged(self, settings: Path, *, log: str) -> None:
        """Raise DeploymentFailed when its installation is damaged; then it is made anew by `up`."""
        if damage := self.installation.damage():
            self.installation.forget()
            again = [command_lines.line(each, settings.parent, *more) for each, *more in _ANEW]
            raise DeploymentFailed(
                f"What SearXNG runs with is damaged: {damage}.",
                hint=f"`{again[0]}`, then `{again[1]}` installs it anew.",
                log=log,
            )

    def _environment(self, settings: Path, port: int = files.PORT) -> dict[str, str]:
        scratch = self._folder / "tmp"
        scratch.mkdir(mode=0o700, exist_ok=True)
        # What Docker's settings say of addresses and of Valkey does not hold here.
        return {
            **self._env,
            "SEARXNG_SETTINGS_PATH": str(settings.absolute()),
            "SEARXNG_BIND_ADDRESS": address.HOST,
            "SEARXNG_PORT": str(port),
            "SEARXNG_LIMITER": "false",
            "SEARXNG_VALKEY_URL": "",
            # SearXNG's caches have fixed names in it.
            "TMPDIR": str(scratch),
        }


def _without_python_and_searxng(env: Mapping[str, str]) -> dict[str, str]:
    """Leave out what is meant for other interpreters, and our own names for SearXNG's address.

    SearXNG would take SEARXNG_BASE_URL for the address under which others know it.
    """
    foreign = ("PYTHON", "SEARXNG_", "VIRTUAL_ENV")
    return {name: value for name, value in env.items() if not name.startswith(foreign)}
