# ruff: noqa: E501 - pairs side by side
"""Versions of a statement: other numbers, another name, and nothing else."""

from __future__ import annotations

import pytest

from citeseek.research.variants import Statement, own_part


@pytest.mark.parametrize(
    ("one", "other", "own"),
    [
        ("The tower of the light is 37 metres tall.", "The tower of the light is 73 metres tall.", ["37"]),
        ("It was first lit on 4 October 1868 by the keeper.", "It was first lit on 7 May 1886 by the keeper.", ["4", "October", "1868"]),
        ("The first keeper of the light was Elspeth Rowan, a ropemaker's daughter.", "The first keeper of the light was Morag Baird, a ropemaker's daughter.", ["Elspeth", "Rowan"]),
        ("沅溪大桥的总设计师是许知远山，他修过三座桥。", "沅溪大桥的总设计师是高望亭，他修过三座桥。", list("许知远山")),
        ("大桥于2011年9月28日正式通车。", "大桥于2011年9月18日正式通车。", ["28"]),
    ],
)  # fmt: skip
def test_versions(one: str, other: str, own: list[str]) -> None:
    assert own_part(Statement.of(one), Statement.of(other)) == tuple(own)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # The same, another word, another subject, too short to mean anything.
        ("The tower is 37 metres tall at least.", "The tower is 37 metres tall at least."),
        ("The tower of the light is 37 metres tall.", "The tower of the light is only tall."),
        ("The tower was built by a firm from the south.", "The tower was built by a firm from the north."),
        ("沅溪大桥的北塔由省里的工程公司承建。", "沅溪大桥的南塔由省里的工程公司承建。"),
        ("Updated 3 March", "Updated 4 May"),
        ("Mara drew it.", "Elsa drew it."),
    ],
)  # fmt: skip
def test_no_versions(one: str, other: str) -> None:
    assert own_part(Statement.of(one), Statement.of(other)) == ()
