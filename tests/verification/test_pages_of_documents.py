"""A check of a citation of a document names the page that its evidence stands on."""

from __future__ import annotations

import pytest

from citeseek.i18n import catalogue
from citeseek.locators import Locator, PageStart, locate, mark
from citeseek.surfaces.verdict_text import check_lines
from citeseek.verification import SentenceStream, SourceText, check_answer, find_page
from citeseek.verification.claims import CitedNumber, find_marks

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


THIRD = "The third basin was opened in 1931 and cost 50 million."
LONGER = FIRST + SECOND + "\n\n" + THIRD
THREE = SourceText(LONGER, pages=(*PAGES, PageStart(LONGER.index(THIRD), Locator("page", 15))))


@pytest.mark.parametrize(
    "mark", ["[2, p. 14]", "[2，第 14 页]", "[2, pp. 13–14]", "[[2, p. 14]](u)"]
)
def test_a_citation_of_a_page_is_one_of_its_source(mark: str) -> None:
    (check,) = check_answer(f"The second basin was opened in 1921 {mark}.", {2: THREE})
    assert (check.number, check.verdict, check.evidence) == (2, "supported", SECOND)
    assert check.claim == "The second basin was opened in 1921"
    assert check.page == Locator("page", 14)
    (check,) = check_answer(f"The second basin was opened in 1927 {mark}.", {2: THREE})
    assert (check.verdict, check.page) == ("contradicted", Locator("page", 14))


def test_the_page_that_is_cited_is_read_first_and_then_all_others() -> None:
    said = "Ships of 90 metres enter the port."
    twice = f"{said}\n\n{said}"
    pages = (PageStart(0, Locator("page", 1)), PageStart(len(said) + 2, Locator("page", 2)))
    source = SourceText(twice, pages=pages)
    for number in (1, 2):
        answer = f"Ships of 90 metres enter the port [1, p. {number}]."
        (check,) = check_answer(answer, {1: source})
        assert (check.verdict, check.page) == ("supported", Locator("page", number))
    (check,) = check_answer("The third basin was opened in 1931 [1, p. 13].", {1: THREE})
    assert (check.verdict, check.page) == ("supported", Locator("page", 15))


def test_named_parts_are_found_by_their_names() -> None:
    (mark,) = find_marks("Copper costs 9 [1, sheet Costs 2024; 2, pp. 3–4].")
    assert mark.cited == (
        CitedNumber(1, (Locator("sheet", 0, "Costs 2024"),)),
        CitedNumber(2, (Locator("page", 3), Locator("page", 4))),
    )
    for written, part in (
        ("slide 3", Locator("slide", 3)),
        ("ch. Storm", Locator("chapter", 0, "Storm")),
        ("第 4 章", Locator("chapter", 4)),
        ("1:02:00 处", Locator("time", 0, "1:02:00")),
        ("2 ページ", Locator("page", 2)),
    ):
        (mark,) = find_marks(f"So [1, {written}].")
        assert mark.cited == (CitedNumber(1, (part,)),)


def test_a_sentence_that_streams_keeps_its_page() -> None:
    text = "The harbour is old [9]. The third basin was opened in 1931 [1, p. 15]. So."
    stream = SentenceStream()
    said = [*(one for letter in text for one in stream.feed(letter)), *stream.finish()]
    assert [one.cites for one in said] == [(9,), (1,), ()]
    (claim,) = said[1].claims()
    assert (claim.numbers, claim.parts) == ((1,), {1: (Locator("page", 15),)})
