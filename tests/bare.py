"""A Python that has Citeseek and the libraries of no extra."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

from citeseek.extras import EXTRAS, module_of

# pydantic comes with several of them.
HIDDEN = {"pydantic", "starlette", "openai"} | {
    module_of(name).partition(".")[0]
    for libraries in EXTRAS.values()
    for name in (one.partition(">=")[0] for one in libraries)
}
_BARE = f"import sys; sys.modules.update(dict.fromkeys({sorted(HIDDEN)!r}))\n"
COMMAND = "from citeseek.__main__ import run; run()"


def bare(
    code: str, *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``code`` with ``arguments`` where nothing of the extras can be imported."""
    return subprocess.run(
        [sys.executable, "-c", _BARE + code, *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env=env,
    )
