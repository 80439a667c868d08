"""The programs that Citeseek is measured beside, which its own environment does not have."""

from __future__ import annotations

import sys
from importlib.util import find_spec

_HINT = "`make .venv/bench.stamp` installs what the benchmarks need."


def require(*modules: str) -> None:
    """End the program with one line unless all ``modules`` are there to be imported."""
    if missing := [name for name in modules if find_spec(name) is None]:
        sys.exit(f"Not installed: {', '.join(missing)}. {_HINT}")
