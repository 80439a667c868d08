"""The metrics that the pages name are those that a server has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from citeseek.observing.meters import Meters
from citeseek.observing.operation import Kind

DOCS = Path(__file__).parents[2] / "docs"
THERE = set(re.findall(r"^# HELP (\w+)", Meters().page().decode(), re.MULTILINE))


@pytest.mark.parametrize("name", ["capacity.md", "observability.md"])
def test_every_metric_is_there(name: str) -> None:
    text = (DOCS / name).read_text()
    named = set(re.findall(r"`((?:citeseek|process)_[a-z_]+)", text)) - {"process_"}
    assert len(named) > 8
    assert named <= THERE


def test_what_is_to_be_watched_is_of_a_kind_that_is_counted() -> None:
    kinds = set(re.findall(r'`kind="(\w+)"`', (DOCS / "capacity.md").read_text()))
    assert {"answer", "model"} == kinds
    assert kinds <= set(get_args(Kind))
