"""Engines by name: built-in ones, a caller's own, and those of installed packages."""

from __future__ import annotations

import importlib.metadata
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.shelf import Shelf

from citeseek.engine import Engine
from citeseek.engines import BUILTIN
from citeseek.errors import InvalidInput
from citeseek.searching.engine_registry import ENTRY_POINTS, Registry, installed_engines


class EntryPoint:
    """What an installed package announces: a name, and something to load or an error."""

    value = "package.module:ENGINE"

    def __init__(self, name: str, loaded: object) -> None:
        self.name = name
        self.loaded = loaded

    def load(self) -> object:
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Give the folder of a package that announces engines, as installers leave it."""
    about = tmp_path / "shelves-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shelves\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\nshelf = shelf_of_oak:ENGINE\n")
    monkeypatch.syspath_prepend(tmp_path)
    installed_engines.cache_clear()
    yield tmp_path
    installed_engines.cache_clear()


@pytest.fixture
def install(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def announce(**engines: object) -> None:
        def entry_points(*, group: str) -> list[EntryPoint]:
            assert group == ENTRY_POINTS == "citeseek.engines"
            return [EntryPoint(name, loaded) for name, loaded in engines.items()]

        monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)

    return announce


@pytest.mark.parametrize(
    "name", ["ddg_html", "DDG_HTML", " ddg_html\n", "duck-duck-scrape", "DuckDuckGo"]
)
@pytest.mark.requirement("P28", "S2-27")
def test_one_engine_has_several_names(name: str) -> None:
    engine = Registry().get(name)
    assert isinstance(engine, Engine)
    assert engine.id == "ddg_html"


def test_every_built_in_engine_is_found_by_each_of_its_names() -> None:
    registry = Registry()
    for engine_id, names in BUILTIN.items():
        assert {registry.get(name).id for name in (engine_id, *names)} == {engine_id}
    assert registry.ids()[: len(BUILTIN)] == tuple(BUILTIN)


def test_the_other_names_of_an_engine() -> None:
    registry = Registry([Shelf(id="Bookshelf")])
    assert "duck-duck-scrape" in registry.names("ddg_html")
    assert registry.names("Bookshelf") == ()


def test_the_engine_of_an_installed_package_is_found(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (packages / "shelf_of_oak.py").write_text(
        "from tests.shelf import Shelf\nENGINE = Shelf(id='oak')\n"
    )
    monkeypatch.delitem(sys.modules, "shelf_of_oak", raising=False)
    assert Registry().ids()[-1] == "oak"
    assert isinstance(Registry().get("OAK"), Shelf)


def test_packages_without_engines_are_not_loaded(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (packages / "shelves-1.0.dist-info" / "entry_points.txt").write_text("[console_scripts]\n")
    monkeypatch.setattr(sys, "path", [str(packages), "", str(packages / "none.zip")])
    assert installed_engines() == ()
    (packages / "none.zip").touch()
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda *, group: [group])
    installed_engines.cache_clear()
    assert installed_engines() == (ENTRY_POINTS,)


@pytest.mark.parametrize("name", ["serxng", "", "auto", "web_search"])
def test_an_unknown_name_is_not_found(name: str) -> None:
    assert Registry().find(name) is None


@pytest.mark.requirement("S2-39", "S4-32")
def test_an_unknown_name_is_an_error_that_lists_the_names() -> None:
    registry = Registry()
    with pytest.raises(InvalidInput, match="no engine 'serxng'") as caught:
        registry.get("serxng")
    assert "Did you mean searxng?" in caught.value.hint
    assert all(engine_id in caught.value.hint for engine_id in registry.ids())


def test_nothing_is_suggested_for_a_name_like_no_other() -> None:
    with pytest.raises(InvalidInput) as caught:
        Registry().get("qqqqqqqq")
    assert "Did you mean" not in caught.value.hint


@pytest.mark.requirement("S4-30")
def test_an_engine_of_the_callers_own_is_found() -> None:
    bookshelf = Shelf(id="Bookshelf")
    registry = Registry([bookshelf])
    assert registry.get(" bookSHELF ") is bookshelf
    assert "Bookshelf" in registry.ids()
    assert bookshelf in list(registry)


@pytest.mark.parametrize("name", ["stub", "STUB", "duck-duck-scrape", "bookshelf"])
def test_a_name_that_is_taken_is_refused(name: str) -> None:
    registry = Registry([Shelf(id="Bookshelf")])
    with pytest.raises(InvalidInput, match="already taken"):
        registry.add(Shelf(id=name))


def test_the_engines_of_installed_packages_are_found(install: Any) -> None:
    bookshelf = Shelf(id="Bookshelf")
    install(shelf=bookshelf)
    assert Registry().get("bookshelf") is bookshelf
    assert Registry().ids() == (*BUILTIN, "Bookshelf")


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(ImportError("no module named nowhere"), id="cannot be loaded"),
        pytest.param(object(), id="no engine"),
        pytest.param(Shelf(id="stub"), id="name is taken"),
    ],
)
def test_an_installed_engine_that_is_broken_is_left_out(
    broken: object, install: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    install(bad=broken, shelf=Shelf(id="Bookshelf"))
    registry = Registry()
    assert registry.ids() == (*BUILTIN, "Bookshelf")
    assert isinstance(registry.get("stub"), Engine)
    (line,) = caplog.messages
    assert "bad" in line
    assert "left out" in line


def test_the_beginning_of_a_name_is_enough_to_say_what_was_meant() -> None:
    with pytest.raises(InvalidInput) as caught:
        Registry().get("ddg")
    assert caught.value.hint.startswith("Did you mean ddg_html? Known: ddg_html (duck-duck-scrape")


class Nameless:
    async def search(self, query: str, num_results: int) -> list[object]:
        return []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Shelf, ("Shelf is a class", "Pass Shelf() instead")),
        (Nameless(), ("Nameless", "an id")),
        (object(), ("object", "async def search")),
        (Shelf(id=None), ("None", "engine id")),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_engine_is_told_what_it_lacks(given: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput) as caught:
        Registry([given])
    assert all(word in str(caught.value) for word in words)
