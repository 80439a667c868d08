"""Looking at parts with settings of a test's own, and the command line in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any

from tests.command import run_citeseek
from tests.loopback import LoopbackServer


def doctor(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run ``citeseek doctor`` with ``args`` to its end."""
    return run_citeseek("doctor", *args, env={**os.environ, **env})


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
