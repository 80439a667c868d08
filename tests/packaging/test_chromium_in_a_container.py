"""Chromium under the profile that containers get: it has its own sandbox, and renders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.packaging.deployment import DEPLOY

from citeseek.browser import find_chrome
from citeseek.browser.chromium import FLAGS

pytestmark = [pytest.mark.browser, pytest.mark.release]

PROFILE = DEPLOY / "chromium-seccomp.json"
CONFINED = Path(__file__).with_name("confined.py")
PAGE = "data:text/html,<p><script>document.write(6*7)</script>"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder that anybody may use, with the profile and the program in it."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o777)
        yield path


def dump(folder: Path, *refused: str) -> subprocess.CompletedProcess[str]:
    """Render PAGE under the profile, with further system calls ``refused``."""
    profile = json.loads(PROFILE.read_text())
    profile["syscalls"][0]["names"] += refused
    (folder / "profile.json").write_text(json.dumps(profile))
    confined = (sys.executable, "-I", CONFINED, folder / "profile.json")
    chrome = find_chrome(os.environ.get("CHROME_PATH"))
    return subprocess.run(
        [*confined, chrome, *FLAGS, f"--user-data-dir={folder}/profile", "--dump-dom", PAGE],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_it_renders_in_its_own_sandbox(folder: Path) -> None:
    done = dump(folder)
    assert done.returncode == 0, done.stderr
    assert "</script>42" in done.stdout


def test_without_namespaces_it_has_none_and_does_not_begin(folder: Path) -> None:
    done = dump(folder, "unshare")
    assert done.returncode != 0
    assert "No usable sandbox" in done.stderr
