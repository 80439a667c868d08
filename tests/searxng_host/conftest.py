"""Places to work in for the tests of a SearXNG of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.loopback import LoopbackServer
from tests.searxng.instance import GOOD, an_index
from tests.searxng.programs import LEAVE_OUT, PROJECT
from tests.searxng_host.commands import Place

from citeseek.searxng_host.searxng_program import REQUIREMENT

ENGINES = "\nengines:"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the SearXNG that ``tools/searxng`` installs."""
    for item in items:
        if {"installed", "searxng"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("searxng")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Give a place where nothing was done yet; what was started there is stopped in the end."""
    with stopped_in_the_end(Place(tmp_path)) as place:
        yield place


@pytest.fixture
def installed(place: Place) -> Iterator[Place]:
    """Give a place with the files, where SearXNG is installed and has one engine, on loopback."""
    install(place)
    place.run("init")
    settings = place.files / "settings.yml"
    head, _, tail = settings.read_text().partition("keep_only:")
    text = f"{head}keep_only: []\n{tail[tail.index('general:') :]}"
    with an_index() as index:
        settings.write_text(f"{text.partition(ENGINES)[0]}{ENGINES}{engine(index)}")
        yield place


def engine(index: LoopbackServer) -> str:
    """Return the lines of settings.yml for an engine that asks ``index``."""
    return f"""
  - name: index
    engine: json_engine
    shortcut: ix
    categories: [general]
    enable_http: true
    search_url: "{index.url(GOOD)}?q={{query}}"
    results_query: results/items
    url_query: url
    title_query: title
    content_query: content
"""


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
