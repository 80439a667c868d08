"""Building the site as ``make site`` does, where nothing can be asked of the network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.documentation.blocks import ROOT


def build(folder: Path) -> None:
    """Build the site into ``folder``; a warning is a failure."""
    # At this port nobody is: whatever is asked of the network fails.
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", **proxies},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
