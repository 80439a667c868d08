"""Cases from bug reports, each with the right values, run on the real code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tools.cases.adapters import run

FOLDER = Path(__file__).parent / "cases"
CASES = [case for path in sorted(FOLDER.glob("*.json")) for case in json.loads(path.read_text())]


@pytest.mark.sample(100)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    assert run(case) == [], case["why"]
