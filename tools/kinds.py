"""Which kinds of tests pytest's arguments select: ``python -m tools.kinds ARGUMENTS``.

Prints ``browser`` and ``other`` where there are such, and ``searxng`` where some need a SearXNG. As
a plugin of pytest (``-p tools.kinds``) it runs one of the first two alone: ``--kind browser``.
"""

from __future__ import annotations

import contextlib
import io
import sys

import pytest

KINDS = ("browser", "other")
NEEDS_SEARXNG = "searxng"


def kind_of(item: pytest.Item) -> str:
    """Return with which others a test is run."""
    return "browser" if item.get_closest_marker("browser") else "other"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take ``--kind``."""
    parser.addoption("--kind", choices=KINDS, help="run the tests of this kind alone")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the kind that is asked for."""
    if kind := config.getoption("kind"):
        config.hook.pytest_deselected(items=[item for item in items if kind_of(item) != kind])
        items[:] = [item for item in items if kind_of(item) == kind]


class _Selected:
    """Notes what pytest is about to run."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.kinds.add(kind_of(item))
            if item.get_closest_marker(NEEDS_SEARXNG):
                self.kinds.add(NEEDS_SEARXNG)


def main(arguments: list[str]) -> int:
    """Print the kinds; where there are none, what pytest says of the arguments."""
    selected, said = _Selected(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = pytest.main([*arguments, "-n", "0", "--collect-only", "-q"], plugins=[selected])
    if code or not selected.kinds:
        print(said.getvalue(), end="", file=sys.stderr)
    print(*sorted(selected.kinds))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
