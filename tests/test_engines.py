"""One suite over every engine of the registry; a new engine brings pages and no test code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import HANDED, PAGES
from tools import captures

import citeseek.engines
from citeseek.engine import Engine
from citeseek.searching.engine_registry import Registry
from citeseek.testing import contract

ENTRIES = json.loads((PAGES / "manifest.json").read_text())
BUILT = Registry()
OURS = [entry for entry in ENTRIES if BUILT.find(entry["engine"])]


def test_every_engine_file_is_written_down() -> None:
    files = {path.stem for path in Path(citeseek.engines.__file__).parent.glob("[!_]*.py")}
    assert files == {engine.id for engine in Registry().built_in()}


@pytest.mark.parametrize("engine", list(Registry().built_in()), ids=lambda engine: engine.id)
def test_contract(engine: Engine, subtests: pytest.Subtests) -> None:
    for check in contract(engine):
        with subtests.test(str(check)):
            check()


@pytest.mark.parametrize(
    "engine", [e for e in Registry().built_in() if e.via != "local"], ids=lambda e: e.id
)
def test_an_engine_has_pages_of_each_kind(engine: Engine) -> None:
    # An engine may read the pages of another.
    kinds = {entry["kind"] for entry in OURS if BUILT.get(entry["engine"]).parse is engine.parse}
    needed = {"results", "no_results", "error"} | ({"blocked"} if engine.kind == "html" else set())
    assert needed <= kinds


def test_a_category_has_pages_with_results() -> None:
    seen = {(BUILT.get(entry["engine"]).id, entry.get("category")) for entry in OURS}
    for engine in BUILT.built_in():
        for category, reader in engine.categories.items():
            assert reader is engine.parse or (engine.id, category) in seen, (engine.id, category)


def test_our_own_pages_are_read_rightly(subtests: pytest.Subtests) -> None:
    for entry in OURS:
        with subtests.test(entry["file"]):
            engine = BUILT.get(entry["engine"])
            assert isinstance(engine, Engine)
            assert list(captures.differences(entry, captures.read(engine, entry, PAGES))) == []


def test_handed_captures_are_read_rightly(capsys: pytest.CaptureFixture[str]) -> None:
    """The recorded pages lie beside the project where they may be had, as in CI."""
    folders = [folder for folder in (HANDED / "captures", PAGES) if folder.is_dir()]
    for folder in folders:
        assert captures.check(folder, BUILT) == 0, capsys.readouterr().out
