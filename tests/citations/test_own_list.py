"""The list of sources that a model writes itself is told apart, however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeseek.citations.own_list import OwnList

TAIL = "Tea [1].\n\n"


def read(pieces: list[str]) -> tuple[str, str, bool]:
    """Return what was given out, what is held at the end, and whether it is a list."""
    own = OwnList(lambda number: number in (1, 2))
    given = "".join(map(own.feed, pieces))
    return (given, *own.finish())


@pytest.mark.parametrize(
    "written",
    [
        "## References\n\n1. Tea house\n2. The cup\n",
        "References:\n[1] Tea house\n[2] The cup",
        "**Sources:**\n\n- [1] Tea house <https://a.example>\n- [2] The cup",
        "### 参考文献\n\n[1] 茶馆\n[2] 茶杯\n",
        "来源：\n【1】茶馆\n",
        "Sources\n-------\n1) Tea house\n   https://a.example\n",
        "# references\n[1]: https://a.example\n",
        "参考资料\n1、茶馆",
    ],
)
def test_a_list_of_known_numbers_below_a_heading_is_one(written: str) -> None:
    for pieces in ([TAIL + written], list(TAIL + written)):
        assert read(pieces) == (TAIL, written, True)


@pytest.mark.parametrize(
    "written",
    [
        "## References\n\nSee below.\n",
        "## References\n\n1. Tea house\n\nMore text.\n",
        "## References\n\n7. Unknown\n",
        "Sources say so.\n1. a\n",
        "1. a\n2. b\n",
        "## Sources of tea\n\n1. China\n",
    ],
)
def test_anything_else_is_given_out(written: str) -> None:
    for pieces in ([TAIL + written], list(TAIL + written)):
        given_out, held, is_list = read(pieces)
        assert (given_out + held, is_list) == (TAIL + written, False)


def test_a_heading_without_rows_is_given_out_at_the_end() -> None:
    assert read(["a\n## Sources\n"]) == ("a\n", "## Sources\n", False)


def test_text_flows_that_is_no_heading() -> None:
    own = OwnList(bool)
    assert own.feed("Some text") == "Some text"
    assert own.feed(" and more\nTea") == " and more\nTea"


LINES = ["## References", "Sources:", "1. a", "[2] b", "9. c", "text", "", "   more", "---", "来源"]


@given(st.lists(st.sampled_from(LINES)).map("\n".join), st.data())
def test_cuts_change_nothing(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(pieces) == read([text])
