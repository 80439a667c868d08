"""What a page says of a sentence by where it stands: headings, lists, notes, signatures."""

from __future__ import annotations

import pytest

from citeseek.verification import SourceText, support

PLANNED = (
    "Harbour news\n\n{}\n\n- The west quay gets a crane.\n- A slipway leads to the yard.\n\n{}"
)


def verdict(claim: str, page: str) -> str:
    return support(claim, SourceText(page)).verdict


@pytest.mark.parametrize(
    ("heading", "closing", "expected"),
    [
        ("Planned for 2035", "The yard is open to all.", "unclear"),
        ("Rumours", "The yard is open to all.", "unclear"),
        ("Our ideas:", "The yard is open to all.", "unclear"),
        ("On the coast", "None of these is true.", "unclear"),
        ("On the coast", "All of these are inventions.", "unclear"),
        ("On the coast", "The yard is open to all.", "supported"),
        ("The plan was carried out in May.", "The yard is open to all.", "supported"),
    ],
)
def test_an_item_is_meant_as_its_list_is(heading: str, closing: str, expected: str) -> None:
    page = PLANNED.format(heading, closing)
    assert verdict("The west quay gets a crane.", page) == expected
    assert verdict("A slipway leads to the yard.", page) == expected


@pytest.mark.parametrize(
    ("heading", "closing", "expected"),
    [
        ("2035年规划", "码头对所有人开放。", "unclear"),
        ("常见误区", "码头对所有人开放。", "unclear"),
        ("码头概况", "以上说法均不属实。", "unclear"),
        ("码头概况", "码头对所有人开放。", "supported"),
    ],
)
def test_so_in_chinese(heading: str, closing: str, expected: str) -> None:
    page = f"港口\n\n{heading}\n\n- 西码头装有一台起重机。\n- 滑道通往船厂。\n\n{closing}"
    assert verdict("西码头装有一台起重机。", page) == expected


def test_a_claim_that_names_the_plan_leaves_nothing_out() -> None:
    page = PLANNED.format("Planned for 2035", "")
    assert verdict("It is planned that the west quay gets a crane.", page) != "contradicted"
    assert verdict("Plans: the west quay gets a crane.", page) != "contradicted"


def test_what_is_signed_is_a_quotation() -> None:
    told = "The fort is the ugliest house on the coast."
    assert verdict(told, f"{told}\n\n— letter of a sergeant, 1820") == "unclear"
    assert verdict(told, f"{told}\n\nA letter of a sergeant is kept there.") == "supported"


@pytest.mark.parametrize(
    ("mark", "note", "expected"),
    [
        ("*", "* only for widows", "unclear"),
        ("¹", "¹ except on Mondays", "unclear"),
        ("[2]", "2 Other sources give another sum.", "unclear"),
        ("(1)", "(1) for residents", "unclear"),
        ("[a]", "[a] not recognised by the league", "unclear"),
        ("①", "① 仅限居民", "unclear"),
        ("[2]", "2 Harbour Gazette, 4 May 2011, p. 3", "supported"),
        ("[3]", "[3] B. Lund, A History of Pensions. Oslo 1990.", "supported"),
        ("", "* only for widows", "supported"),
    ],
)
def test_a_note_that_limits_makes_it_unclear(mark: str, note: str, expected: str) -> None:
    page = f"The city pays a pension of 700 crowns.{mark} The office is in Hill Street.\n\n{note}"
    assert verdict("The city pays a pension of 700 crowns.", page) == expected
    assert verdict("The office is in Hill Street.", page) == "supported"
