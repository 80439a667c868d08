"""Looking at parts with settings of a test's own, and the command line in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tests.loopback import LoopbackServer

CITESEEK = [
    sys.executable,
    "-c",
    "import sys; from citeseek.surfaces.cli import main; sys.exit(main())",
]


def doctor(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run ``citeseek doctor`` with ``args`` to its end."""
    return subprocess.run(
        [*CITESEEK, "doctor", *args],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1", **env},
    )


def findings(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    """Return the findings that ``--json`` printed, by part and code."""
    told = json.loads(done.stdout)
    assert told.keys() == {"findings", "ok"}
    assert told["ok"] == (done.returncode == 0)
    return {f"{one['part']} {one['code']}": one for one in told["findings"]}


def nowhere_else(server: LoopbackServer) -> Mapping[str, str]:
    """Return the environment in which the engines of every face are ``server``."""
    names = ("SEARXNG", "DDG_HTML", "GOOGLE")
    return {f"CITESEEK_{name}_URL": server.base_url for name in names}
