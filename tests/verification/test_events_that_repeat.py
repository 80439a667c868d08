"""What happened more than once happened on other days as well."""

from __future__ import annotations

import pytest

from citeseek.verification import SourceText, support


@pytest.mark.parametrize(
    ("claim", "sentence", "word"),
    [
        ("Elmford won the river cup in 1989.", "Elmford {}won the river cup in 2004.", "last "),
        ("Elmford won the river cup in 1989.", "Elmford {}won the river cup in 2004.", "first "),
        ("Elmford won the river cup in 1989.", "Elmford won the river cup {}in 2004.", "again "),
        ("清河队于1989年获得冠军。", "清河队于2003年{}获得冠军。", "再次"),
        ("清河队于1989年获得冠军。", "清河队于2003年{}获得冠军。", "首次"),
    ],
)
def test_another_day_of_it_is_not_contradicted(claim: str, sentence: str, word: str) -> None:
    assert support(claim, SourceText(sentence.format(""))).verdict == "contradicted"
    assert support(claim, SourceText(sentence.format(word))).verdict == "unclear"


def test_the_same_one_of_several_is_contradicted() -> None:
    page = SourceText("Elmford first won the river cup in 2004.")
    assert support("Elmford first won the river cup in 1989.", page).verdict == "contradicted"
