"""Whether a page of today still says what it was cited for."""

from __future__ import annotations

import pytest

from citeseek.locators import Locator, PageStart
from citeseek.source_watch import AMBER, CitedStatement, change
from citeseek.verification import SourceText, Verdict

WAS = "The tea house at the lake opened in 1912 and serves 340 guests a day."
AROUND = (
    "Welcome to the lake, where boats are hired from May to September in all weathers. "
    "The path round the water is six kilometres long and has three shelters with benches. "
    "Dogs are kept on the lead near the reeds because of the birds that breed there. "
)
HAN = "湖边的茶馆开业于1912年，每天接待340位客人。"
HAN_AROUND = (
    "欢迎来到湖区，五月到九月可以租船游湖，风雨无阻，码头有人值守。"
    "环湖步道全长六公里，沿途有三座带长椅的凉亭，适合全家散步。"
    "芦苇丛附近有鸟类繁殖，请为狗系上绳子，不要惊扰它们。"
)

COSMETIC = {
    "the same": WAS,
    "white space": WAS.replace(" ", "  ").replace("340  ", "340\u00a0"),
    "punctuation": WAS.removesuffix(".") + "!",
    "capitals": WAS.upper(),
    "forms of characters": WAS.replace("1912", "１９１２"),
    "other words": "The tea house at the lake serves 340 guests a day and opened in 1912.",
    "a word before": f"Did you know? {WAS}",
}


@pytest.mark.parametrize("now", COSMETIC.values(), ids=COSMETIC)
def test_edits_that_change_no_statement_stay_quiet(now: str) -> None:
    for text in (f"{now} {AROUND}", f"{AROUND}{now} Imprint, 2026."):
        assert change(CitedStatement(1, WAS, WAS), SourceText(text)).code == "same"


@pytest.mark.parametrize(
    "now",
    [HAN, HAN.replace("，", ", "), HAN.replace("340", " 340 "), f"简介：{HAN}"],
)
def test_chinese_pages_stay_quiet_as_well(now: str) -> None:
    assert change(CitedStatement(1, HAN, HAN), SourceText(HAN_AROUND + now)).code == "same"


def test_of_a_document_it_is_told_on_which_page_it_stands_now() -> None:
    now = WAS.replace("340", "390")
    pages = (PageStart(0, Locator("page", 1)), PageStart(len(AROUND), Locator("page", 2)))
    found = change(CitedStatement(1, WAS, WAS), SourceText(AROUND + now, pages=pages))
    assert (found.code, found.now, found.page) == ("changed", now, Locator("page", 2))


@pytest.mark.parametrize(
    ("was", "now", "around"),
    [
        (WAS, WAS.replace("340", "390"), AROUND),
        (WAS, WAS.replace("1912", "1921"), AROUND),
        (HAN, HAN.replace("340", "390"), HAN_AROUND),
        (HAN, HAN.replace("1912", "1921"), HAN_AROUND),
    ],
)
def test_another_value_is_a_change_with_both_sentences(was: str, now: str, around: str) -> None:
    found = change(CitedStatement(1, was, was), SourceText(around + now))
    assert (found.code, found.was, found.now) == ("changed", was, now)


@pytest.mark.parametrize(("was", "around"), [(WAS, AROUND), (HAN, HAN_AROUND)])
def test_what_is_taken_out_is_gone(was: str, around: str) -> None:
    for today in (around * 3, "404 – Page not found. Sorry, it does not exist any more."):
        found = change(CitedStatement(1, was, was), SourceText(today))
        assert (found.code, found.was, found.now) == ("gone", was, "")


@pytest.mark.parametrize(
    ("around", "code"),
    [
        ("It is not true that {}", "changed"),
        ("Some people wrongly believe that {}", "unclear"),
        ("Until 2020 it was wrongly believed that {}", "unclear"),
        ("Is it true that {}?", "unclear"),
    ],
)
def test_a_sentence_within_one_that_denies_it_is_no_such_sentence(around: str, code: str) -> None:
    told = around.format(WAS[0].lower() + WAS[1:-1])
    assert change(CitedStatement(1, WAS, WAS), SourceText(f"{AROUND}{told}.")).code == code


