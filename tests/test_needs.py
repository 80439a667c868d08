"""What ``make test`` installs for arguments of pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Each collects every test.
pytestmark = pytest.mark.release

CHROME, LOST = "tests/health/test_chrome_health.py", "tests/searxng_host/test_searxng_lost.py"


def needs(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.needs", *arguments],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((CHROME, LOST), "browser searxng"),
        ((CHROME, "-m", "browser"), "browser"),
        ((CHROME, "-m", "not browser"), ""),
    ],
)
def test_only_what_is_selected_is_needed(arguments: tuple[str, ...], found: str) -> None:
    done = needs(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{found}\n", "")


def test_where_none_can_be_selected_pytest_says_why() -> None:
    done = needs("--nowhere")
    assert (done.returncode, done.stdout.strip()) == (4, "")
    assert "unrecognized arguments: --nowhere" in done.stderr
