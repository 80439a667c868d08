"""The report on requirements: what counts as a test of a row, and what does not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.requirements import ROOT, find, read_rows, read_tests

ROWS = """\
# Rows

| id | Source | Must be observable | Offline check |
| --- | --- | --- | --- |
| S0-1 | A·000:6 | Words. | Look. |
| S0-2 | A·000:7 | The switch. (Same as S1-1.) | See S1-1..S1-3. |
| S0-3 | A·000:8 | Same as the rows S1-2..S1-3. | See there. |
| S0-4 | A·000:9 | Same as S1: the name. | See there. |
| S1-1 | A·001:1 | One. | As S1-2. |
| S1-2 | A·001:2 | Two. | See S1-3; and more. |
| S1-3 | A·001:3 | Three. | Look. |
| S3-4 | C·003:4 | Four. | Same as S1-3. |
| P1 | Not a row. | x | y |
"""
TESTS = """\
import pytest

LOW = pytest.param(1, id="low", marks=pytest.mark.requirement("S1-2"))


@pytest.mark.requirement("S0-1", "P32")
@pytest.mark.parametrize("x", [LOW, pytest.param(2, id="plain")])
async def test_words(x):
    not_a_mark = "S1-3"


@pytest.mark.requirement("S1-3")
class TestMore:
    @pytest.mark.requirement("S4-11..S4-13")
    def test_they_are_one_table(self): ...

    @pytest.mark.usefixtures("S0-4")
    def test_another(self): ...


def test_s0_4_is_only_a_name(): ...
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rows.md").write_text(ROWS)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(TESTS)
    elsewhere = '@pytest.mark.requirement("S1-1")\ndef test_it(): ...'
    (tmp_path / "tests" / "sources.py").write_text(elsewhere)
    return tmp_path


def run(*arguments: str | Path) -> str:
    command = [sys.executable, "-m", "tools.requirements", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_rows_know_what_they_repeat() -> None:
    assert {row.name: row.same_as for row in read_rows(ROWS)} == {
        "S0-1": (),
        "S0-2": ("S1-1", "S1-2", "S1-3"),
        "S0-3": ("S1-2", "S1-3"),
        "S0-4": (),
        "S1-1": (),
        "S1-2": (),
        "S1-3": (),
        "S3-4": ("S1-3",),
    }


def test_ids_are_read_from_marks_of_tests_and_parameters(folder: Path) -> None:
    tests = read_tests(folder / "tests")
    assert tests == {
        "S0-1": ["test_some.py::test_words"],
        "S1-2": ["test_some.py::low"],
        "S1-3": ["test_some.py::TestMore"],
        **{f"S4-{number}": ["test_some.py::test_they_are_one_table"] for number in (11, 12, 13)},
    }


def test_a_row_is_met_by_all_the_rows_that_it_repeats() -> None:
    rows = {row.name: row for row in read_rows(ROWS)}
    tests = {"S1-2": ["a"], "S1-3": ["b"]}
    assert not find(rows["S0-2"], tests).met
    assert "S1-1" in find(rows["S0-2"], tests).lines[1]
    assert find(rows["S0-3"], tests).lines == ("the same as S1-2, S1-3",)
    assert not find(rows["S0-4"], tests).met
    assert find(rows["S1-2"], tests).lines == ("a",)


def test_the_report(folder: Path) -> None:
    shown = run(folder / "rows.md", "--tests", folder / "tests").splitlines()
    assert shown[0] == "S0: 4 rows: 1 with tests, 1 by rows that they repeat, 2 without"
    assert shown[1] == "  S0-1   test_some.py::test_words"
    assert shown[-2] == "all: 8 rows: 3 with tests, 2 by rows that they repeat, 3 without"
    assert shown[-1] == "tests are marked with what is no row: S4-11, S4-12, S4-13"


def test_the_report_of_what_is_missing(folder: Path) -> None:
    shown = run(folder / "rows.md", "--missing", "--tests", folder / "tests")
    named = [line.split()[0] for line in shown.splitlines() if line.startswith("  S")]
    assert named == ["S0-2", "S0-4", "S1-1"]


def test_a_list_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert run(tmp_path / "none.md") == (
        f"There is no list of requirements at {tmp_path / 'none.md'}: give its path as FILE.\n"
    )


def test_no_test_carries_the_id_of_a_row_in_its_name() -> None:
    named = re.compile(r"def (test_(?:[a-ep]\d+|s\d_\d+)_\w+)")
    files = (path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__))
    assert [name for path in files for name in named.findall(path.read_text("utf-8"))] == []
