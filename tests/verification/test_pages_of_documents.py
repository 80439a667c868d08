"""A check of a citation of a document names the page that its evidence stands on."""

from __future__ import annotations

import pytest

from citeseek.catalogue import catalogue
from citeseek.locators import Locator, PageStart, locate, mark
from citeseek.surfaces.verdict_text import check_lines
from citeseek.verification import SourceText, check_answer, find_page

FIRST = "The harbour was built in 1874 by the town of Alder.\n\n"
SECOND = "The second basin was opened in 1921 and cost 98 million."
PAGES = (PageStart(0, Locator("page", 13)), PageStart(len(FIRST), Locator("page", 14)))
SOURCE = SourceText(FIRST + SECOND, pages=PAGES)


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("The second basin was opened in 1921.", 14),
        ("The second basin was opened in 1931.", 14),
        ("The harbour was built in 1874.", 13),
    ],
)
def test_the_page_is_that_of_the_evidence(claim: str, page: int) -> None:
    (check,) = check_answer(f"{claim[:-1]} [2].", {2: SOURCE})
    assert check.page == Locator("page", page) == find_page(claim, SOURCE)
    assert next(check_lines(check, catalogue("en"))).startswith(f"[2, p. {page}] ")
    assert next(check_lines(check, catalogue("zh"))).startswith(f"[2, 第 {page} 页] ")


def test_pages_of_html_have_none() -> None:
    (check,) = check_answer("The harbour was built in 1874 [1].", {1: SourceText(FIRST)})
    assert check.page is None
    assert locate((), 3) is None
    assert locate(PAGES[1:], 3) is None


@pytest.mark.parametrize(
    ("locator", "written"),
    [
        (Locator("slide", 3), "[1, slide 3]"),
        (Locator("sheet", 2, "Costs"), "[1, sheet Costs]"),
        (Locator("chapter", 4, "Storm"), "[1, ch. 4]"),
        (Locator("time", 3720, "1:02:00"), "[1, at 1:02:00]"),
    ],
)
def test_parts_of_other_documents_have_names(locator: Locator, written: str) -> None:
    assert mark(1, (locator,), catalogue("en")) == written
