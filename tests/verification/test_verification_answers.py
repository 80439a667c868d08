"""Whole answers against what is known of their sources."""

from __future__ import annotations

import pytest

from citeseek.verification import CitationCheck, SourceText, check_answer
from citeseek.verification.check import support

RIVER = SourceText("清河全长412公里，发源于青岭。沙河全长238公里。")
CITY = SourceText("青岭市人口为120万。", title="青岭市")


def verdicts(found: list[CitationCheck]) -> list[tuple[int, str]]:
    return [(one.number, one.verdict) for one in found]


def test_each_citation_is_checked_against_its_own_source() -> None:
    found = check_answer("清河全长412公里[1]。青岭市人口为120万[1]。", {1: RIVER, 2: CITY})
    assert verdicts(found) == [(1, "supported"), (1, "unclear")]
    assert found[0].evidence == "清河全长412公里，发源于青岭。"
    assert found[0].evidence in RIVER.text


def test_another_source_that_supports_it_is_named() -> None:
    (found,) = check_answer("青岭市人口为120万[1]。", {1: RIVER, 2: CITY})
    assert (found.verdict, found.elsewhere) == ("unclear", 2)


def test_what_was_changed_is_named() -> None:
    (found,) = check_answer("清河全长421公里[1]。", {1: RIVER})
    assert (found.verdict, found.reason, found.missing) == ("contradicted", "number", ("421公里",))


def test_words_that_are_not_there_are_told_as_they_are_written() -> None:
    (found,) = check_answer("清河全长412公里，水质优良[1]。", {1: RIVER})
    assert (found.verdict, found.missing) == ("unclear", ("水质优良",))


def test_a_summary_of_a_search_cannot_refute() -> None:
    known = SourceText(RIVER.text, is_whole_page=False)
    found = check_answer("清河全长412公里[1]。清河有鱼[1]。", {1: known})
    assert verdicts(found) == [(1, "supported"), (1, "unfetched")]


def test_a_source_without_text_is_unfetched() -> None:
    found = check_answer("清河全长412公里[1][7]。", {1: SourceText("")})
    assert verdicts(found) == [(1, "unfetched"), (7, "unfetched")]


def test_two_sources_may_support_a_sentence_together() -> None:
    answer = "清河全长412公里，青岭市人口为120万[1][2]。"
    found = check_answer(
        answer,
        {
            1: SourceText(RIVER.text + "青岭市在南方。"),
            2: SourceText("清河流经青岭市。青岭市人口为120万。"),
        },
    )
    assert {one.reason for one in found} == {"together"}
    assert {one.together for one in found} == {(1, 2)}


def test_a_part_without_subject_is_not_taken_from_another_thing() -> None:
    answer = "清河全长412公里[1]，年均气温为18度[2]。"
    found = check_answer(answer, {1: RIVER, 2: SourceText("白河年均气温为18度。")})
    assert found[1].verdict != "supported"


def test_parts_with_their_own_subjects_are_checked_alone() -> None:
    answer = "Revenue rose 5% in 2024 [1], while costs fell 3% [2]."
    texts = {1: SourceText("Revenue rose 5% in 2024."), 2: SourceText("Costs fell 3% last year.")}
    assert verdicts(check_answer(answer, texts)) == [(1, "supported"), (2, "supported")]


def test_numbers_are_compared_across_languages() -> None:
    source = SourceText("Acme Corp. sold 12,000 bikes on March 5, 2026. Nothing else is known.")
    found = check_answer(
        "Acme于2026年3月5日售出1.2万辆自行车[1]。Acme售出1.3万辆自行车[1]。", {1: source}
    )
    assert [(one.verdict, one.reason) for one in found] == [
        ("unclear", "other_language"),
        ("unclear", "other_language"),
    ]
    assert [one.missing for one in found] == [(), ("1.3万辆",)]


def test_a_source_of_another_language_alone_proves_nothing() -> None:
    (found,) = check_answer("长江是一条河流[1]。", {1: SourceText("The Yangtze is a river.")})
    assert (found.verdict, found.reason) == ("unclear", "other_language")


def test_an_answer_without_citations_has_no_checks() -> None:
    assert check_answer("Nothing is cited here.", {1: RIVER}) == []


def test_a_sentence_wrapped_in_a_pdf_is_one() -> None:
    text = "The survey found that the northern bridge carries\n12,500 vehicles a day both ways."
    (found,) = check_answer(
        "The northern bridge carries 12,500 vehicles a day [1].", {1: SourceText(text)}
    )
    assert found.verdict == "supported"
    assert found.evidence in text


PAGE = SourceText(
    "The harbour kept its tide tables in a wooden box beside the lock. The keeper copied them by"
    " hand each December. Water entered over the shoals before the wall was built."
    " 2019年，港口的高水位晚了十一分钟。 Its drum is in the town museum now."
)


@pytest.mark.parametrize(
    ("claim", "verdict", "reason"),
    [
        ("Green tea grows on terraces in the mountains of Wuyi.", "absent", "not_found"),
        ("The bakery sold 40 loaves in 1911.", "absent", "not_found"),
        ("Something else happened in 2019.", "unclear", "other_language"),
    ],
)
def test_a_foreign_sentence_makes_no_foreign_page(claim: str, verdict: str, reason: str) -> None:
    found = support(claim, PAGE)
    assert (found.verdict, found.reason) == (verdict, reason)


def test_a_page_of_another_language_is_still_told() -> None:
    page = SourceText("港口的高水位晚了十一分钟。水从浅滩上流进来。 Selby Reach")
    found = support("Green tea grows on terraces in the mountains of Wuyi.", page)
    assert (found.verdict, found.reason) == ("unclear", "other_language")
