"""What ``make test`` installs and runs for arguments of pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHROME, LOST = "tests/health/test_chrome_health.py", "tests/deployment/test_searxng_lost.py"
ROOT = Path(__file__).parents[1]
OF_THE_BROWSER = (ROOT / CHROME).read_text().count("@pytest.mark.browser\n")


def kinds(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.kinds", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((CHROME, LOST), "browser other searxng"),
        ((CHROME, "-m", "browser"), "browser"),
    ],
)
def test_only_the_kinds_that_are_selected_are_named(arguments: tuple[str, ...], found: str) -> None:
    done = kinds(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{found}\n", "")


def test_where_none_can_be_selected_pytest_says_why() -> None:
    done = kinds("--nowhere")
    assert (done.returncode, done.stdout.strip()) == (4, "")
    assert "unrecognized arguments: --nowhere" in done.stderr


def test_one_kind_runs_alone() -> None:
    command = [sys.executable, "-m", "pytest", "-p", "tools.kinds", "--kind", "browser", "-n", "0"]
    done = subprocess.run(
        [*command, "--collect-only", "-q", CHROME],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.count("::") == OF_THE_BROWSER
