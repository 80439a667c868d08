# ruff: noqa: E501 - lines of paper as they are
"""A sentence is not cut where the paper ends; lists and tables stay as they are."""

from __future__ import annotations

import pytest

from citeseek.extraction.documents.page_lines import join_broken_lines


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (
            [
                "The bridge was opened on 3 May 2019 by the mayor of",
                "Alderton, who had asked for it for more than eleven",
                "years. It has six piers.",
                "The ferry stopped on the same day.",
            ],
            [
                "The bridge was opened on 3 May 2019 by the mayor of Alderton, who had asked for it for more than eleven years. It has six piers.",
                "The ferry stopped on the same day.",
            ],
        ),
        (
            ["沅溪大桥于2011年9月28日正式通车，主跨为648米，是", "一座双塔斜拉桥，此前两岸的人靠渡船来往。"],
            ["沅溪大桥于2011年9月28日正式通车，主跨为648米，是一座双塔斜拉桥，此前两岸的人靠渡船来往。"],
        ),
        (
            ["It was the work of many years and of many engi-", "neers from the south, as it is told in the town."],
            ["It was the work of many years and of many engineers from the south, as it is told in the town."],
        ),
        (["Length", "412 m", "Cost", "98 million"], ["Length", "412 m", "Cost", "98 million"]),
        (
            ["What is needed for the crossing of the river", "- a boat that does not leak", "- patience"],
            ["What is needed for the crossing of the river", "- a boat that does not leak", "- patience"],
        ),
        (["", "One line."], ["One line."]),
        ([], []),
    ],
)  # fmt: skip
def test_lines_are_joined_where_the_margin_cut_them(lines: list[str], joined: list[str]) -> None:
    assert join_broken_lines(lines) == joined
