"""What ``meta`` elements say is found by their names, whoever looks for it."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from citeseek.extraction.metas import Metas


def metas(*elements: str) -> Metas:
    return Metas(LexborHTMLParser(f"<head>{''.join(elements)}</head><body></body>"))


@pytest.mark.parametrize(
    "element",
    [
        "<meta name=author content=Lin>",
        "<meta name='Author ' content=' Lin\n'>",
        "<meta property='x:name author' content=Lin>",
    ],
)
def test_one_is_found_by_its_name_in_any_case_and_among_several(element: str) -> None:
    assert metas(element).line("name=author", "property=author") == "Lin"


def test_the_first_key_goes_first_and_the_first_element_that_says_something() -> None:
    page = metas(
        "<meta name=byl content=Chen>",
        "<meta name=author content=' '>",
        "<meta name=author content=Lin>",
        "<meta name=author content=Wang>",
    )
    assert page.line("name=author", "name=byl") == "Lin"
    assert page.line("name=editor", "name=byl") == "Chen"


@pytest.mark.parametrize(
    "element", ["<meta name=author>", "<meta name=author content=''>", "<meta itemprop=author>"]
)
def test_one_that_says_nothing_is_none(element: str) -> None:
    assert metas(element).line("name=author", "itemprop=author") is None


def test_a_long_one_is_cut_for_a_line_and_whole_otherwise() -> None:
    page = metas(f"<meta name=description content='{'a' * 900}'>")
    assert page.line("name=description") == "a" * 500
    assert [one.content for one in page] == ["a" * 900]
