"""``citeseek searxng`` as a user runs it: real processes in a folder and a home of their own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.command import forked_citeseek, run_citeseek

# Nobody's proxies and settings.
FOREIGN = ("PROXY", "SEARX", "CITESEEK_")
# No engine is there, whatever this machine has.
NO_DOCKER = {"DOCKER_HOST": "unix:///nonexistent/docker.sock"}


class Place:
    """Where one user works: the folder that commands run in, and the home of the settings."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder / "work"
        self.home = folder / "home"
        self.folder.mkdir()
        self.home.mkdir()
        self.files = self.folder / "searxng"
        self.state = self.home / "searxng"
        self.env = {
            **{
                name: value
                for name, value in os.environ.items()
                if not any(word in name.upper() for word in FOREIGN)
            },
            "PYTHONUTF8": "1",
            # Chinese is another test's.
            "LC_ALL": "C.UTF-8",
            "CITESEEK_HOME": str(self.home),
            **NO_DOCKER,
            **env,
        }

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start a ``citeseek searxng`` command without a terminal."""
        options = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            **options,
        }
        return subprocess.Popen(
            [*forked_citeseek(), "searxng", *arguments],
            cwd=self.folder,
            env=self.env,
            encoding="utf-8",
            **options,
        )

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run a command to its end and return what it printed on both streams."""
        done = run_citeseek("searxng", *arguments, env=self.env, cwd=self.folder)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def status(self, *, code: int = 0) -> dict[str, Any]:
        """Return what ``status --json`` prints."""
        done = run_citeseek("searxng", "status", "--json", env=self.env, cwd=self.folder)
        assert done.returncode == code, done.stderr
        return dict(json.loads(done.stdout))


def ended(process: subprocess.Popen[str], code: int = 0) -> str:
    """Wait for the end of a command and return what it printed on both streams."""
    out, err = process.communicate(timeout=60)
    said = f"{out or ''}{err or ''}"
    assert process.returncode == code, said
    return said
