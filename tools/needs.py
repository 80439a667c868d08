"""What the tests need that arguments of pytest select: ``python -m tools.needs ARGUMENTS``.

Prints ``browser``, ``clients``, ``nginx``, ``postgres``, ``searxng``, ``small_model`` and
``valkey``, each where a selected test carries the marker of that name.
"""

from __future__ import annotations

import contextlib
import io
import sys

import pytest

NEEDS = ("browser", "clients", "nginx", "postgres", "searxng", "small_model", "valkey")


class _Selected:
    """Notes what the tests need that pytest is about to run."""

    def __init__(self) -> None:
        self.needs: set[str] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.needs.update(need for need in NEEDS if item.get_closest_marker(need))


def main(arguments: list[str]) -> int:
    """Print the needs; where pytest selects nothing, what it says of the arguments."""
    selected, said = _Selected(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = pytest.main([*arguments, "-n", "0", "--collect-only", "-q"], plugins=[selected])
    if code:
        print(said.getvalue(), end="", file=sys.stderr)
    print(*sorted(selected.needs))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
