"""Claims in other words than the page: what passes, what is contradicted, what is not told."""

from __future__ import annotations

import pytest

from citeseek.verification import SourceText, check_answer, support

PAGE = SourceText(
    "The harbour authority of Selby Reach seems ready to deepen the northern channel. Small ports "
    "along the coast (most of them private) are more likely to hire local pilots, repair boats in "
    "their own yards and buy ropes and sails from families who live near the quay. Marta Holm was "
    "born in Dunwick, on the eastern shore, on December 19, 1784. The old crane can lift 40 tons."
)
PORTS = (
    "{} along the coast are more likely to hire {} pilots, {} boats in their own yards and buy "
    "ropes and sails from families who live near the quay."
)


@pytest.mark.parametrize(
    "claim",
    [
        PORTS.format("Small ports", "local", "fix"),
        PORTS.format("Some small ports", "local", "repair"),
    ],
)
def test_a_long_claim_in_nearly_the_same_words_is_supported(claim: str) -> None:
    found = support(claim, PAGE)
    assert (found.verdict, found.reason) == ("supported", "same_words")


@pytest.mark.parametrize(
    "claim",
    [
        # The page only says "seems".
        "The harbour authority of Selby Reach is ready to deepen the northern channel.",
        # All of them.
        PORTS.format("All small ports", "local", "repair"),
        # Not one of those that are named.
        PORTS.format("Small ports", "Danish", "repair"),
    ],
)
def test_what_decides_is_not_outweighed_by_the_rest(claim: str) -> None:
    assert support(claim, PAGE).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Marta Holm was born on February 19, 1784.", "contradicted"),
        ("Marta Holm was born in 1781.", "contradicted"),
        ("The old crane can lift 60 tons.", "contradicted"),
        # The page has no other value for these.
        ("Marta Holm was married on February 19, 1784.", "unclear"),
        ("The old crane can lift 60 people.", "unclear"),
        ("The old crane was built in 1784.", "unclear"),
    ],
)
def test_only_another_value_in_its_place_contradicts(claim: str, verdict: str) -> None:
    assert support(claim, PAGE).verdict == verdict


def test_a_short_text_is_not_silent() -> None:
    claim = "Green tea grows on terraces in the mountains of Wuyi."
    assert support(claim, PAGE).verdict == "absent"
    assert support(claim, SourceText("The old crane can lift 40 tons.")).verdict == "unclear"


def test_a_page_with_the_name_is_not_silent() -> None:
    claim = "Green tea from Dunwick grows on steep mountain terraces above fog."
    assert support(claim, PAGE).verdict == "unclear"


VISITORS = SourceText(
    "Among the guests of 1911 was the engineer Marta E. Holm. Holm drew the plan of the pier. "
    "Ivo Holm painted the lighthouse. The pier is not only a landing place for the ferries from "
    "Dunwick but also the home of the rowing club."
)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Marta E. Holm drew the plan of the pier.", "supported"),
        # Of her nothing is said there.
        ("Clara Holm drew the plan of the pier.", "unclear"),
        # This is said of another Holm.
        ("Marta E. Holm painted the lighthouse.", "unclear"),
        (
            "The pier is a landing place for ferries from Dunwick and the home of the rowing club.",
            "supported",
        ),
    ],
)
def test_a_surname_stands_for_whom_the_page_names_in_full(claim: str, verdict: str) -> None:
    assert support(claim, VISITORS).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("两国已经恢复对话。", "两国希望尽早恢复对话。"),
        ("市长已经辞职。", "市民要求市长辞职。"),
        ("市长已经辞职。", "市长是否辞职尚未确定。"),
        ("该厂只生产茶叶。", "该厂生产茶叶和咖啡。"),
        ("绿茶可以治疗感冒。", "绿茶可以治疗感冒吗？"),
        ("The town has a bridge.", "Does the town have a bridge?"),
        ("Copper is lighter than iron.", "Which metal is lighter, copper or iron?"),
        ("The mayor resigned in 2019.", "Protesters demanded that the mayor resign in 2019."),
        ("The museum opened a new wing.", "The museum wants to open a new wing."),
        ("Only members may enter the club.", "Members may enter the club."),
        ("All schools in Leiden closed.", "Schools in Leiden closed."),
        ("Toronto Raptors", "The Toronto Raptors lost in the final."),
    ],
)
def test_a_wish_a_question_and_a_name_support_nothing(claim: str, source: str) -> None:
    assert support(claim, SourceText(source)).verdict != "supported"


def test_an_item_is_read_with_the_lead_of_its_list() -> None:
    answer = "The champions of 2001:\n\n- Toronto Raptors [1]\n- Dunwick Rovers [1]"
    page = SourceText(
        "The Toronto Raptors lost the final of 2001. The champions of 2001 were Dunwick Rovers."
    )
    lost, won = check_answer(answer, {1: page})
    assert lost.claim == "The champions of 2001 Toronto Raptors"
    assert (lost.verdict == "supported", won.verdict) == (False, "supported")


VERBS = [
    ("opened", "closed"),
    ("bought", "sold"),
    ("founded", "dissolved"),
    ("built", "demolished"),
    ("appointed", "dismissed"),
    ("praised", "criticised"),
]


@pytest.mark.parametrize(("claimed", "told"), VERBS)
@pytest.mark.parametrize(
    "sentence",
    [
        "The tea house at the lake was {} in 1912 and serves 340 guests a day.",
        "In 1912 the tea house at the lake was {} and serves 340 guests a day.",
        "The tea house at the lake serves 340 guests a day and was {}.",
        "The old tea house at the end of the lake was {} by two brothers in 1912, and has a room.",
    ],
)
def test_one_word_for_another_is_no_support(sentence: str, claimed: str, told: str) -> None:
    page = SourceText(f"Boats are rented from May. {sentence.format(told)} Dogs are welcome.")
    assert support(sentence.format(claimed), page).verdict != "supported"
    assert support(sentence.format(told), page).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("The mill closed in the 1930s.", "The mill closed in 1934."),
        ("The mill closed in the 20th century.", "The mill closed in 1934."),
        ("Two thirds of the members voted.", "66.7 percent of the members voted."),
        ("The repair took almost 5 years.", "The repair took 4 years and 10 months."),
        ("工程用了近5年。", "工程用时4年10个月。"),
    ],
)
def test_a_value_that_is_another_form_of_the_page_s_contradicts_nothing(
    claim: str, page: str
) -> None:
    assert support(claim, SourceText(page)).verdict in {"supported", "unclear"}


def test_another_decade_or_share_still_contradicts() -> None:
    for claim, page in (
        ("The mill closed in the 1920s.", "The mill closed in 1934."),
        ("Two thirds of the members voted.", "48 percent of the members voted."),
    ):
        assert support(claim, SourceText(page)).verdict == "contradicted"
