"""Text is cut where a reader would cut it, and split into sentences and terms."""

from __future__ import annotations

import hypothesis
import pytest
from hypothesis import strategies as st

from citeseek.text import how_many, is_visible, sentences, shorten, terms


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("green tea", 9, "green tea"),
        ("green tea", 8, "green t…"),
        ("green tea", 7, "green…"),
        ("绿茶与红茶", 4, "绿茶与…"),
        ("", 5, ""),
        ("green tea", 1, "…"),
    ],
)
@pytest.mark.requirement("S0-24")
def test_an_ellipsis_shows_the_cut(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


@pytest.mark.parametrize("character", ["茶", "\U0001f375", "é"])
@pytest.mark.requirement("S0-23")
def test_at_most_200_characters_the_ellipsis_included(character: str) -> None:
    assert shorten(character * 1000, 200) == character * 199 + "…"


@pytest.mark.parametrize(
    "sign",
    [
        pytest.param("e\u0301", id="accent"),
        pytest.param("\U0001f469\u200d\U0001f469\u200d\U0001f467", id="family"),
        pytest.param("\U0001f44d\U0001f3fd", id="skin tone"),
        pytest.param("\u2764\ufe0f", id="variation"),
        pytest.param("1\ufe0f\u20e3", id="keycap"),
        pytest.param("\U0001f1e8\U0001f1f3", id="flag"),
        pytest.param("\U0001f3f4\U000e0067\U000e0062\U000e007f", id="flag of a region"),
        pytest.param("\u0e17\u0e35\u0e48", id="Thai vowel and tone"),
        pytest.param("\u0939\u093f", id="Devanagari vowel"),
        pytest.param("\u1112\u1161\u11ab", id="Hangul letters"),
    ],
)
@pytest.mark.requirement("S0-24")
def test_what_is_one_sign_to_a_reader_is_never_cut(sign: str) -> None:
    text = f"ab{sign * 3}cd"
    whole = [f"ab{sign * count}" for count in range(4)]
    for limit in range(3, len(text)):
        assert shorten(text, limit).removesuffix("…") in ["a", *whole, f"{whole[-1]}c"]


@hypothesis.given(st.text(), st.integers(1, 50))
@pytest.mark.requirement("S0-23")
def test_a_cut_text_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))
    assert short == text or len(text) > limit


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("no full stop", ["no full stop"]),
        ("Tea is old. It is green.", ["Tea is old.", "It is green."]),
        ("茶很古老。它是绿色的！是吗？是", ["茶很古老。", "它是绿色的！", "是吗？", "是"]),
        ("Version 3.14 is out. Try it.", ["Version 3.14 is out.", "Try it."]),
        ("Some herbs, e.g. mint, help.", ["Some herbs, e.g. mint, help."]),
        ("It steeps… Then it is poured.", ["It steeps…", "Then it is poured."]),
        ("A title\n\n  a line\n", ["A title", "a line"]),
        ("Tea first. 然后喝咖啡。", ["Tea first.", "然后喝咖啡。"]),
        ("真的吗？！当然。", ["真的吗？！", "当然。"]),
        ("Really?! Of course.", ["Really?!", "Of course."]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("See https://e.example/?q=tea for more.", ["See https://e.example/?q=tea for more."]),
    ],
)
def test_sentences_of_two_languages(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@hypothesis.given(st.text("茶水 ab.。！?!？；…\nA\u201d", max_size=30))
def test_splitting_loses_and_invents_nothing(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Green TEA", ["green", "tea"]),
        ("C++ and C#", ["c++", "and", "c#"]),
        ("Node.js, it's v3.14!", ["node.js", "it's", "v3.14"]),
        ("联网搜索", ["联网", "网搜", "搜索"]),
        ("茶", ["茶"]),
        ("茶 水", ["茶", "水"]),
        ("한국어", ["한국", "국어"]),
        ("ひらがな", ["ひら", "らが", "がな"]),
        ("模型GPT", ["模型", "gpt"]),
        ("Python教程", ["python", "教程"]),
        ("2026年", ["2026", "年"]),
        ("Straße", ["strasse"]),
        ("。，!?", []),
        ("", []),
    ],
)
def test_terms_for_comparing(text: str, found: list[str]) -> None:
    assert terms(text) == found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is false, according to Dr. Miller, that it fell. It stands.", 2),
        ("The claim is wrong, writes Prof. Jensen of St. Andrews.", 1),
        ("The U.S. Senate met, e.g. Sen. Smith and J. R. Jones. Nobody left.", 2),
        ("See Fig. 3 and No. 7 for that. It is Vol. 2.", 2),
        ("Smith et al. Found it. So did we.", 2),
        ("It ended. Dr. Miller left.", 2),
    ],
)
def test_an_abbreviation_ends_no_sentence(text: str, count: int) -> None:
    assert len(sentences(text)) == count


def test_one_thing_is_no_plural() -> None:
    assert [how_many(n, "result") for n in (0, 1, 2, 1_200)] == [
        "0 results",
        "1 result",
        "2 results",
        "1,200 results",
    ]


@pytest.mark.parametrize(
    "text",
    ["", " \t\n", "\u2060", "\u00ad\u200e\u200b", "\u3164\u115f\uffa0", "\u2800", "\ufe0f\u034f",
     "\U000e0074\U000e0065\U000e0061", "\ud800", "\u0301", "\u3000"],
)  # fmt: skip
def test_text_in_which_nothing_can_be_seen(text: str) -> None:
    assert not is_visible(text)
    assert is_visible(f"{text}.")


@pytest.mark.parametrize("text", ["a", "茶", "-", "\U0001f600", "\ue000", "ㅎ", "\u0903"])
def test_text_in_which_something_is_seen(text: str) -> None:
    assert is_visible(text)