@pytest.mark.parametrize("other", [("340", "340.5"), ("opened", "closed"), ("tea", "boat")])
def test_a_word_for_another_is_no_edit_of_the_layout(other: tuple[str, str]) -> None:
    found = change(CitedStatement(1, WAS, WAS), SourceText(AROUND + WAS.replace(*other)))
    assert found.code in AMBER


def test_of_a_page_that_was_cut_nothing_is_gone() -> None:
    page = SourceText(AROUND, is_whole_page=False)
    assert change(CitedStatement(1, WAS, WAS), page).code == "unread"


def test_what_nobody_kept_is_not_said_to_have_been_there() -> None:
    claim = "The tea house at the lake has a garden with forty tables."
    assert change(CitedStatement(1, claim), SourceText(AROUND + WAS)).code == "unknown"
    assert change(CitedStatement(1, claim), SourceText(AROUND + claim)).code == "same"
    assert change(CitedStatement(1, WAS), SourceText(AROUND + WAS.replace("340", "390"))).code == (
        "changed"
    )


NEXT = (
    "A second storey was added in 1931 by the builder Anna Holm.",
    "Since then the terrace has been open on Sundays, rain or shine.",
    "Tea is grown in the garden behind the house.",
)
HAN_NEXT = (
    "1931年建筑师安娜增建了第二层。",
    "从那以后露台每逢周日开放，风雨无阻。",
    "屋后的园子里种着茶树。",
)
LONG = " ".join((WAS, *NEXT))
HAN_LONG = "".join((HAN, *HAN_NEXT))


@pytest.mark.parametrize("now", [LONG, LONG.replace(". ", ".\n\n"), LONG.upper()])
def test_a_quote_of_many_sentences_stands(now: str) -> None:
    found = change(CitedStatement(1, LONG, LONG), SourceText(f"{AROUND}{now} Imprint, 2026."))
    assert found.code == "same"


def test_a_chinese_quote_of_many_sentences_stands() -> None:
    assert change(
        CitedStatement(1, HAN_LONG, HAN_LONG), SourceText(HAN_AROUND + HAN_LONG)
    ).code == ("same")


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (("1931", "1937"), "changed"),
        (("open on Sundays", "closed on Sundays"), "unclear"),
        ((f" {NEXT[1]}", ""), "unclear"),
        ((NEXT[0], f"A fox lives there. {NEXT[0]}"), "same"),
    ],
)
def test_one_of_many_sentences_is_edited(edit: tuple[str, str], code: str) -> None:
    found = change(CitedStatement(1, LONG, LONG), SourceText(AROUND + LONG.replace(*edit)))
    assert (found.code, found.was) == (code, LONG)


def test_many_sentences_that_are_taken_out_are_gone() -> None:
    assert change(CitedStatement(1, LONG, LONG), SourceText(AROUND * 2)).code == "gone"


def test_what_said_something_else_then_says_it_still() -> None:
    claim = WAS.replace("1912", "1921")
    against = CitedStatement(1, claim, WAS, "contradicted")
    assert change(against, SourceText(AROUND + WAS)).code == "same"
    rewritten = "The tea house at the lake serves 340 guests a day and opened in 1912."
    assert change(against, SourceText(AROUND + rewritten)).code == "same"
    other = change(against, SourceText(AROUND + WAS.replace("1912", "1915")))
    assert (other.code, other.claim, other.was) == ("changed", WAS, WAS)
    # It bears the claim out today, and that is not what it said.
    assert change(against, SourceText(AROUND + claim)).code == "changed"
    assert change(against, SourceText(AROUND * 3)).code == "gone"


@pytest.mark.parametrize("verdict", ["unclear", "absent"])
def test_what_was_doubtful_then_is_no_change_now(verdict: Verdict) -> None:
    claim = "The tea house at the lake has forty tables in its garden."
    doubted = CitedStatement(1, claim, "", verdict)
    assert change(doubted, SourceText(AROUND + WAS)).code == "same"
    now = claim.replace("forty", "sixty")
    found = change(doubted, SourceText(AROUND + now))
    assert (found.code, found.now) == ("changed", now)
