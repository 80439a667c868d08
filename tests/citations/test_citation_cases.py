"""The cases from bug reports, and that their checker is not blind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tools.cases.cite import check

CASES = json.loads((Path(__file__).parents[1] / "cases" / "citations.json").read_text())
SOURCES = [{"n": 1, "title": "Alpha", "url": "https://a.example/1"}]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
@pytest.mark.requirement("P21")
def test_case(case: dict[str, Any]) -> None:
    assert check(case) == [], case["why"]


def differences(op: str, expect: dict[str, Any], **given: Any) -> list[str]:
    return check({"input": {"op": op, "sources": SOURCES, **given}, "expect": expect})


@pytest.mark.parametrize(
    "wrong",
    [
        {"output": "x [1] y"},
        {"output_any": ["x [1] y", ""]},
        {"keeps": ["z"]},
        {"lacks": ["](https://a.example/1)"]},
        {"rendered": "x y"},
        {"rendered_keeps": ["z"]},
        {"rendered_lacks": ["[1]"]},
        {"links": []},
        {"links": [[1, "https://b.example/"]]},
        {"links_include": [[2, "https://a.example/1"]]},
        {"min_links": 2},
        {"max_links": 0},
        {"hrefs_only": ["https://b.example/"]},
        {"hrefs_include": ["https://b.example/"]},
        {"href_schemes": ["http"]},
        {"html_lacks": ["<a"]},
        {"link_attributes_only": ["title"]},
        {"table_cells": [["x"]]},
        {"max_output_chars": 5},
        {"max_ms": -1},
        {"any_of": [{"min_links": 2}, {"max_links": 0}]},
        {"never_heard_of": 1},
    ],
    ids=str,
)
def test_the_checker_sees_what_is_wrong(wrong: dict[str, Any]) -> None:
    assert differences("cite.convert", wrong, text="x [1] y")


def test_the_checker_sees_wrong_references() -> None:
    for wrong in ({"entries": []}, {"list_rows": 2}, {"entries": [[2, "https://a.example/1"]]}):
        assert differences("cite.references", wrong, text="x [1]")


def test_the_checker_sees_a_wrong_stream() -> None:
    moment = {"chunk": 0, "starts_with": "x [[1"}
    for wrong in (
        {"joined": "x"},
        {"joined_same_as_whole": False},
        {"emitted_after": [moment]},
        {"emitted_after": [{"chunk": 0, "min_chars": 30}]},
        {"emitted_after": [{"chunk": 0, "unheard_of": 1}]},
        {"unheard_of": 1},
    ):
        assert differences("cite.stream", wrong, chunks=["x [", "1]"], finish_calls=2)
