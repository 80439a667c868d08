"""Lines at a terminal end between words, also where a script has no spaces."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from citeseek.surfaces.cli.text_layout import Hanging, Rows, Wrapped, line_breaks


def lines(text: str, columns: int) -> list[str]:
    ends = line_breaks(text, columns)
    return [text[a:b].rstrip() for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


def printed(what: object, columns: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=columns).print(what)
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("text", "columns", "wanted"),
    [
        ("Green tea is made of leaves", 10, ["Green tea", "is made of", "leaves"]),
        ("绿茶很好喝", 4, ["绿茶", "很好", "喝"]),
        ("绿茶很好。喝", 8, ["绿茶很", "好。喝"]),
        ("绿茶《茶经》好", 6, ["绿茶", "《茶", "经》好"]),
        ("喝Python茶", 8, ["喝Python", "茶"]),
        ("喝茶Python", 8, ["喝茶", "Python"]),
        ("喝茶[1][2]。好", 10, ["喝", "茶[1][2]。", "好"]),
        ("在 https://tea.example/abcdef 中", 10, ["在", "https://te", "a.example/", "abcdef 中"]),
        ("한국어 녹차는 좋다", 8, ["한국어", "녹차는", "좋다"]),
        ("", 10, [""]),
    ],
)
def test_lines_end_where_a_reader_expects_it(text: str, columns: int, wanted: list[str]) -> None:
    assert lines(text, columns) == wanted


@given(
    st.text(alphabet="ab cé绿茶。（）[1]한 \u3000", max_size=120),
    st.integers(min_value=2, max_value=40),
)
def test_nothing_is_lost_and_no_line_is_too_long(text: str, columns: int) -> None:
    got = lines(text, columns)
    assert "".join("".join(got).split()) == "".join(text.split())
    assert all(cell_len(line) <= columns for line in got)


def test_long_lines_cost_what_they_are_long() -> None:
    assert len(line_breaks("绿茶 tea（" * 50_000, 40)) > 10_000


def test_blocks_hang_below_their_marker_however_deep() -> None:
    inner = Hanging("• ", Wrapped(Text("one two three four five six")))
    assert printed(Hanging("1. ", inner), 20) == [
        "1. • one two three",
        "     four five six",
    ]
    for _ in range(40):
        inner = Hanging("• ", inner)
    assert all(cell_len(line) <= 40 for line in printed(inner, 40))
    assert re.findall(r"\w+", " ".join(printed(inner, 40))) == "one two three four five six".split()


def test_a_table_that_does_not_fit_is_told_line_by_line() -> None:
    table = Rows(
        [Text("engine"), Text("index"), Text("filters")],
        [
            [Text("marginalia"), Text(""), Text("language, freshness")],
            [Text("a"), Text("b"), Text("c")],
        ],
    )
    assert printed(table, 20) == [
        "engine: marginalia",
        "filters: language,",
        "freshness",
        "",
        "engine: a",
        "index: b",
        "filters: c",
    ]
    assert printed(table, 60)[2] == "marginalia           language, freshness"
