"""What of a judge's word is taken over: its quote stands on the page, and no rule forbids it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.verification.labelled import pairs
from tests.verification.test_verification_mutations import SENTENCES, SOURCES, with_another_digit

from citeseek.verification import CitationCheck, SourceText, check_answer, judge_unclear
from citeseek.verification.judgement import Doubt, Judged, Opinion, Ruling
from citeseek.verification.passages import passages

OPENED = "The tea house at the lake opened its doors in 1912."
FAMILY = "It is run by the Lindqvist family and serves 340 guests on a summer day."
SEATS = "The garden pavilion has 430 seats."
DOGS = "Dogs are welcome on the terrace, but not inside."
CHINESE = "清河茶馆于1912年正式迎客，由林家经营。"
PAGE = SourceText(f"{OPENED}\n{FAMILY}\n{SEATS}\n{DOGS}\n{CHINESE}", title="Lake")
PARAPHRASE = "The tea house at the lake welcomed its first guests in 1912"


class Says:
    """A judge that says the same of everything, and remembers what it was asked."""

    name = "says"

    def __init__(self, *opinions: Opinion) -> None:
        self._opinions = opinions
        self.asked: list[Doubt] = []

    async def rule(self, doubts: Sequence[Doubt]) -> Ruling:
        self.asked += doubts
        told = dict(zip((doubt.place for doubt in doubts), self._opinions, strict=False))
        return Ruling(opinions=told, asked=len(doubts))


async def after(answer: str, judge: Says, *pages: SourceText) -> Judged:
    texts = dict(enumerate(pages or (PAGE,), start=1))
    return await judge_unclear(answer, check_answer(answer, texts), texts, judge)


async def one(claim: str, opinion: Opinion, page: SourceText = PAGE) -> CitationCheck:
    (check,) = (await after(f"{claim} [1].", Says(opinion), page)).checks
    return check


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        (PARAPHRASE, OPENED),
        (PARAPHRASE, "opened its doors in 1912"),
        (PARAPHRASE, "  “opened  its\ndoors in 1912.” "),
        ("Dogs may sit on the terrace with their owners", DOGS),
        ("The tea house is in the hands of the Lindqvist family", FAMILY),
        ("清河茶馆1912年开张接待客人", CHINESE),
    ],
)
async def test_other_words_for_the_same_are_supported(claim: str, quote: str) -> None:
    before = check_answer(f"{claim} [1].", {1: PAGE})[0]
    assert before.verdict == "unclear"
    check = await one(claim, Opinion("supported", quote))
    assert (check.verdict, check.verdict_v1) == ("supported", "supported")
    assert (check.by, check.reason, check.missing) == ("judge", "paraphrase", ())
    # What is shown are whole sentences of the page, whatever part of them was quoted.
    assert check.evidence in PAGE.text
    assert check.evidence in (OPENED, DOGS, FAMILY, CHINESE)


@pytest.mark.parametrize(
    "quote",
    [
        "The tea house at the lake opened its doors in 1921.",
        "The tea house opened its doors in 1912.",
        "the tea house at the lake opened its doors in 1912",
        "The tea house at the lake … in 1912.",
        "The tea house at the lake welcomed its first guests in 1912.",
        "?",
        "(.*)",
        # More than three sentences have room for everything.
        PAGE.text,
    ],
)
async def test_a_quote_that_does_not_stand_on_the_page_lifts_nothing(quote: str) -> None:
    answer = f"{PARAPHRASE} [1]."
    before = check_answer(answer, {1: PAGE})
    assert (await after(answer, Says(Opinion("supported", quote)))).checks == tuple(before)


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The tea house at the lake welcomed its first guests in 1921", OPENED),
        ("The tea house at the lake welcomed its third owner in 1912", OPENED),
        ("The tea house feeds 430 people every summer day", FAMILY),
        ("The tea house serves 430 guests on a summer day", SEATS),
        ("The tea house serves 430 guests on a summer day", f"{FAMILY} {SEATS}"),
        ("The house is in the hands of the Berg family", FAMILY),
        ("Dogs are welcome inside the house", DOGS),
        ("Dogs are not seen on the terrace with their owners", DOGS),
        ("清河茶馆1921年开张接待客人", CHINESE),
    ],
)
async def test_no_forged_number_date_name_or_denial_passes(claim: str, quote: str) -> None:
    before = check_answer(f"{claim} [1].", {1: PAGE})[0]
    assert before.verdict == "unclear"
    assert await one(claim, Opinion("supported", quote)) == before


def _quotes(text: str) -> list[str]:
    return [text[one.start : one.end] for one in passages(text)]


async def _lifted(claim: str, page: SourceText) -> CitationCheck | None:
    """Return what a judge reaches that lies with each quote in turn."""
    answer, texts = f"{claim} [1].", {1: page}
    before = check_answer(answer, texts)
    if before[0].verdict != "unclear":
        return None
    for quote in _quotes(page.text):
        lie = Says(Opinion("supported", quote))
        (check,) = (await judge_unclear(answer, before, texts, lie)).checks
        if check.by == "judge":
            return check
    return None


@pytest.mark.release
async def test_a_judge_that_always_lies_passes_no_labelled_claim_with_another_value() -> None:
    told = [pair for pair in pairs() if pair.label == "unsupported"]
    assert len(told) > 200
    passed = [
        (pair.kind, pair.claim)
        for pair in told
        if await _lifted(pair.claim.rstrip(".。"), pair.source)
    ]
    exact = {"number", "date", "unit", "negation"}
    assert not [claim for kind, claim in passed if kind in exact or any(map(str.isdigit, claim))]
    # Whatever else a liar may pass is little: most of it is forbidden as well.
    assert len(passed) <= len(told) // 12


@pytest.mark.sample(21)
@pytest.mark.parametrize(("name", "sentence"), SENTENCES)
async def test_it_passes_no_sentence_with_another_digit(name: str, sentence: str) -> None:
    page = SourceText(SOURCES[name]["text"], title=SOURCES[name]["title"])
    for changed in with_another_digit(sentence):
        if changed not in page.text:
            assert await _lifted(changed.rstrip(".。"), page) is None, changed


async def test_a_contradiction_needs_another_value_or_a_denial_in_the_quote() -> None:
    denied = await one("Dogs are welcome inside the house", Opinion("contradicted", DOGS))
    assert (denied.verdict, denied.verdict_v1) == ("contradicted", "unsupported")
    assert (denied.by, denied.reason, denied.evidence) == ("judge", "negation", DOGS)
    for claim, quote in (
        (PARAPHRASE, OPENED),
        ("Dogs may sit on the terrace with their owners", DOGS),
        # 430 stands on the page, of whatever it is said.
        ("The tea house feeds 430 people every summer day", FAMILY),
        ("Dogs are welcome inside the house", "Dogs are not welcome inside the house."),
    ):
        before = check_answer(f"{claim} [1].", {1: PAGE})[0]
        assert await one(claim, Opinion("contradicted", quote)) == before


async def test_a_judge_that_cannot_quote_is_borne_out_by_the_nearest_passage() -> None:
    check = await one(PARAPHRASE, Opinion("supported"))
    assert (check.verdict, check.by, check.evidence) == ("supported", "judge", OPENED)
    forged = "The tea house at the lake welcomed its first guests in 1921"
    assert (await one(forged, Opinion("supported"))).by == "rules"


async def test_only_what_is_unclear_is_asked_about_and_only_that_changes() -> None:
    answer = (
        f"{OPENED[:-1]} [1]. {PARAPHRASE} [1]. It serves 999 guests on a summer day [1]. "
        "The mill is old [2]."
    )
    judge = Says(Opinion("supported", OPENED))
    texts = {1: PAGE, 2: SourceText("About a mill.", is_whole_page=False)}
    before = check_answer(answer, texts)
    found = await judge_unclear(answer, before, texts, judge)
    assert [doubt.place for doubt in judge.asked] == [1]
    assert OPENED in "\n".join(judge.asked[0].passages)
    changed = [check for check, old in zip(found.checks, before, strict=True) if check != old]
    assert [check.place for check in changed] == [1]
    assert found.use is not None
    assert (found.use.asked, found.use.lifted, found.use.failure) == (1, 1, None)


async def test_where_nothing_is_unclear_nobody_is_asked() -> None:
    judge = Says()
    assert (await after(f"{OPENED[:-1]} [1].", judge)).use is None
    assert judge.asked == []


async def test_a_page_in_another_language_is_nothing_to_ask_about() -> None:
    judge = Says(Opinion("supported", "清河全长421公里。"))
    page = SourceText("清河全长421公里。" * 3)
    found = await after("The Qing He is 421 kilometres long [1].", judge, page)
    assert (found.checks[0].verdict, found.checks[0].reason) == ("unclear", "other_language")
    assert judge.asked == []


async def test_the_part_of_a_sentence_keeps_what_the_sentence_is_about() -> None:
    answer = (
        "The mill in the valley stood empty for years [2], welcomed its first guests in 1912 [1]."
    )
    mill = SourceText("The mill in the valley stood empty for years.")
    texts = {1: PAGE, 2: mill}
    checks = check_answer(answer, texts)
    found = await judge_unclear(answer, checks, texts, Says(Opinion("supported", OPENED)))
    assert found.checks[1].by == "rules"
