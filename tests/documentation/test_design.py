"""The map of the house shows the house that stands."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
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
    named = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", DESIGN))
    assert len(named) > 60
    there = [f"/{path.relative_to(HOUSE)}" for path in HOUSE.rglob("*")]
    there = [f"{place}/" if (HOUSE / place[1:]).is_dir() else place for place in there]
    missing = {name for name in named if not any(place.endswith(f"/{name}") for place in there)}
    assert {name for name in missing if not (ROOT / name).exists()} == set()


# What a page names that is the reader's own, or is made when something runs.
NOT_OURS = frozenset(
    (
        "claude_desktop_config.json",
        ".mcp.json",
        "mcp.json",
        "openapi.json",
        "run.json",
        "settings.json",
        "t.json",
    )
)


def test_every_file_that_the_documentation_names_is_there() -> None:
    folders = ("src", "tests", "tools", "benchmarks", "examples", "docs", "deploy")
    there = [str(path) for folder in folders for path in (ROOT / folder).rglob("*.*")]
    there += [str(path) for path in ROOT.glob("*.*")]
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("benchmarks/*.md")]
    missing = [
        (page.name, name)
        for page in pages
        if page.name != "CHANGELOG.md"
        for name in re.findall(r"`([\w./]+\.(?:py|lua|toml|js|json))`", page.read_text("utf-8"))
        if Path(name).name not in NOT_OURS and not any(path.endswith(f"/{name}") for path in there)
    ]
    assert missing == []


def twice(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def test_no_class_and_no_module_has_the_name_of_another() -> None:
    files = [path for path in HOUSE.rglob("*.py") if not path.name.startswith("__")]
    public = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)
    assert twice(name for path in files for name in public.findall(path.read_text("utf-8"))) == []
    assert twice(path.name for path in files) == []


def test_every_room_is_on_the_map() -> None:
    rooms = {room.name for room in HOUSE.iterdir() if (room / "__init__.py").exists()}
    assert {room for room in rooms if f"`{room}/" not in DESIGN} == set()


def test_the_readme_counts_the_engines_that_search() -> None:
    searching = BUILTIN.keys() - {"stub"}
    assert len(searching) == 29
    assert "twenty-nine engines" in (ROOT / "README.md").read_text(encoding="utf-8")
