"""The map of the house shows the house that stands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from citeseek.engines import BUILTIN

ROOT = Path(__file__).parents[2]
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
HOUSE = ROOT / "src" / "citeseek"


def test_the_floors_are_those_that_are_held() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(kind for kind in contracts["contracts"] if kind["type"] == "layers")["layers"]
    drawn = DESIGN.partition("## Floors")[2].partition("```\n")[2].partition("\n```")[0]
    assert drawn.splitlines() == [
        floor.replace(" | ", " · ").replace(" : ", " + ") for floor in layers
    ]


def test_every_file_on_the_map_is_there() -> None:
    steps = DESIGN.partition("| step |")[2].partition("## Floors")[0]
    named = re.findall(r"`([a-z_/]+(?:\.py|/))`", steps)
    assert len(named) > 30
    rooms = [HOUSE, *(room for room in HOUSE.iterdir() if room.is_dir())]
    assert [name for name in named if not any((room / name).exists() for room in rooms)] == []


def test_every_room_is_on_the_map() -> None:
    rooms = {room.name for room in HOUSE.iterdir() if (room / "__init__.py").exists()}
    assert {room for room in rooms if f"`{room}/" not in DESIGN} == set()


def test_the_readme_counts_the_engines_that_search() -> None:
    searching = BUILTIN.keys() - {"stub"}
    assert len(searching) == 29
    assert "twenty-nine engines" in (ROOT / "README.md").read_text(encoding="utf-8")
