"""Tables fit the terminal: cells wrap, and where words do not fit each cell has its own line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from citeseek.surfaces.cli.drawn_lines import BOLD, DrawnLine
from citeseek.surfaces.cli.table_output import table_lines

HEADINGS = ("engine", "index", "filters")
ROWS = (("marginalia", "", "language, freshness"), ("a", "b", "c"))


def texts(columns: int, rows: tuple[tuple[str, ...], ...] = ROWS) -> list[str]:
    return [line.before + line.text for line in table_lines(HEADINGS, rows, columns)]


def test_columns_are_as_wide_as_their_texts() -> None:
    assert texts(60) == [
        "engine       index   filters",
        "─" * 40,
        "marginalia           language, freshness",
        "a            b       c",
    ]


def test_the_widest_column_wraps_first() -> None:
    assert texts(34) == [
        "engine       index   filters",
        "─" * 34,
        "marginalia           language,",
        "                     freshness",
        "a            b       c",
    ]


def test_where_words_do_not_fit_each_cell_has_a_line() -> None:
    assert list(table_lines(HEADINGS, ROWS, 20)) == [
        DrawnLine("marginalia", "engine: ", before_style=BOLD),
        DrawnLine("language, freshness", "filters: ", before_style=BOLD),
        DrawnLine(""),
        DrawnLine("a", "engine: ", before_style=BOLD),
        DrawnLine("b", "index: ", before_style=BOLD),
        DrawnLine("c", "filters: ", before_style=BOLD),
    ]


def test_wide_characters_take_two_columns() -> None:
    told = texts(60, (("搜索引擎", "网页", "语言"),))
    assert told[2] == "搜索引擎   网页    语言"
    assert cell_len(told[1]) == 8 + 3 + 5 + 3 + 7


@pytest.mark.parametrize("columns", [24, 33, 40, 80, 200])
@given(rows=st.lists(st.tuples(*[st.text("ab 语言,-", max_size=60)] * 3), max_size=4))
def test_no_line_is_wider_than_there_is_room_and_no_word_is_lost(
    columns: int, rows: list[tuple[str, ...]]
) -> None:
    lines = list(table_lines(HEADINGS, rows, columns))
    if not any(line.before for line in lines):
        assert all(cell_len(line.text) <= columns for line in lines)
    shown = "".join(line.before + line.text for line in lines)
    for row in rows:
        for letter in "ab语言":
            assert "".join(row).count(letter) <= shown.count(letter)
    assert len(re.findall("─+", shown)) <= 1
