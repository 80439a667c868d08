"""The exact versions of constraints.txt: each installs on every Python that is promised."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PINS = dict(
    re.findall(r"^([^#=\s]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
)


def oldest() -> str:
    """Return the oldest Python that the project promises, its first release."""
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    found = re.fullmatch(r">=(\d+\.\d+)", promised)
    assert found
    return f"{found[1]}.0"


def installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


# Another version than the pinned one says nothing about the pin.
HERE = [name for name, version in PINS.items() if installed(name) == version]


def leaves_out(requires: str | None, python: str) -> bool:
    return bool(requires) and not SpecifierSet(requires).contains(python)


def test_most_pins_can_be_looked_at() -> None:
    assert len(HERE) > len(PINS) / 2


def test_every_pin_installs_on_the_oldest_python() -> None:
    python = oldest()
    asked = {name: metadata.metadata(name).get("Requires-Python") for name in HERE}
    assert {name: asks for name, asks in asked.items() if leaves_out(asks, python)} == {}


@pytest.mark.parametrize(
    ("requires", "out"), [(">=3.11.5", True), (">=3.12", True), (">=3.11", False), (None, False)]
)
def test_a_patch_release_is_a_version_as_well(requires: str | None, *, out: bool) -> None:
    assert leaves_out(requires, "3.11.0") is out
