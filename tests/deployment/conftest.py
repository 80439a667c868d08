"""Places to work in for the tests of a SearXNG of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.deployment.commands import Place
from tests.searxng.programs import LEAVE_OUT, PROJECT

from citeseek.deployment.installation import REQUIREMENT


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Give a place where nothing was done yet; what was started there is stopped in the end."""
    with stopped_in_the_end(Place(tmp_path)) as place:
        yield place


@pytest.fixture
def installed(place: Place) -> Place:
    """Give a place with the files, where SearXNG is installed and has no engine."""
    install(place)
    place.run("init")
    settings = place.files / "settings.yml"
    head, _, tail = settings.read_text().partition("keep_only:")
    settings.write_text(f"{head}keep_only: []\n{tail[tail.index('general:') :]}")
    settings.write_text(settings.read_text().partition("\nengines:")[0])
    return place


@contextmanager
def stopped_in_the_end(place: Place) -> Iterator[Place]:
    """Stop what was started in the place, whatever happens in the block."""
    try:
        yield place
    finally:
        if place.state.exists():
            place.run("down")


def install(place: Place) -> None:
    """Let the place have the one SearXNG that ``tools/searxng`` installed for all tests."""
    env = PROJECT / ".venv-searxng"
    if not (env / "stamp").exists():
        pytest.fail(f"There is no {env.name}. {LEAVE_OUT}")
    place.state.mkdir(mode=0o700)
    (place.state / "env").symlink_to(env)
    (place.state / "env.installed").write_text(REQUIREMENT)
