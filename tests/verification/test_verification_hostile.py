"""Texts that nobody would write: the check answers, in a reasonable time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeseek.verification import SourceText, check_answer, claims, support

PIECES = st.sampled_from(
    "[1] [2,3] [[1]](https://a.example) 清河 全长 412 公里 。 ， . , ; \n \n\n - | # > ``` ` ** $ "
    "1.2万 3,400 第三 百分之 三成 A市 Acme x² 𝟓 ٣ "
    "2026年3月5日 March 5, 2026 not 不 respectively 分别 and 和 from to % — “ ” "
    "<b> \\ \ue000 \u200b".split(" ")
)
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=40).map(" ".join)


@given(TEXTS, TEXTS)
def test_any_text_can_be_checked(answer: str, text: str) -> None:
    for check in check_answer(answer, {1: SourceText(text), 2: SourceText(answer, title=text)}):
        assert check.verdict in {*("supported", "contradicted", "absent", "unclear", "unfetched")}
        assert not check.evidence or check.evidence in (text if check.number == 1 else answer)


@given(TEXTS)
def test_places_count_on(answer: str) -> None:
    places = [place for claim in claims(answer) for place in claim.places]
    assert places == list(range(len(places)))


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "text",
    [
        "9" * 20_000,
        "1," * 10_000,
        "1.234." * 5_000,
        "三百" * 10_000,
        "不" * 20_000,
        "a" * 50_000,
        "，" * 20_000,
        "and " * 10_000,
        "2026年" * 5_000,
        "twenty " * 5_000,
        "(" * 20_000,
        "[1]" * 5_000,
        "清河全长412公里，" * 3_000,
        "$" * 20_000,
    ],
    ids=lambda text: text[:8],
)
def test_long_texts_take_no_longer_than_long(text: str) -> None:
    assert support("清河全长412公里，不是238公里。", SourceText(text)).verdict
    assert support(text, SourceText("清河全长412公里。")).verdict != "supported"
    assert check_answer(f"{text} [1].", {1: SourceText(text)}) is not None
